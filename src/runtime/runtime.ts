import type { Json, JsonObject } from '../base/json.ts';
import type {
  CallRequest,
  DiscoverEnvelope,
  DiscoverRequest,
  Envelope,
  ToolDescription,
} from '../contract/envelope.ts';
import type { Compiled } from '../adapters/compile.ts';
import type { ToolCall } from '../adapters/tool-call.ts';
import type { SerialisedError } from '../contract/tool-error.ts';
import type { Problem, Snapshot } from '../registry/snapshot.ts';
import type { Skill } from '../registry/skill.ts';
import type { CallRow } from '../contract/call-row.ts';

/** Who calls, and what they may do: `*` anything, `task:*` all of one family, `task:write` one. */
export interface Caller {
  readonly id: string;
  readonly permissions: readonly string[];
}

/** How a session begins. */
export interface SessionOptions {
  readonly caller?: Caller;
  /** The conversation's id, to find its calls by; a new one when absent. */
  readonly conversation?: string;
  /** `read-only` refuses every write in this session. Default `read-write`. */
  readonly mode?: 'read-write' | 'read-only';
}

/** How one user request begins. */
export interface TurnOptions {
  /** What the user said. */
  readonly text?: string;
  /** Refuses every write until the next turn. */
  readonly readOnly?: boolean;
}

/** What a caller may hand in beside the envelope. */
export interface CallControl {
  /** Aborting it cancels the call: the body is stopped and the envelope says so. */
  readonly signal?: AbortSignal;
  /** W3C trace id of the caller's own trace; a new one when absent. */
  readonly traceId?: string;
  onProgress?(progress: Progress): void;
}

/** How far a call is. */
export interface Progress {
  readonly done: number;
  readonly total?: number;
  readonly message?: string;
}

/** Which skills to show a model. */
export interface ToolsOptions {
  /** By name; every skill the session may call when absent. */
  readonly skills?: readonly string[];
  /** At most so many, in order of name. */
  readonly limit?: number;
  /** True when the list is asked for once: the tool that reads long results on is in it from the start. Default false. */
  readonly fixed?: boolean;
  /** Loaded only when searched for, where the vendor knows that. Default false. */
  readonly deferred?: boolean;
}

/** How the calls of a reply are run. */
export interface DispatchOptions {
  /** Aborting it cancels what runs. */
  readonly signal?: AbortSignal;
  /** False runs one call after the other. Default true: reads together, each write alone and in its place. */
  readonly parallel?: boolean;
  /** Calls that are refused, by id, and why: the model is told. */
  readonly denied?: Readonly<Record<string, string>>;
  /**
   * Digests that `preview` gave, by id: a call runs only if it would still be exactly that, and what has none
   * does not run. Absent, nothing is asked.
   */
  readonly approved?: Readonly<Record<string, string>>;
  /** Names one decision: with a ticket that was used before nothing runs. Remembered by the store. */
  readonly ticket?: string;
  /** Said to the model behind every result. */
  readonly remark?: string;
}

/** A call as it would run: what a person is shown, and what a decision is bound to. */
export interface PreviewedCall {
  /** As the vendor gave it; its place is added where it gave none, or the same twice. */
  readonly id: string;
  readonly skill: string;
  readonly version: string;
  readonly effect: 'none' | 'read' | 'write';
  /** Cleaned, defaults filled in; what the contract marks as sensitive is not shown. */
  readonly params: JsonObject;
  /** SHA-256 of skill, version, contract, flow, effective parameters and caller. */
  readonly digest: string;
}

/** One call of a reply and what it came to. */
export interface DispatchedCall {
  readonly call: ToolCall;
  /** Undefined when it names none. */
  readonly skill: string | undefined;
  /** Undefined for a page of an earlier result. */
  readonly envelope: Envelope | undefined;
}

/** What a reply's calls came to. */
export interface Dispatch {
  /** To be added to the history, in the vendor's form: the model's turn, then every result in order. */
  readonly messages: readonly JsonObject[];
  readonly outcomes: readonly DispatchedCall[];
}

/** What one agent conversation holds. */
export interface Session {
  readonly conversation: string;
  readonly caller: Caller;
  /** A new user request: resets consecutive writes. */
  beginTurn(options?: TurnOptions): void;
  /** Runs one call; never rejects, never hangs. */
  call(request: CallRequest, control?: CallControl): Promise<Envelope>;
  /** What this session may see; executes nothing. */
  discover(request?: DiscoverRequest): DiscoverEnvelope;
  /** The skills this session may call: permitted, healthy, and reads only in a read-only session; in stable order. */
  skills(): readonly Skill[];
  /** The skills as tools of a vendor (`DIALECT_IDS`), ready to be sent. Throws TypeError for a dialect that does not exist. */
  toolsFor(dialect: string, options?: ToolsOptions): Compiled;
  /**
   * Runs every call of a vendor's reply and gives the messages to add to its history. A call that cannot be
   * read or fails becomes a result that says so, and never loses the others. Rejects only for a dialect that
   * does not exist.
   */
  dispatch(dialect: string, reply: unknown, options?: DispatchOptions): Promise<Dispatch>;
  /** The calls of a reply that can be made, as they would run; executes nothing. */
  preview(dialect: string, reply: unknown): readonly PreviewedCall[];
  /** Lines for the system prompt that go with the tools. */
  instructions(dialect: string): string;
  /** Changes whenever `skills()` would. Sessions with equal caller permissions and mode share it. */
  readonly revision: string;
}

/** What `validateSkill` found: the parameters as they would run, or what is wrong with them. */
export type Validation =
  | { readonly valid: true; readonly params: JsonObject; readonly warnings: readonly string[] }
  | { readonly valid: false; readonly error: SerialisedError };

/** One node of a call's tree: the call or a step, with its own steps under it in order of start. */
export interface TraceNode extends CallRow {
  readonly steps: readonly TraceNode[];
}

/** A running library. */
export interface Runtime {
  /** The library as it stands: its skills, its problems. Swapped whole on a reload. */
  readonly snapshot: Snapshot;
  /** Absolute folder of the library; undefined when its skills are defined in code. */
  readonly libraryRoot: string | undefined;
  /** Absolute folder of its working files. */
  readonly dataDir: string;
  openSession(options?: SessionOptions): Promise<Session>;
  /** Every healthy skill. */
  listSkills(): readonly ToolDescription[];
  /** One call in a session of its own, with every permission unless a caller is given. */
  runSkill(id: string, params?: JsonObject, options?: CallRequest['options']): Promise<Envelope>;
  /** Cleans and checks parameters without executing; the skill's own `check` runs too. */
  validateSkill(id: string, params: JsonObject): Promise<Validation>;
  /** The tree of steps of a finished call; undefined when nothing is known under that trace id. */
  trace(traceId: string): Promise<TraceNode | undefined>;
  /** Reads the sources again; what is running keeps the snapshot it began with. */
  reload(): Promise<readonly Problem[]>;
  /** Calls `listener` whenever what can be called has changed; returns how to stop. */
  onChange(listener: () => void): () => void;
  /** The skill's state for operators: breaker and limits. */
  health(name: string): Json;
  /** Waits for what is running, writes everything down and ends every process it started. */
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}
