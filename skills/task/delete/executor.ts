import type { ExecutionContext } from '../../../src/index.ts';
import { openWorkplace, readTask, type Task } from '../../_shared/workplace.ts';

export function execute({ id }: { readonly id: number }, { dataDir }: ExecutionContext): Task {
  const task = readTask(dataDir, id);
  openWorkplace(dataDir).prepare('DELETE FROM tasks WHERE id = ?').run(id);
  return task;
}
