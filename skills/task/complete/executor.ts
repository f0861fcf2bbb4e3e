import type { ExecutionContext } from '../../../src/index.ts';
import { openWorkplace, readTask, type Task } from '../../_shared/workplace.ts';

export function execute({ id }: { readonly id: number }, { dataDir }: ExecutionContext): Task {
  openWorkplace(dataDir).prepare("UPDATE tasks SET status = 'done' WHERE id = ?").run(id);
  return readTask(dataDir, id);
}
