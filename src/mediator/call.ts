import type { JsonObject } from '../base/json.ts';
import type { Skill } from '../registry/skill.ts';
import type { Snapshot } from '../registry/snapshot.ts';

/** How a call runs once the caller's options, the skill's policy and the defaults are merged. Times in ms. */
export interface EffectiveOptions {
  readonly timeout: number;
  readonly retries: number;
  readonly retryDelay: number;
  readonly format: 'json' | 'raw';
  readonly deadline: number;
}

/** What a call shares with the others of its conversation. */
export interface CallSession {
  readonly conversation: string;
  readonly caller: { readonly id: string; readonly permissions: readonly string[] };
  readonly readOnly: boolean;
  /** The current turn; replaced whole by the next. */
  turn: Turn;
}

/** One user request and what was done under it. */
export interface Turn {
  readonly number: number;
  readonly readOnly: boolean;
  /** Writes dispatched since the turn began. */
  writes: number;
}

/** One run of a body, as the stages see it. */
export interface Attempted {
  /** The run itself, while it is under way; settles whatever becomes of the call. */
  readonly running: Promise<unknown> | undefined;
  /** True when an abort ends the run within milliseconds. */
  readonly stops: boolean;
  readonly aborted: boolean;
  /** Tells the body to stop; harmless when repeated. */
  abort(reason: Error): void;
}

/** One call on its way through the stages; each stage may fill in what is its own to decide. */
export interface Call {
  readonly skill: Skill;
  readonly snapshot: Snapshot;
  readonly session: CallSession;
  /** The turn in which the call began. */
  readonly turn: Turn;
  readonly options: EffectiveOptions;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentId: string | null;
  /** Monotonic ms. */
  readonly startedAt: number;
  /** Unix ms. */
  readonly at: number;
  /** Monotonic ms when its outcome was there; `startedAt` before. */
  endedAt: number;
  /** Monotonic ms at which everything must have ended. */
  deadlineAt: number;
  /** The caller's own cancellation. */
  readonly signal: AbortSignal | undefined;
  readonly onProgress:
    | ((progress: { done: number; total?: number; message?: string }) => void)
    | undefined;
  /** True for a compensation: it must run, whatever budgets say. */
  readonly compensating: boolean;
  /** The idempotency key: the same for every attempt, different for every step. */
  readonly key: string;
  /** As given, then cleaned, then checked. */
  params: JsonObject;
  /** True when the parameters are known to be clean and valid in their structure. */
  sound: boolean;
  /** Text of the effective parameters; set before dispatch. */
  paramsText: string;
  warnings: string[] | undefined;
  attempts: number;
  /** The attempt under way. */
  current: Attempted | undefined;
  /** Lets go of the alarm that the call is waiting on; called when it is over for its caller. */
  wake: (() => void) | undefined;
  /** Judges the attempt under way, whose end nobody waits for any more; called when the call is over before it. */
  overtaken: (() => void) | undefined;
  /** Set once the call is over for its caller, by deadline or cancellation: nothing new may start. */
  over: boolean;
}
