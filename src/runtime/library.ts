import { monotonicMs } from '../base/clock.ts';
import type { Call } from '../mediator/call.ts';
import { compose, type Road } from '../mediator/compose.ts';
import { execute } from '../mediator/execute.ts';
import { PIPELINE, VALIDATION } from '../mediator/pipeline.ts';
import type { Services } from '../mediator/services.ts';
import type { Handler } from '../mediator/stage.ts';
import type { Skill } from '../registry/skill.ts';
import { Snapshot } from '../registry/snapshot.ts';
import type { CallOptions } from '../contract/envelope.ts';
import type { EffectiveOptions } from '../mediator/call.ts';
import { compileOptions } from './effective-options.ts';

/** A skill version ready for calls: its pipeline composed, its options merged. */
export interface Ready {
  readonly skill: Skill;
  readonly run: Road;
  options(given: CallOptions | undefined): EffectiveOptions;
}

/** The snapshot in service, the composed pipelines of its skills, and who may see which. */
export class Library {
  readonly services: Services;
  #snapshot: Snapshot = new Snapshot(0, [], [], []);
  #health = 0;
  #recheckAt = Infinity;
  readonly #roads = new WeakMap<Skill, Ready>();
  readonly #validations = new WeakMap<Skill, Road>();
  readonly #visible = new Map<
    string,
    { readonly revision: string; readonly skills: readonly Skill[] }
  >();
  readonly #listeners = new Set<() => void>();
  #closed = false;
  #running = 0;
  #idle: (() => void)[] = [];

  constructor(services: Services) {
    this.services = services;
  }

  get snapshot(): Snapshot {
    return this.#snapshot;
  }

  /** Changes whenever what can be called does. */
  get revision(): string {
    if (monotonicMs() >= this.#recheckAt) this.changed();
    return `${this.#snapshot.revision}.${this.#health}`;
  }

  /** Puts another snapshot in service; calls under way keep theirs. */
  replace(snapshot: Snapshot): void {
    this.#snapshot = snapshot;
    this.changed();
  }

  /** Notes that something opened, closed or was swapped, and tells everyone who asked. */
  changed(): void {
    this.#health++;
    this.#recheckAt = Infinity;
    this.#visible.clear();
    for (const listener of this.#listeners) listener();
  }

  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** The healthy skills that `allowed` lets through; kept per scope until something changes. */
  visible(scope: string, allowed: (skill: Skill) => boolean): readonly Skill[] {
    const { revision } = this;
    const known = this.#visible.get(scope);
    if (known?.revision === revision) return known.skills;
    const now = monotonicMs();
    const skills = this.#snapshot.skills.filter((skill) => {
      if (!allowed(skill)) return false;
      const circuit = this.services.circuit(skill);
      if (!circuit.isOpen(now)) return true;
      // An open circuit asks for a probe by itself later; the list must show the skill again by then.
      this.#recheckAt = Math.min(this.#recheckAt, now + 1_000);
      return false;
    });
    if (this.#visible.size > 1_000) this.#visible.clear();
    this.#visible.set(scope, { revision, skills });
    return skills;
  }

  /** The composed pipeline of a skill, made on its first call. Throws when its schema cannot be compiled. */
  road(skill: Skill): Ready {
    let road = this.#roads.get(skill);
    if (road === undefined) {
      const run = compose(PIPELINE, execute(skill, this.services), skill, this.services);
      this.#roads.set(skill, (road = { skill, run, options: compileOptions(skill.contract) }));
    }
    return road;
  }

  /** The part of the pipeline that only judges parameters. */
  validation(skill: Skill): Road {
    let run = this.#validations.get(skill);
    if (run === undefined) {
      const passed: Handler = (call: Call) => ({ ok: true, value: call.params });
      this.#validations.set(skill, (run = compose(VALIDATION, passed, skill, this.services)));
    }
    return run;
  }

  /** Counts a call as under way until `ended`, so that closing can wait for it. */
  began(): void {
    this.#running++;
  }

  ended(): void {
    if (--this.#running > 0) return;
    for (const resolve of this.#idle.splice(0)) resolve();
  }

  /** True once nothing new may begin. */
  get closed(): boolean {
    return this.#closed;
  }

  /** Lets nothing new begin; resolves when no call is under way. */
  async close(): Promise<void> {
    this.#closed = true;
    if (this.#running > 0) await new Promise<void>((resolve) => this.#idle.push(resolve));
  }
}
