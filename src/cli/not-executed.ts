import { isoTime, monotonicMs } from '../base/clock.ts';
import { newTraceId } from '../base/ids.ts';
import { createRedactor } from '../base/redact.ts';
import type { CallMetadata, Envelope } from '../contract/envelope.ts';
import type { ErrorCode } from '../contract/error.ts';

const startedAt = monotonicMs();

/** Facts about a call whose skill was not executed; its duration is counted from the start of the command. */
export function notExecuted(toolName: string): CallMetadata {
  return {
    duration: monotonicMs() - startedAt,
    attempts: 0,
    toolName,
    timestamp: isoTime(Date.now()),
    traceId: newTraceId(),
  };
}

/** The envelope of a call that could not even be made; the message holds no secret. */
export function refusal(code: ErrorCode, message: string): Envelope {
  return {
    success: false,
    result: null,
    error: { code, message: createRedactor().text(message) },
    metadata: notExecuted(''),
  };
}
