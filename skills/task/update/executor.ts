import type { ExecutionContext } from '../../../src/index.ts';
import { openWorkplace, readTask, type Task } from '../../_shared/workplace.ts';

interface Params {
  readonly id: number;
  readonly title?: string | null;
  readonly notes?: string | null;
  readonly due?: string | null;
  readonly priority?: string | null;
}

export function execute(
  { id, title = null, notes = null, due = null, priority = null }: Params,
  { dataDir }: ExecutionContext,
): Task {
  openWorkplace(dataDir)
    .prepare(
      'UPDATE tasks SET title = coalesce(?, title), notes = coalesce(?, notes), due = coalesce(?, due), priority = coalesce(?, priority) WHERE id = ?',
    )
    .run(title, notes, due, priority, id);
  return readTask(dataDir, id);
}
