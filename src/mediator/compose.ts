import { fail, type Outcome } from '../contract/outcome.ts';
import type { Skill } from '../registry/skill.ts';
import type { Call } from './call.ts';
import type { Services } from './services.ts';
import type { Handler, Stage } from './stage.ts';

/** Runs a call and hands its outcome on; never throws or rejects. */
export type Road = <Result>(
  call: Call,
  then: (outcome: Outcome) => Result,
) => Result | Promise<Result>;

/**
 * Wraps an innermost handler in stages, the first outermost, for one skill version. A stage that breaks
 * becomes INTERNAL_ERROR here, once.
 */
export function compose(
  stages: readonly Stage[],
  innermost: Handler,
  skill: Skill,
  services: Services,
): Road {
  const composed = stages.reduceRight(
    (next, stage) => stage.wrap(next, skill, services),
    innermost,
  );
  const broken = (error: unknown): Outcome =>
    fail(
      'INTERNAL_ERROR',
      `${skill.contract.name} could not be run because of a fault in the skill layer. Try another way, and report the trace id.`,
      { cause: error },
    );
  return (call, then) => {
    let outcome: Outcome | Promise<Outcome>;
    try {
      outcome = composed(call);
    } catch (error) {
      outcome = broken(error);
    }
    return outcome instanceof Promise
      ? outcome.then(then, (error: unknown) => then(broken(error)))
      : then(outcome);
  };
}
