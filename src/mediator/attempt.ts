import { isPlainObject, type Json, type JsonObject } from '../base/json.ts';
import { ToolError } from '../contract/tool-error.ts';
import type { CompositeContext } from '../executors/composite.ts';
import type { Attempted, Call } from './call.ts';
import type { Services } from './services.ts';

/** One run of a body: the context it gets, and the handle by which the stages stop it. */
export class Attempt implements Attempted, CompositeContext {
  readonly attempt: number;
  /** Set by a composite that took a fallback on the way. */
  stale = false;
  /** Set once the run has settled: a body that goes on unseen may call nothing more. */
  ended = false;
  running: Promise<unknown> | undefined;
  stops = false;
  readonly #call: Call;
  readonly #services: Services;
  #controller: AbortController | undefined;
  #abortReason: Error | undefined;
  #invoked = 0;

  constructor(call: Call, services: Services) {
    this.#call = call;
    this.#services = services;
    this.attempt = call.attempts;
  }

  // A controller costs more than the rest of a call, so it is made for the bodies that look at it.
  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      if (this.#abortReason !== undefined) this.#controller.abort(this.#abortReason);
    }
    return this.#controller.signal;
  }

  get aborted(): boolean {
    return this.#abortReason !== undefined;
  }

  get traceId(): string {
    return this.#call.traceId;
  }

  get idempotencyKey(): string {
    return this.#call.key;
  }

  get caller(): { readonly id: string } {
    return { id: this.#call.session.caller.id };
  }

  get settings(): JsonObject {
    return this.#call.skill.settings;
  }

  get dataDir(): string {
    return this.#services.dataDir;
  }

  get secrets(): Readonly<Record<string, string>> {
    const { contract } = this.#call.skill;
    const secrets = {};
    for (const { name, env } of contract.secrets) {
      Object.defineProperty(secrets, name, {
        enumerable: true,
        get: () => {
          const value = this.#services.secret(env, name);
          if (value !== undefined) return value;
          throw new ToolError(
            'UNAUTHORISED',
            `${contract.name} needs a credential that is not set. The operator sets the environment variable ${env}.`,
            {
              details: { reason: 'secret_missing', env },
            },
          );
        },
      });
    }
    return secrets;
  }

  // Getters that hand out closures, so that bodies may take these apart from the context.
  get progress(): CompositeContext['progress'] {
    return (done, total, message) => {
      this.#call.onProgress?.({
        done,
        ...(total === undefined ? {} : { total }),
        ...(message === undefined ? {} : { message }),
      });
    };
  }

  get invoke(): CompositeContext['invoke'] {
    return async (skill, params) => (await this.#invoke(skill, params, false)).value;
  }

  get step(): CompositeContext['step'] {
    return (skill, params) => this.#invoke(skill, params, false);
  }

  get compensate(): CompositeContext['compensate'] {
    return (skill, params) => this.#invoke(skill, params, true);
  }

  markStale(): void {
    this.stale = true;
  }

  abort(reason: Error): void {
    this.#abortReason ??= reason;
    this.#controller?.abort(this.#abortReason);
  }

  async #invoke(
    skill: string,
    params: JsonObject,
    compensating: boolean,
  ): Promise<{ value: Json; stale: boolean }> {
    const call = this.#call;
    if (!isPlainObject(params))
      throw new ToolError(
        'INTERNAL_ERROR',
        `${call.skill.contract.name} called ${skill} with parameters that are not an object.`,
      );
    if (this.ended || (compensating && call.skill.flow === undefined)) {
      throw new ToolError(
        'UNAUTHORISED',
        `${call.skill.contract.name} may not call ${skill} ${this.ended ? 'after it has answered' : 'as a compensation: only a flow may'}.`,
        { details: { reason: this.ended ? 'ended' : 'compensation' } },
      );
    }
    const declared = call.skill.contract.dependencies.some(
      (dependency) => dependency.skill === skill,
    );
    if (!declared) {
      throw new ToolError(
        'UNAUTHORISED',
        `${call.skill.contract.name} may not call ${skill}: its contract does not declare it under dependencies.`,
        {
          details: { reason: 'undeclared_dependency', skill },
        },
      );
    }
    const key = `${call.key}.${++this.#invoked}`;
    const outcome = await this.#services.invoke({
      parent: call,
      skill,
      params,
      key,
      compensating,
      signal: compensating ? undefined : this.signal,
    });
    if (!outcome.ok) {
      const { code, message, details, retryable, cause } = outcome.error;
      throw new ToolError(code, message, {
        retryable,
        cause,
        ...(details === undefined ? {} : { details }),
      });
    }
    const stale = outcome.stale === true;
    if (stale) this.stale = true;
    // The mediator hands on what is JSON only.
    return { value: outcome.value as Json, stale };
  }
}
