import { ToolError } from '../contract/tool-error.ts';

/** Most bytes of output a body may give in answer to one call. */
export const MAX_OUTPUT = 16 * 1024 * 1024;

/** The failure of a body that answered more than `MAX_OUTPUT`. */
export function tooMuchOutput(): ToolError {
  return new ToolError(
    'EXECUTION_ERROR',
    'The skill gave more than 16 MiB of output and was stopped. Ask for less: narrow the filter or the range.',
    { details: { reason: 'output_too_large' }, retryable: false },
  );
}
