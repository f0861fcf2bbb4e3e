import type { ExecutionContext, Violation } from '../../../src/index.ts';
import { openWorkplace, readTask, userExists, type Task } from '../../_shared/workplace.ts';

interface Params {
  readonly id: number;
  readonly assignee: string;
}

export function check({ assignee }: Params, { dataDir }: ExecutionContext): readonly Violation[] {
  if (userExists(dataDir, assignee)) return [];
  return [
    {
      path: '/assignee',
      rule: 'user',
      message: 'there is no such user',
      suggestion: 'find the id with user.list',
    },
  ];
}

export function execute({ id, assignee }: Params, { dataDir }: ExecutionContext): Task {
  openWorkplace(dataDir).prepare('UPDATE tasks SET assignee = ? WHERE id = ?').run(assignee, id);
  return readTask(dataDir, id);
}
