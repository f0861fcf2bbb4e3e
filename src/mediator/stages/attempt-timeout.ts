import { monotonicMs } from '../../base/clock.ts';
import { fail, type Outcome } from '../../contract/outcome.ts';
import type { Call } from '../call.ts';
import { settledWithin } from '../settled-within.ts';
import type { Stage } from '../stage.ts';

/** Stops an attempt that takes too long; where the deadline comes first, it alone keeps watch. */
export const attemptTimeout: Stage = {
  name: 'attempt-timeout',
  wrap: (next, _skill, services) => (call) => {
    const result = next(call);
    if (!(result instanceof Promise)) return result;
    const { timeout } = call.options;
    if (timeout >= call.options.deadline || timeout >= call.deadlineAt - monotonicMs())
      return result;
    const attempt = call.current;
    return new Promise<Outcome>((resolve, reject) => {
      let late = false;
      const alarm = services.wheel.set(timeout, () => {
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
          if (!late) resolve(outcome);
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
