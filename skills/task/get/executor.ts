import type { ExecutionContext } from '../../../src/index.ts';
import { readTask, type Task } from '../../_shared/workplace.ts';

export function execute({ id }: { readonly id: number }, { dataDir }: ExecutionContext): Task {
  return readTask(dataDir, id);
}
