import type { ErrorCode } from '../contract/error.ts';

/** What an HTTP status says about a call. */
export interface StatusCode {
  readonly code: ErrorCode;
  /** Whether another attempt may help. */
  readonly retryable: boolean;
  readonly reason?: string;
}

/** The error an HTTP status outside 2xx stands for (RFC 9110 section 15; 425 RFC 8470, 429 RFC 6585). */
export function codeForStatus(status: number): StatusCode {
  switch (status) {
    case 400:
    case 422:
      return { code: 'INVALID_PARAMS', retryable: false };
    case 401:
    case 403:
      return { code: 'UNAUTHORISED', retryable: false };
    case 404:
    case 410:
      return { code: 'NOT_FOUND', retryable: false };
    case 409:
    case 412:
      return { code: 'EXECUTION_ERROR', retryable: false, reason: 'conflict' };
    case 408:
    case 425:
      return { code: 'UPSTREAM_ERROR', retryable: true };
    case 429:
      return { code: 'RATE_LIMITED', retryable: true };
    default:
      if (status >= 500) return { code: 'UPSTREAM_ERROR', retryable: true };
      if (status >= 300 && status < 400)
        return { code: 'EXECUTION_ERROR', retryable: false, reason: 'redirect' };
      return { code: 'EXECUTION_ERROR', retryable: false };
  }
}
