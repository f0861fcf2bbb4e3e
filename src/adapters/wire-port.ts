import type { JsonObject } from '../base/json.ts';
import type { ToolCall } from './tool-call.ts';

/** What a call came to, as the model is to read it. */
export interface CallResult {
  readonly call: ToolCall;
  /** JSON text, or text as the skill gave it; of a failure what went wrong and what to do. */
  readonly text: string;
  readonly error: boolean;
}

/** How one vendor's replies hold calls, and how its history holds what they came to. Pure. */
export interface Wire {
  /** The calls of a reply, in the order in which they were made; of the whole answer or of its message alone. */
  calls(reply: unknown): readonly ToolCall[];
  /**
   * What is added to the history: the model's turn, untouched but for arguments that nobody could read, and
   * every result of it in one message where the vendor has that, in the order of the calls.
   */
  messages(reply: unknown, results: readonly CallResult[]): readonly JsonObject[];
}
