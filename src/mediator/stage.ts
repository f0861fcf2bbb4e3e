import type { Outcome } from '../contract/outcome.ts';
import type { Skill } from '../registry/skill.ts';
import type { Call } from './call.ts';
import type { Services } from './services.ts';

/** Takes a call on; never throws or rejects. An outcome that is there at once is returned as it is. */
export type Handler = (call: Call) => Outcome | Promise<Outcome>;

/**
 * One concern around every call. `wrap` runs once per skill version and returns `next` itself where
 * the skill gives the stage nothing to do, so that a call pays only for what its contract asks.
 */
export interface Stage {
  readonly name: string;
  wrap(next: Handler, skill: Skill, services: Services): Handler;
}
