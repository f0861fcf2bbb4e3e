import { monotonicMs } from '../base/clock.ts';
import type { Call } from '../mediator/call.ts';
import { compose } from '../mediator/compose.ts';
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
export interface Road {
  readonly handler: Handler;
  options(given: CallOptions | undefined): EffectiveOptions;
}

/** The snapshot in service, the composed pipelines of its skills, and who may see which. */
export class Library {
  readonly services: Services;
  #snapshot: Snapshot = new Snapshot(0, [], [], []);
  #health = 0;
  #recheckAt = Infinity;
  readonly #roads = new WeakMap<Skill, Road>();
  readonly #validations = new WeakMap<Skill, Handler>();
  readonly #visible = new Map<string, { readonly revision: string; readonly skills: readonly Skill[] }>();
  readonly #listeners = new Set<() => void>();
  readonly #running = new Set<Promise<unknown>>();

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
  road(skill: Skill): Road {
    let road = this.#roads.get(skill);
    if (road === undefined) {
      const handler = compose(PIPELINE, execute(skill, this.services), skill, this.services);
      this.#roads.set(skill, (road = { handler, options: compileOptions(skill.contract) }));
    }
    return road;
  }

  /** The part of the pipeline that only judges parameters. */
  validation(skill: Skill): Handler {
    let handler = this.#validations.get(skill);
    if (handler === undefined) {
      const passed: Handler = (call: Call) => ({ ok: true, value: call.params });
      this.#validations.set(skill, (handler = compose(VALIDATION, passed, skill, this.services)));
    }
    return handler;
  }

  /** Remembers a call until it is over, so that closing can wait for it. */
  track(call: Promise<unknown>): void {
    this.#running.add(call);
    const forget = (): unknown => this.#running.delete(call);
    call.then(forget, forget);
  }

  /** Resolves when no tracked call is under way. */
  async idle(): Promise<void> {
    while (this.#running.size > 0) await Promise.allSettled(this.#running);
  }
}
