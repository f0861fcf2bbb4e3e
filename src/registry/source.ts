import type { JsonObject } from '../base/json.ts';
import type { Policy } from '../contract/contract.ts';
import type { Problem } from './snapshot.ts';
import type { Skill } from './skill.ts';

/** What a source found: skills it vouches for, and what is wrong with the rest. */
export interface Loaded {
  readonly skills: readonly Skill[];
  readonly problems: readonly Problem[];
}

/** Where skills come from (port). */
export interface SkillSource {
  readonly id: string;
  /**
   * Reads everything; an unchanged skill keeps its identity. A broken skill is a problem; rejects only when
   * the source itself cannot be read, so that what was loaded before stays in service.
   */
  load(): Promise<Loaded>;
  /** Calls `changed` after files have changed; resolves once watching has begun. */
  watch?(changed: () => void): Promise<{ close(): Promise<void> }>;
}

/** What the library's configuration says of a skill. */
export interface SkillSettings {
  readonly defaults: JsonObject;
  readonly settings: JsonObject;
  readonly policy?: Policy;
}

/** What every source is given. */
export interface SourceOptions {
  configure(name: string): SkillSettings;
}
