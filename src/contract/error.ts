/**
 * The closed set of error codes. `retryable` is whether another attempt may help, `http`, `jsonRpc`
 * and `exit` are how each surface spells the code. Finer grain goes into `details.reason`.
 */
export const ERROR_CODES = {
  TIMEOUT: { retryable: true, http: 504, jsonRpc: -32001, exit: 10 },
  RETRY_EXHAUSTED: { retryable: false, http: 502, jsonRpc: -32002, exit: 11 },
  TOOL_NOT_FOUND: { retryable: false, http: 404, jsonRpc: -32602, exit: 12 },
  INVALID_PARAMS: { retryable: false, http: 400, jsonRpc: -32602, exit: 13 },
  EXECUTION_ERROR: { retryable: true, http: 500, jsonRpc: -32003, exit: 14 },
  PARSE_ERROR: { retryable: false, http: 502, jsonRpc: -32700, exit: 15 },
  NOT_FOUND: { retryable: false, http: 404, jsonRpc: -32004, exit: 16 },
  RATE_LIMITED: { retryable: true, http: 429, jsonRpc: -32005, exit: 17 },
  UPSTREAM_ERROR: { retryable: true, http: 502, jsonRpc: -32006, exit: 18 },
  UNAUTHORISED: { retryable: false, http: 403, jsonRpc: -32007, exit: 19 },
  INTERNAL_ERROR: { retryable: false, http: 500, jsonRpc: -32603, exit: 20 },
} as const;

/** One of the codes of `ERROR_CODES`. */
export type ErrorCode = keyof typeof ERROR_CODES;

/** True when the text is one of the closed set of codes. */
export function isErrorCode(text: unknown): text is ErrorCode {
  return typeof text === 'string' && Object.hasOwn(ERROR_CODES, text);
}
