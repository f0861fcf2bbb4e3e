import type { Json, JsonObject } from '../base/json.ts';
import type { ErrorCode } from './error.ts';
import type { Rule } from './rules.ts';

/** What a skill changes. A contract without one is not exposed; unknown means write. */
export interface SideEffect {
  readonly kind: 'none' | 'read' | 'write';
  /** What is read or changed: `database`, `mail`, `file`, `payment` ... */
  readonly targets?: readonly string[];
  /** True when repeating the call with the same idempotency key changes nothing more. */
  readonly idempotent?: boolean;
  readonly destructive?: boolean;
  /** The skill that undoes this one. */
  readonly reversed_by?: string;
}

/** An error the body throws on purpose: `(code, reason)` identifies it. */
export interface DeclaredError {
  readonly code: ErrorCode;
  readonly reason?: string;
  readonly retryable?: boolean;
  readonly message?: string;
}

/** A credential the body needs; its value comes from the runtime's secrets or the environment, never from the model. */
export interface SecretDeclaration {
  readonly name: string;
  readonly env: string;
  readonly description?: string;
}

/** One call shown to models and people, and run by `skillwright test`. */
export interface Example {
  readonly description: string;
  readonly input: JsonObject;
  readonly output?: Json;
}

/** A skill this one calls, at least in the version named. */
export interface Dependency {
  readonly skill: string;
  readonly minVersion: string;
}

/** Limits and habits of execution; times in ms. The caller's options go before, the defaults after. */
export interface Policy {
  /** For one attempt. Default 5000. */
  readonly timeout?: number;
  /** After the first attempt. Default 3; 0 for composites and for writes that are not idempotent. */
  readonly retries?: number;
  /** Between attempts. Default 1000. */
  readonly retryDelay?: number;
  /** For the whole call, attempts and delays included. Default 4900. */
  readonly deadline?: number;
  readonly rate_limit?: RateLimit;
  readonly breaker?: BreakerPolicy;
  /** Most bytes of JSON a result may have; longer ones are cut at item borders. Default 262144. */
  readonly result_budget?: number;
}

/** Calls allowed per second or minute: never more in any such window (`sliding_window`, default), or with bursts (`token_bucket`). */
export interface RateLimit {
  readonly calls_per_second?: number;
  readonly calls_per_minute?: number;
  readonly algorithm?: 'token_bucket' | 'sliding_window';
}

/** When a skill is taken out: share of failed attempts over a rolling five minutes. */
export interface BreakerPolicy {
  /** 0 to 1. Default 0.5. */
  readonly failure_rate?: number;
  /** Attempts in the window before the rate counts. Default 20. */
  readonly minimum?: number;
  /** Time out of service before one probe call is let through. Default 30000. */
  readonly open_ms?: number;
}

/** What answers when the body cannot: another declared skill or a fixed value. Not for writes. */
export interface Fallback {
  readonly skill?: string;
  /** Parameters for `skill`, with runtime expressions over `$inputs`; the call's own when absent. */
  readonly with?: JsonObject;
  readonly value?: Json;
  /** Also fall back when the body has not answered after this many ms. */
  readonly after?: number;
}

/** How the body runs. `file` and `command` are relative to the skill's folder. */
export type ExecutorSpec =
  | { readonly kind: 'module'; readonly file?: string }
  | {
      readonly kind: 'command';
      readonly command?: readonly string[];
      readonly file?: string;
      /** `once`: a process a call. `pooled`: long-lived workers that read and write one JSON line a call. */
      readonly mode?: 'once' | 'pooled';
      readonly pool_size?: number;
      /** Names of environment variables passed on beside the safe few. */
      readonly environment?: readonly string[];
    }
  | {
      readonly kind: 'http';
      readonly method: string;
      /** May hold `{inputs.x}`, `{settings.x}`; values are percent-encoded. */
      readonly url: string;
      readonly query?: Readonly<Record<string, string>>;
      /** May hold `{secrets.x}` and `{idempotency_key}`. */
      readonly headers?: Readonly<Record<string, string>>;
      /** JSON body with runtime expressions over `$inputs`; the parameters themselves when absent and the method has a body. */
      readonly body?: Json;
      /** JSON pointer to the result in the reply; the whole reply when absent. */
      readonly result?: string;
      readonly redirects?: 'refuse' | 'same-origin';
    }
  | { readonly kind: 'composite'; readonly file?: string };

/** Everything a skill promises; the shape of `schema.json` (with `name` and `description` from SKILL.md when absent). */
export interface Contract {
  readonly name: string;
  readonly version: string;
  readonly title?: string;
  readonly description: string;
  readonly tags: readonly string[];
  /** The intent under which to call. */
  readonly purpose: string;
  readonly preconditions: readonly string[];
  readonly related: readonly string[];
  readonly side_effect: SideEffect;
  /** JSON Schema 2020-12 of an object. */
  readonly parameters: JsonObject;
  /** JSON Schema 2020-12 of the result. */
  readonly returns?: JsonObject;
  /** Business rules across parameters, or the written reason for having none. */
  readonly rules: readonly Rule[] | { readonly none: string };
  /** What models really send -> the declared parameter. */
  readonly aliases: Readonly<Record<string, string>>;
  readonly errors: readonly DeclaredError[];
  readonly secrets: readonly SecretDeclaration[];
  readonly examples: readonly Example[];
  /** How people ask for it. */
  readonly queries: readonly string[];
  readonly dependencies: readonly Dependency[];
  readonly permissions: readonly string[];
  readonly policy: Policy;
  readonly fallback?: Fallback;
  readonly executor: ExecutorSpec;
}
