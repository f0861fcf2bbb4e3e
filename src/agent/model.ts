import type { JsonObject } from '../base/json.ts';

/** What a model is asked: the history is in its vendor's own form, so that nothing in it is lost on the way. */
export interface ModelRequest {
  /** Lines for the system prompt. */
  readonly instructions: string;
  readonly messages: readonly JsonObject[];
  readonly tools: readonly JsonObject[];
  /** False where the vendor can be told to make one call at a time. */
  readonly parallel: boolean;
  readonly signal: AbortSignal | undefined;
  /** Hears the text as it comes; a model that cannot stream says it at the end. */
  readonly onText: ((text: string) => void) | undefined;
}

/** How a reply ended: with words, calls, cut off, refused by the vendor, or to be continued. */
export type Finish = 'stop' | 'calls' | 'cut' | 'refused' | 'pause';

/** One reply of a model. */
export interface ModelReply {
  /** In the vendor's form, as a wire reads it. */
  readonly reply: unknown;
  readonly text: string;
  readonly finish: Finish;
  /** Tokens, where the vendor says so. */
  readonly usage?: { readonly input: number; readonly output: number };
}

/** A model behind whichever SDK (port). `send` may reject; an error with `status` and `headers` is judged by them. */
export interface Model {
  /** One of `DIALECT_IDS`. */
  readonly dialect: string;
  /** A user's words as a message of its history. */
  userMessage(text: string): JsonObject;
  send(request: ModelRequest): Promise<ModelReply>;
}
