import type { JsonObject } from '../base/json.ts';
import { ERROR_CODES, isErrorCode, type ErrorCode } from './error.ts';

const BRAND = Symbol.for('skillwright.ToolError');

/** What a `ToolError` may carry beside its code and message. */
export interface ToolErrorOptions {
  /** Machine-readable facts the caller may see; `reason` refines the code. */
  readonly details?: JsonObject;
  /** Whether another attempt may help; the code's own flag when absent. */
  readonly retryable?: boolean;
  /** What went wrong underneath; kept for the trace, never serialised. */
  readonly cause?: unknown;
}

/** The one form in which an error leaves the system. */
export interface SerialisedError {
  readonly code: ErrorCode;
  readonly message: string;
  readonly details?: JsonObject;
}

/**
 * A coded failure a skill's body throws on purpose: its message and details reach the model, so they
 * say what to do next and hold no secret. Throws TypeError on a code outside the closed set.
 */
export class ToolError extends Error {
  override readonly name = 'ToolError';
  readonly code: ErrorCode;
  readonly details: JsonObject | undefined;
  readonly retryable: boolean;
  readonly [BRAND] = true;

  constructor(code: ErrorCode, message: string, options: ToolErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    if (!isErrorCode(code)) {
      throw new TypeError(
        `${String(code)} is not an error code; use one of ${Object.keys(ERROR_CODES).join(', ')}.`,
      );
    }
    this.code = code;
    this.details = options.details;
    this.retryable = options.retryable ?? ERROR_CODES[code].retryable;
  }

  /** True for a ToolError of this or any other copy of the package. */
  static is(value: unknown): value is ToolError {
    return typeof value === 'object' && value !== null && BRAND in value;
  }

  toJSON(): SerialisedError {
    return {
      code: this.code,
      message: this.message,
      ...(this.details === undefined ? {} : { details: this.details }),
    };
  }
}
