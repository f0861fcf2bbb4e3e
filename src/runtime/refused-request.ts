import { isoTime } from '../base/clock.ts';
import { newTraceId } from '../base/ids.ts';
import { isPlainObject } from '../base/json.ts';
import type { Envelope } from '../contract/envelope.ts';
import type { Violation } from '../contract/execution-context.ts';

const EXAMPLE = {
  toolName: 'task.create',
  params: { title: 'Buy milk' },
  options: { timeout: 5000 },
};

/** The answer to something that is no call at all: INVALID_PARAMS with a right one to copy. */
export function refusedRequest(request: unknown, faults: readonly Violation[]): Envelope {
  const told = faults
    .map(({ message, suggestion }) =>
      suggestion === undefined ? message : `${message} (${suggestion})`,
    )
    .join('; ');
  const toolName =
    isPlainObject(request) && typeof request['toolName'] === 'string'
      ? request['toolName'].slice(0, 80)
      : '';
  return {
    success: false,
    result: null,
    error: {
      code: 'INVALID_PARAMS',
      message: `Nothing was run: ${told}. A valid call: ${JSON.stringify(EXAMPLE)}`,
      details: {
        reason: 'envelope',
        violations: faults.map((fault) => ({ ...fault })),
        example: EXAMPLE,
      },
    },
    metadata: {
      duration: 0,
      attempts: 0,
      toolName,
      timestamp: isoTime(Date.now()),
      traceId: newTraceId(),
    },
  };
}
