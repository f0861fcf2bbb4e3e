import type { JsonObject } from '../base/json.ts';
import { ERROR_CODES, type ErrorCode } from './error.ts';

/** Why a call failed, as the stages pass it on; `cause` stays in the trace. */
export interface Failure {
  readonly code: ErrorCode;
  readonly message: string;
  readonly details?: JsonObject | undefined;
  readonly retryable: boolean;
  readonly cause?: unknown;
}

/** What a stage hands back: it never throws across its border. `stale` marks a fallback's value. */
export type Outcome =
  | { readonly ok: true; readonly value: unknown; readonly stale?: boolean }
  | { readonly ok: false; readonly error: Failure };

/** A failed outcome; `retryable` is the code's own flag unless given. */
export function fail(
  code: ErrorCode,
  message: string,
  options: {
    readonly details?: JsonObject | undefined;
    readonly retryable?: boolean | undefined;
    readonly cause?: unknown;
  } = {},
): Outcome & { readonly ok: false } {
  const { details, cause, retryable = ERROR_CODES[code].retryable } = options;
  return { ok: false, error: { code, message, details, retryable, cause } };
}
