/** One call as a model made it, before anything of it is believed. */
export interface ToolCall {
  /** The vendor's; empty where it has none. */
  readonly id: string;
  readonly name: string;
  /** Text or an object, as sent. */
  readonly arguments: unknown;
  /** False when the reply was cut off, so that the call may be half of itself. */
  readonly complete: boolean;
}
