import type { Json, JsonObject } from '../base/json.ts';
import type { SerialisedError } from './tool-error.ts';

/** How a call is to run; what is absent comes from the skill's policy, then from the defaults. Times in ms. */
export interface CallOptions {
  /** For one attempt. Default 5000. */
  readonly timeout?: number;
  /** After the first attempt. Default 3. */
  readonly retries?: number;
  /** Between attempts. Default 1000. */
  readonly retryDelay?: number;
  /** `json` (default) gives the parsed result, `raw` what the body gave, untouched. */
  readonly format?: 'json' | 'raw';
  /** For the whole call. Default 4900. */
  readonly deadline?: number;
}

/** One call of one skill. `toolName` may name a release line: `task.create@1.3`. */
export interface CallRequest {
  readonly toolName: string;
  readonly params?: JsonObject;
  readonly options?: CallOptions;
}

/** Asks what there is; executes nothing. `filter` matches part of a name or a tag, whatever the case. */
export interface DiscoverRequest {
  readonly action: 'discover';
  readonly options?: { readonly filter?: string };
}

/** Facts about a call. */
export interface CallMetadata {
  /** ms, with fractions. */
  readonly duration: number;
  /** 0 when nothing was executed. */
  readonly attempts: number;
  readonly toolName: string;
  /** ISO 8601 UTC, when the call began. */
  readonly timestamp: string;
  readonly version?: string;
  readonly traceId: string;
  /** What was changed in the parameters or cut from the result. */
  readonly warnings?: readonly string[];
  /** True when a fallback answered. */
  readonly stale?: boolean;
}

/** The answer to a call: it worked, or it did not and says why. */
export type Envelope =
  | { readonly success: true; readonly result: unknown; readonly metadata: CallMetadata }
  | {
      readonly success: false;
      readonly result: null;
      readonly error: SerialisedError;
      readonly metadata: CallMetadata;
    };

/** What discovery says of a skill. */
export interface ToolDescription {
  readonly name: string;
  readonly description: string;
  readonly paramsSchema: JsonObject;
  readonly metadata: {
    readonly version: string;
    readonly title?: string;
    readonly tags: readonly string[];
    readonly purpose: string;
    readonly side_effect: Json;
    readonly permissions: readonly string[];
    readonly examples: Json;
  };
}

/** The answer to a discovery: what there is, or what is wrong with the question. */
export type DiscoverEnvelope =
  | {
      readonly success: true;
      readonly result: { readonly tools: readonly ToolDescription[] };
      readonly metadata: DiscoverMetadata;
    }
  | {
      readonly success: false;
      readonly result: null;
      readonly error: SerialisedError;
      readonly metadata: DiscoverMetadata;
    };

/** Facts about a discovery. */
export interface DiscoverMetadata {
  /** ms, with fractions. */
  readonly duration: number;
  readonly total: number;
}
