import type { JsonObject } from '../base/json.ts';
import type { Compiled } from '../adapters/compile.ts';
import type { ToolCall } from '../adapters/tool-call.ts';
import type { Envelope } from '../contract/envelope.ts';

/** A call as it would run: what a person is shown, and what a decision is bound to. */
export interface PendingCall {
  readonly id: string;
  readonly skill: string;
  readonly version: string;
  readonly effect: 'none' | 'read' | 'write';
  /** Cleaned, defaults filled in; what the contract marks as sensitive is not shown. */
  readonly params: JsonObject;
  /** SHA-256 of skill, version, contract, flow, effective parameters and caller; once a run has paused, of that pause too. */
  readonly digest: string;
}

/** What an agent needs of a session. */
export interface AgentSession {
  beginTurn(): void;
  toolsFor(dialect: string, options?: { readonly fixed?: boolean }): Compiled;
  instructions(dialect: string): string;
  preview(dialect: string, reply: unknown): readonly PendingCall[];
  dispatch(
    dialect: string,
    reply: unknown,
    options: {
      readonly signal?: AbortSignal;
      readonly parallel: boolean;
      readonly denied?: Readonly<Record<string, string>>;
      readonly approved?: Readonly<Record<string, string>>;
      readonly ticket?: string;
      readonly remark?: string;
    },
  ): Promise<{
    readonly messages: readonly JsonObject[];
    readonly outcomes: readonly {
      readonly call: ToolCall;
      readonly envelope: Envelope | undefined;
    }[];
  }>;
}
