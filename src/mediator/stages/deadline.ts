import { monotonicMs } from '../../base/clock.ts';
import { fail, type Outcome } from '../../contract/outcome.ts';
import type { Call } from '../call.ts';
import { settledWithin } from '../settled-within.ts';
import type { Stage } from '../stage.ts';

/**
 * Bounds the whole call, attempts and delays included, and ends it when its caller cancels. What is
 * running is stopped; the answer does not wait for a body that will not.
 */
export const deadline: Stage = {
  name: 'deadline',
  wrap: (next, _skill, services) => (call) => {
    if (call.signal?.aborted === true) return ended(call, cancelled(call));
    const result = next(call);
    if (!(result instanceof Promise)) return inTime(call, result);
    return new Promise<Outcome>((resolve, reject) => {
      const end = (why: (call: Call) => Outcome): void => {
        if (call.over) return;
        call.over = true;
        letGo();
        const outcome = ended(call, why(call));
        call.current?.abort(new Error(outcome.ok ? '' : outcome.error.message));
        call.wake?.();
        call.overtaken?.();
        void settledWithin(call.current, services.wheel).then(() => resolve(outcome));
      };
      const cancel = (): void => end(cancelled);
      // Before the alarm: a signal that is none throws here, and must leave nothing behind.
      call.signal?.addEventListener('abort', cancel, { once: true });
      const alarm = services.wheel.setAt(call.deadlineAt, () => end(expired));
      // At once, whatever the body does: nothing of an answered call may keep the process alive.
      const letGo = (): void => {
        services.wheel.clear(alarm);
        call.signal?.removeEventListener('abort', cancel);
      };
      result.then(
        (outcome) => {
          letGo();
          // An answer that is there when the deadline strikes has already lost.
          if (!call.over) resolve(inTime(call, outcome));
        },
        (error: unknown) => {
          letGo();
          reject(error);
        },
      );
      // The body has begun by now, and may have had its own call cancelled.
      if (call.signal?.aborted === true) cancel();
    });
  },
};

/** A body that keeps the thread busy keeps the alarm from ringing, too: its answer comes late all the same. */
function inTime(call: Call, outcome: Outcome): Outcome {
  call.endedAt = monotonicMs();
  return outcome.ok && call.endedAt > call.deadlineAt ? expired(call) : outcome;
}

function ended(call: Call, outcome: Outcome): Outcome {
  call.endedAt = monotonicMs();
  return outcome;
}

function expired(call: Call): Outcome {
  return fail(
    'TIMEOUT',
    `${call.skill.contract.name} did not finish within the ${call.options.deadline} ms allowed for the whole call. ${advice(call)}`,
    {
      details: { reason: 'deadline', deadline: call.options.deadline, ...unknownOutcome(call) },
    },
  );
}

function cancelled(call: Call): Outcome {
  return fail(
    'EXECUTION_ERROR',
    `${call.skill.contract.name} was cancelled by its caller. ${advice(call)}`,
    {
      details: { reason: 'cancelled', ...unknownOutcome(call) },
      retryable: false,
    },
  );
}

function dispatchedWrite(call: Call): boolean {
  return call.skill.contract.side_effect.kind === 'write' && call.attempts > 0;
}

function unknownOutcome(call: Call): { outcome_unknown?: true } {
  return dispatchedWrite(call) ? { outcome_unknown: true } : {};
}

function advice(call: Call): string {
  return dispatchedWrite(call)
    ? 'It may or may not have taken effect: look that up before you repeat it.'
    : 'Nothing was changed; ask for less, or allow more time with options.deadline.';
}
