import { ToolError } from '../contract/tool-error.ts';

/** The failure of a call that comes when its executor is closed, or is cut off by that. */
export function closedFailure(): ToolError {
  return new ToolError(
    'EXECUTION_ERROR',
    'The library is being closed. Call again when it is back.',
    {
      details: { reason: 'closed' },
      retryable: false,
    },
  );
}
