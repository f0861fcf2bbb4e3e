import type { Wheel } from '../base/clock.ts';
import type { Redactor } from '../base/redact.ts';
import type { JsonObject } from '../base/json.ts';
import type { Checker } from '../contract/checker.ts';
import type { Outcome } from '../contract/outcome.ts';
import type { Prepared } from '../executors/executor.ts';
import type { Skill } from '../registry/skill.ts';
import type { Store } from '../store/store.ts';
import type { Call } from './call.ts';
import type { Circuit } from './resilience/circuit.ts';
import type { Limiter } from './resilience/limiter.ts';

/** A call made by a body: which, with what, and on whose account. */
export interface Invocation {
  readonly parent: Call;
  readonly skill: string;
  readonly params: JsonObject;
  readonly key: string;
  readonly signal: AbortSignal | undefined;
  readonly compensating: boolean;
}

/** What the stages need from outside; wired once by the runtime. */
export interface Services {
  readonly wheel: Wheel;
  readonly store: Store;
  readonly dataDir: string;
  redactor(): Redactor;
  checker(skill: Skill): Checker;
  prepare(skill: Skill): Prepared | Promise<Prepared>;
  circuit(skill: Skill): Circuit;
  limiter(skill: Skill): Limiter | undefined;
  /** The value of a declared secret; undefined when it is not set. */
  secret(env: string, name: string): string | undefined;
  /** Runs another skill through the whole pipeline. */
  invoke(invocation: Invocation): Promise<Outcome>;
  /** What can be called has changed. */
  changed(): void;
}
