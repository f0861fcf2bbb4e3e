import { monotonicMs } from '../../base/clock.ts';
import type { ErrorCode } from '../../contract/error.ts';
import { fail, type Outcome } from '../../contract/outcome.ts';
import { publish } from '../../telemetry/channel.ts';
import type { Call } from '../call.ts';
import type { Stage } from '../stage.ts';

// What says that the skill is ill, not that it was asked for the wrong thing.
const ILLNESS: ReadonlySet<ErrorCode> = new Set([
  'TIMEOUT',
  'EXECUTION_ERROR',
  'UPSTREAM_ERROR',
  'PARSE_ERROR',
  'INTERNAL_ERROR',
  'RETRY_EXHAUSTED',
]);
// Refusals in good health, and cancellations, say nothing either way.
const NEUTRAL: ReadonlySet<unknown> = new Set([
  'cancelled',
  'deadline',
  'business_rule',
  'conflict',
]);

/** Takes a skill out of service while too many of its attempts fail, and lets a probe decide when it is back. */
export const breaker: Stage = {
  name: 'breaker',
  wrap: (next, skill, services) => {
    const circuit = services.circuit(skill);
    const { name } = skill.contract;
    return (call) => {
      const admission = circuit.isClosed ? undefined : circuit.admit(monotonicMs());
      if (admission?.admit === 'refuse') return refused(name, admission.retryAfterMs);
      const conclude = (verdict: boolean | undefined): void => {
        // What began before the circuit opened has no say in when it closes again.
        if (admission === undefined && !circuit.isClosed) return;
        if (verdict === undefined) circuit.release();
        else if (circuit.record(verdict, monotonicMs())) {
          publish('skillwright:circuit', () => ({ skill: name, open: !verdict }));
          services.changed();
        }
      };
      const result = next(call);
      if (!(result instanceof Promise)) {
        conclude(judge(result));
        return result;
      }
      // A body that never ends is judged when the call is over for its caller, and only once.
      let pending = true;
      call.overtaken = () => {
        if (pending) conclude(judgeOvertaken(call));
        pending = false;
      };
      return result.then((outcome) => {
        if (pending) conclude(judge(outcome));
        pending = false;
        return outcome;
      });
    };
  },
};

function judge(outcome: Outcome): boolean | undefined {
  if (outcome.ok) return true;
  if (NEUTRAL.has(outcome.error.details?.['reason'])) return undefined;
  return !ILLNESS.has(outcome.error.code);
}

/** Ill is what had all the time of the call and did not end; what was cancelled or began late may be well. */
function judgeOvertaken({ attempts, deadlineAt, options, startedAt }: Call): boolean | undefined {
  const whole = deadlineAt >= startedAt + options.deadline && monotonicMs() >= deadlineAt;
  return whole && attempts <= 1 ? false : undefined;
}

function refused(name: string, waitMs: number): Outcome {
  const seconds = Math.ceil(waitMs / 1_000);
  return fail(
    'UPSTREAM_ERROR',
    `${name} is out of service after too many failures. Do without it, or try again in ${seconds} s.`,
    {
      details: { reason: 'circuit_open', retry_after: seconds },
      retryable: false,
    },
  );
}
