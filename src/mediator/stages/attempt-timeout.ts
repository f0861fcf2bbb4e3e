import { monotonicMs } from '../../base/clock.ts';
import { fail, type Outcome } from '../../contract/outcome.ts';
import type { Call } from '../call.ts';
import { settledWithin } from '../settled-within.ts';
import type { Stage } from '../stage.ts';

/** Stops an attempt that takes too long; where the deadline comes first, it alone keeps watch. */
export const attemptTimeout: Stage = {
  name: 'attempt-timeout',
  wrap: (next, _skill, services) => (call) => {
    const { timeout, deadline } = call.options;
    if (timeout >= deadline) return next(call);
    const endsAt = monotonicMs() + timeout;
    if (endsAt >= call.deadlineAt) return next(call);
    const result = next(call);
    const attempt = call.current;
    // A body that keeps the thread busy keeps the alarm from ringing, too.
    const inTime = (outcome: Outcome): Outcome => {
      if (!outcome.ok || monotonicMs() <= endsAt) return outcome;
      attempt?.abort(new Error('The attempt took too long.'));
      return timedOut(call);
    };
    if (!(result instanceof Promise)) return inTime(result);
    return new Promise<Outcome>((resolve, reject) => {
      let late = false;
      const alarm = services.wheel.setAt(endsAt, () => {
        late = true;
        const outcome = timedOut(call);
        attempt?.abort(new Error('The attempt took too long.'));
        void settledWithin(attempt, services.wheel).then(() => resolve(outcome));
      });
      const letGo = (): void => {
        services.wheel.clear(alarm);
        call.wake = undefined;
      };
      call.wake = letGo;
      result.then(
        (outcome) => {
          letGo();
          if (!late) resolve(inTime(outcome));
        },
        (error: unknown) => {
          letGo();
          reject(error);
        },
      );
    });
  },
};

function timedOut(call: Call): Outcome {
  const { contract } = call.skill;
  const write = contract.side_effect.kind === 'write';
  const advice = write
    ? 'It may or may not have taken effect: look that up before you repeat it.'
    : 'Ask for less, or allow more time with options.timeout.';
  return fail(
    'TIMEOUT',
    `${contract.name} did not answer within ${call.options.timeout} ms and was stopped. ${advice}`,
    {
      details: {
        reason: write ? 'outcome_unknown' : 'attempt_timeout',
        timeout: call.options.timeout,
      },
    },
  );
}
