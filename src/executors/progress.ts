import { isPlainObject } from '../base/json.ts';
import type { ExecutionContext } from '../contract/execution-context.ts';

/** Where progress goes. */
export type OnProgress = ExecutionContext['progress'];

/** The progress a program reports as `{"progress": {"done": 1, "total": 3, "message": "..."}}`; undefined when the value is none. */
export function readProgress(value: unknown): Parameters<OnProgress> | undefined {
  const progress = isPlainObject(value) ? value['progress'] : undefined;
  if (!isPlainObject(progress)) return undefined;
  const { done, total, message } = progress;
  if (typeof done !== 'number') return undefined;
  return [
    done,
    typeof total === 'number' ? total : undefined,
    typeof message === 'string' ? message : undefined,
  ];
}
