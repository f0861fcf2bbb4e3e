import { isoTime } from '../base/clock.ts';
import { newSpanId } from '../base/ids.ts';
import type { CallRow } from '../contract/call-row.ts';
import type { Envelope } from '../contract/envelope.ts';
import type { Failure } from '../contract/outcome.ts';
import type { CallSession } from '../mediator/call.ts';
import { publish } from '../telemetry/channel.ts';
import type { Library } from './library.ts';
import { serialise } from './serialise.ts';

interface Refusal {
  readonly error: Failure;
  /** As requested. */
  readonly toolName: string;
  readonly traceId: string;
  /** Unix ms. */
  readonly at: number;
}

/** The answer to a call that reached no skill; it leaves a row like any other, since asking for what is not there is evidence too. */
export function unexecuted(
  library: Library,
  session: CallSession,
  { error, toolName, traceId, at }: Refusal,
): Envelope {
  const { store, redactor } = library.services;
  const shown = redactor().text(toolName.slice(0, 80));
  const serialised = serialise(library, error);
  const reason = error.details?.['reason'];
  const row: CallRow = {
    at,
    traceId,
    spanId: newSpanId(),
    parentId: null,
    conversation: session.conversation,
    turn: session.turn.number,
    caller: session.caller.id,
    skill: shown,
    version: '',
    effect: 'none',
    ok: false,
    code: error.code,
    reason: typeof reason === 'string' ? reason : null,
    message: serialised.message,
    attempts: 0,
    duration: 0,
    cause: null,
    params: '{}',
  };
  // A closed library has closed its store.
  if (!library.closed) {
    Promise.resolve(store.record?.(row)).catch((failure: unknown) =>
      publish('skillwright:store-failed', () => ({ error: failure })),
    );
  }
  return {
    success: false,
    result: null,
    error: serialised,
    metadata: { duration: 0, attempts: 0, toolName: shown, timestamp: isoTime(at), traceId },
  };
}
