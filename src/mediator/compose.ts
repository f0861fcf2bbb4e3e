import { fail } from '../contract/outcome.ts';
import type { Skill } from '../registry/skill.ts';
import type { Services } from './services.ts';
import type { Handler, Stage } from './stage.ts';

/**
 * Wraps an innermost handler in stages, the first outermost, for one skill version. The whole never
 * throws or rejects: a stage that breaks becomes INTERNAL_ERROR here, once.
 */
export function compose(stages: readonly Stage[], innermost: Handler, skill: Skill, services: Services): Handler {
  const composed = stages.reduceRight((next, stage) => stage.wrap(next, skill, services), innermost);
  const broken = (error: unknown): ReturnType<typeof fail> =>
    fail('INTERNAL_ERROR', `${skill.contract.name} could not be run because of a fault in the skill layer. Try another way, and report the trace id.`, { cause: error });
  return (call) => {
    try {
      const outcome = composed(call);
      return outcome instanceof Promise ? outcome.catch(broken) : outcome;
    } catch (error) {
      return broken(error);
    }
  };
}
