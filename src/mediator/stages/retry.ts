import { after } from '../../base/after.ts';
import { monotonicMs } from '../../base/clock.ts';
import type { Json } from '../../base/json.ts';
import type { ErrorCode } from '../../contract/error.ts';
import { fail, type Failure, type Outcome } from '../../contract/outcome.ts';
import type { Call } from '../call.ts';
import type { Services } from '../services.ts';
import type { Handler, Stage } from '../stage.ts';

// Another attempt with the same parameters by the same caller cannot end differently.
const NEVER: ReadonlySet<ErrorCode> = new Set(['INVALID_PARAMS', 'UNAUTHORISED', 'TOOL_NOT_FOUND']);

/** Tries again what may work the next time: never a write without an idempotency key, never past the deadline. */
export const retry: Stage = {
  name: 'retry',
  wrap: (next, { contract }, services) => {
    const { kind, idempotent } = contract.side_effect;
    if (kind === 'write' && idempotent !== true) return next;
    return (call) => {
      if (call.options.retries === 0) return next(call);
      return after(next(call), (outcome) =>
        outcome.ok || !worthwhile(outcome.error)
          ? outcome
          : again(call, outcome.error, next, services),
      );
    };
  },
};

function worthwhile(error: Failure): boolean {
  return error.retryable && !NEVER.has(error.code);
}

async function again(
  call: Call,
  first: Failure,
  next: Handler,
  services: Services,
): Promise<Outcome> {
  let error = first;
  for (let retries = 0; retries < call.options.retries; retries++) {
    const asked = error.details?.['retry_after'];
    const delay = Math.max(call.options.retryDelay, typeof asked === 'number' ? asked * 1_000 : 0);
    if (delay >= call.deadlineAt - monotonicMs()) return outOfTime(call, error);
    await pause(call, delay, services);
    await stopped(call, services);
    if (call.over) return outOfTime(call, error);
    const outcome = await next(call);
    if (outcome.ok) return outcome;
    error = outcome.error;
    if (!worthwhile(error)) return outcome;
  }
  return exhausted(call, error);
}

/** Sleeps, but wakes when the call is over for its caller, so that no timer outlives it. */
function pause(call: Call, ms: number, { wheel }: Services): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      wheel.clear(alarm);
      call.wake = undefined;
      resolve();
    };
    const alarm = wheel.set(ms, done);
    call.wake = done;
  });
}

/** A write's next attempt waits until the one before has really ended: two at once could both take effect. */
async function stopped(call: Call, services: Services): Promise<void> {
  const running = call.current?.running;
  if (call.skill.contract.side_effect.kind !== 'write' || running === undefined) return;
  await Promise.race([
    running.then(noop, noop),
    pause(call, call.deadlineAt - monotonicMs(), services),
  ]);
  call.wake?.();
}

function noop(): void {}

function outOfTime(call: Call, last: Failure): Outcome {
  // Being told to come back later is worth more than being told that time is up.
  if (last.code === 'RATE_LIMITED') return { ok: false, error: last };
  return fail(
    'TIMEOUT',
    `${call.skill.contract.name} failed and there is no time for another attempt within ${call.options.deadline} ms. The last failure: ${last.code}: ${last.message}`,
    {
      details: { reason: 'deadline', deadline: call.options.deadline, last: lastOf(last) },
      cause: last.cause,
    },
  );
}

function exhausted(call: Call, last: Failure): Outcome {
  if (last.code === 'TIMEOUT' || last.code === 'EXECUTION_ERROR') return { ok: false, error: last };
  return fail(
    'RETRY_EXHAUSTED',
    `${call.skill.contract.name} failed ${call.attempts} times. The last failure: ${last.code}: ${last.message}`,
    {
      details: {
        reason: 'retries',
        attempts: call.attempts,
        last: lastOf(last),
        ...retryAfter(last),
      },
      cause: last.cause,
    },
  );
}

function lastOf({ code, message, details }: Failure): Json {
  return { code, message, ...(details === undefined ? {} : { details }) };
}

function retryAfter({ details }: Failure): { retry_after?: Json } {
  const after = details?.['retry_after'];
  return after === undefined ? {} : { retry_after: after };
}
