import type { Violation } from '../../contract/execution-context.ts';
import type { Outcome } from '../../contract/outcome.ts';
import type { Prepared } from '../../executors/executor.ts';
import { Attempt } from '../attempt.ts';
import type { Call } from '../call.ts';
import { invalidParams } from '../invalid-params.ts';
import type { Services } from '../services.ts';
import type { Handler, Stage } from '../stage.ts';
import { toFailure } from '../to-failure.ts';

/** Asks the skill's own check, against real systems, once the caller is known to be allowed. */
export const check: Stage = {
  name: 'check',
  wrap: (next, skill, services) => {
    let ready: Prepared | undefined;
    const prepareFirst = async (call: Call): Promise<Outcome> => {
      try {
        ready = await services.prepare(skill);
      } catch (error) {
        return toFailure(error, skill);
      }
      return ready.check === undefined ? next(call) : ask(ready, call, services, next);
    };
    return (call) => {
      if (ready !== undefined)
        return ready.check === undefined ? next(call) : ask(ready, call, services, next);
      return prepareFirst(call);
    };
  },
};

async function ask(
  prepared: Prepared,
  call: Call,
  services: Services,
  next: Handler,
): Promise<Outcome> {
  const attempt = new Attempt(call, services);
  call.current = attempt;
  let broken: readonly Violation[] | void;
  try {
    // The declared parameter types are the author's own; here they are JSON like any other.
    broken = await prepared.check?.(call.params as never, attempt);
  } catch (error) {
    return toFailure(error, call.skill);
  } finally {
    call.current = undefined;
  }
  if (broken !== undefined && broken.length > 0) {
    return invalidParams(
      call.skill.contract,
      broken,
      services.checker(call.skill).example(),
      'business_rule',
    );
  }
  return next(call);
}
