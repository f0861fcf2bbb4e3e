import type { JsonObject } from '../base/json.ts';

/** What a skill's body gets beside its parameters. */
export interface ExecutionContext {
  /** Aborted when the attempt times out, the deadline strikes or the caller cancels: stop all work then. */
  readonly signal: AbortSignal;
  /** 32 hex digits, the same for every step under one call (W3C Trace Context). */
  readonly traceId: string;
  /** The same for every attempt of one call; send it on with a write. */
  readonly idempotencyKey: string;
  /** 1 for the first attempt. */
  readonly attempt: number;
  readonly caller: { readonly id: string };
  /** Values of the declared secrets by name; reading one that is not set throws a ToolError that says so. */
  readonly secrets: Readonly<Record<string, string>>;
  /** The skill's settings from the library's configuration. */
  readonly settings: JsonObject;
  /** Where the library keeps its working files: an absolute folder that exists. */
  readonly dataDir: string;
  /** Tells the caller how far the work is; `total` in the same unit as `done`. */
  progress(done: number, total?: number, message?: string): void;
  /**
   * Calls a declared dependency through the whole mediator and returns its result.
   * Throws the step's ToolError when it fails, and UNAUTHORISED for a skill that was not declared.
   */
  invoke(skill: string, params: JsonObject): Promise<unknown>;
}

/** A skill's body: takes cleaned, validated parameters and returns the result, or throws. */
export type Execute = (params: never, context: ExecutionContext) => unknown;

/** A broken business rule found by a skill's own check. */
export interface Violation {
  /** JSON pointer of the parameter, `` for the whole. */
  readonly path: string;
  readonly rule: string;
  readonly message: string;
  readonly suggestion?: string;
}

/** A skill's own business check against real systems; returns what is broken, nothing when all is well. */
export type Check = (
  params: never,
  context: ExecutionContext,
) => readonly Violation[] | void | Promise<readonly Violation[] | void>;
