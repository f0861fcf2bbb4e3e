import type { ExecutionContext, Violation } from '../../../src/index.ts';
import { openWorkplace, readTask, userExists, type Task } from '../../_shared/workplace.ts';

interface Params {
  readonly title: string;
  readonly notes: string;
  readonly due?: string;
  readonly priority: string;
  readonly assignee?: string;
}

export function check({ assignee }: Params, { dataDir }: ExecutionContext): readonly Violation[] {
  if (assignee === undefined || userExists(dataDir, assignee)) return [];
  return [
    {
      path: '/assignee',
      rule: 'user',
      message: 'there is no such user',
      suggestion: 'find the id with user.list',
    },
  ];
}

export function execute(params: Params, { dataDir, idempotencyKey }: ExecutionContext): Task {
  const { title, notes, due = null, priority, assignee = null } = params;
  const workplace = openWorkplace(dataDir);
  // The key is unique: a repetition of the same call finds its task instead of making another.
  workplace
    .prepare(
      "INSERT OR IGNORE INTO tasks (title, notes, due, priority, status, assignee, created_at, key) VALUES (?, ?, ?, ?, 'open', ?, ?, ?)",
    )
    .run(title, notes, due, priority, assignee, new Date().toISOString(), idempotencyKey);
  const made = workplace.prepare('SELECT id FROM tasks WHERE key = ?').get(idempotencyKey);
  return readTask(dataDir, Number(made?.['id']));
}
