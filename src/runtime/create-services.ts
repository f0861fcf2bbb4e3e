import { Wheel } from '../base/clock.ts';
import { createRedactor, type Redactor } from '../base/redact.ts';
import { compileChecker, type Checker } from '../contract/checker.ts';
import { Circuit } from '../mediator/resilience/circuit.ts';
import { createLimiter } from '../mediator/resilience/create-limiter.ts';
import type { Limiter } from '../mediator/resilience/limiter.ts';
import type { Invocation, Services } from '../mediator/services.ts';
import type { Outcome } from '../contract/outcome.ts';
import type { Skill } from '../registry/skill.ts';
import type { Snapshot } from '../registry/snapshot.ts';
import type { Store } from '../store/store.ts';
import { createExecutors } from './create-executors.ts';

/** What the services are made from. */
export interface ServiceOptions {
  readonly store: Store;
  readonly dataDir: string;
  /** Values by environment name or by secret name; they go before the process's environment. */
  readonly secrets: Readonly<Record<string, string>>;
  readonly allowPrivate: readonly string[];
  invoke(invocation: Invocation): Promise<Outcome>;
  changed(): void;
}

/** The services of one runtime, and how to end them. */
export interface OwnedServices extends Services {
  /** Learns the secrets a snapshot's skills declare, so that their values are known wherever text leaves. */
  learn(snapshot: Snapshot): void;
  close(): Promise<void>;
}

/** Wires what the stages need: executors, limits, circuits and compiled contracts, each kept per skill version. */
export function createServices(options: ServiceOptions): OwnedServices {
  const executors = createExecutors(options.allowPrivate);
  const checkers = new WeakMap<Skill, Checker>();
  const circuits = new WeakMap<Skill, Circuit>();
  const limiters = new Map<string, { readonly limit: unknown; readonly limiter: Limiter }>();
  const secret = (env: string, name: string): string | undefined =>
    options.secrets[name] ?? options.secrets[env] ?? process.env[env];
  const values = new Set(Object.values(options.secrets));
  let redactor: Redactor = createRedactor(values);

  return {
    wheel: new Wheel(),
    store: options.store,
    dataDir: options.dataDir,
    redactor: () => redactor,
    checker: (skill) =>
      remember(checkers, skill, () => compileChecker(skill.contract, skill.defaults)),
    circuit: (skill) => remember(circuits, skill, () => new Circuit(skill.contract.policy.breaker)),
    limiter: (skill) => {
      const { name, policy } = skill.contract;
      if (policy.rate_limit === undefined) return undefined;
      // Kept by name over reloads: an edit of the wording must not hand out a fresh allowance.
      const limit = JSON.stringify(policy.rate_limit);
      const known = limiters.get(name);
      if (known?.limit === limit) return known.limiter;
      const limiter = createLimiter(policy.rate_limit);
      limiters.set(name, { limit, limiter });
      return limiter;
    },
    prepare: (skill) => executors.prepare(skill),
    secret,
    learn: (snapshot) => {
      for (const { contract } of snapshot.skills) {
        for (const { env, name } of contract.secrets) values.add(secret(env, name) ?? '');
      }
      redactor = createRedactor(values);
      options.store.conceal([...values]);
    },
    invoke: (invocation) => options.invoke(invocation),
    changed: () => options.changed(),
    close: () => executors.close(),
  };
}

function remember<Value>(known: WeakMap<Skill, Value>, skill: Skill, make: () => Value): Value {
  let value = known.get(skill);
  if (value === undefined) known.set(skill, (value = make()));
  return value;
}
