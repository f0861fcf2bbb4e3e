import type { JsonObject } from '../../base/json.ts';
import type { ErrorCode } from '../../contract/error.ts';
import { compileTemplate } from '../../contract/expression.ts';
import type { Fallback } from '../../contract/contract.ts';
import type { Outcome } from '../../contract/outcome.ts';
import type { Call } from '../call.ts';
import type { Services } from '../services.ts';
import type { Handler, Stage } from '../stage.ts';

// The skill could not; anything else is the right answer to this call and no other way changes it.
const UNABLE: ReadonlySet<ErrorCode> = new Set([
  'TIMEOUT',
  'RETRY_EXHAUSTED',
  'EXECUTION_ERROR',
  'UPSTREAM_ERROR',
  'RATE_LIMITED',
  'PARSE_ERROR',
  'INTERNAL_ERROR',
]);

/** Answers by the contract's other way when the body cannot, or is too slow, and marks the result stale. */
export const fallback: Stage = {
  name: 'fallback',
  wrap: (next, { contract }, services) => {
    const plan = contract.fallback;
    if (plan === undefined || contract.side_effect.kind === 'write') return next;
    const template = plan.with === undefined ? undefined : compileTemplate(plan.with);
    const other = (call: Call): Promise<Outcome> =>
      otherWay(call, plan, template?.({ inputs: call.params }), services);
    return async (call) => {
      const outcome = await (plan.after === undefined
        ? next(call)
        : withPatience(call, { next, ms: plan.after, services }));
      if (
        outcome !== undefined &&
        (outcome.ok ||
          !UNABLE.has(outcome.error.code) ||
          outcome.error.details?.['reason'] === 'cancelled')
      )
        return outcome;
      if (call.over && outcome !== undefined) return outcome;
      const replacement = await other(call);
      if (replacement.ok) return { ok: true, value: replacement.value, stale: true };
      if (outcome === undefined || outcome.ok) return replacement;
      return {
        ok: false,
        error: {
          ...outcome.error,
          details: { ...outcome.error.details, fallback: replacement.error.code },
        },
      };
    };
  },
};

/** The body's outcome, or undefined when it is too slow; it is stopped then. */
function withPatience(
  call: Call,
  { next, ms, services }: { next: Handler; ms: number; services: Services },
): Promise<Outcome | undefined> {
  return new Promise((resolve, reject) => {
    // The slow way runs on a copy of the call, so that ending it does not end the whole.
    const slow: Call = { ...call };
    const result = Promise.resolve(next(slow));
    const alarm = services.wheel.set(ms, () => {
      slow.over = true;
      slow.current?.abort(new Error('The fallback answered instead.'));
      slow.wake?.();
      slow.overtaken?.();
      finish(undefined);
    });
    const finish = (outcome: Outcome | undefined): void => {
      services.wheel.clear(alarm);
      call.attempts = slow.attempts;
      call.warnings = slow.warnings;
      call.wake = undefined;
      resolve(outcome);
    };
    call.current = undefined;
    call.wake = () => {
      slow.over = true;
      call.attempts = slow.attempts;
      slow.current?.abort(new Error('The call is over.'));
      slow.wake?.();
      slow.overtaken?.();
    };
    result.then(finish, (error: unknown) => {
      services.wheel.clear(alarm);
      reject(error);
    });
  });
}

async function otherWay(
  call: Call,
  plan: Fallback,
  params: JsonObject | undefined,
  services: Services,
): Promise<Outcome> {
  if (plan.skill === undefined) return { ok: true, value: structuredClone(plan.value ?? null) };
  return services.invoke({
    parent: call,
    skill: plan.skill,
    params: params ?? call.params,
    key: `${call.key}.fallback`,
    signal: call.signal,
    compensating: false,
  });
}
