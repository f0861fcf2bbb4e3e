import type { JsonObject } from '../base/json.ts';
import type { Contract } from '../contract/contract.ts';
import type { Check, Execute } from '../contract/execution-context.ts';
import type { Flow } from '../contract/flow.ts';

/** One version of one skill: what it promises and where its body is. */
export interface Skill {
  readonly contract: Contract;
  /** Absolute folder of its files; undefined when defined in code. */
  readonly folder: string | undefined;
  /** The body, when defined in code. */
  readonly execute?: Execute;
  readonly check?: Check;
  /** The steps, when the executor is a composite with a flow. */
  readonly flow?: Flow;
  /** Guidance for people and models: the text of SKILL.md under its frontmatter. */
  readonly guidance: string;
  /** Values for absent parameters, from the library's configuration; they go before the schema's own defaults. */
  readonly defaults: JsonObject;
  /** What the body reads as `context.settings`. */
  readonly settings: JsonObject;
}
