import { isPlainObject, type JsonObject } from '../base/json.ts';
import { isErrorCode } from '../contract/error.ts';
import { ToolError, type ToolErrorOptions } from '../contract/tool-error.ts';
import type { Ending } from './process-group.ts';

/**
 * The failure a program reports as `{code, message, details?, retryable?}`. A code outside the closed
 * set becomes EXECUTION_ERROR with that code as its reason.
 */
export function reportedFailure(error: unknown, cause?: string): ToolError {
  const report = isPlainObject(error) ? error : { message: error };
  const { code, message, details, retryable } = report;
  const known = isErrorCode(code);
  const own = isPlainObject(details) ? (details as JsonObject) : undefined;
  const facts = known || typeof code !== 'string' ? own : { reason: code, ...own };
  const options: ToolErrorOptions = {
    ...(facts === undefined ? {} : { details: facts }),
    ...(typeof retryable === 'boolean' ? { retryable } : {}),
    cause,
  };
  const text =
    typeof message === 'string' && message !== ''
      ? message
      : 'The skill reported an error without saying which.';
  return new ToolError(known ? code : 'EXECUTION_ERROR', text, options);
}

/** The failure of a program that ended without an answer; what it said on stderr is kept as the cause only. */
export function endedFailure(program: string, ending: Ending, stderr?: string): ToolError {
  if (ending.error !== undefined) return startFailure(program, ending.error);
  const how =
    ending.signal === null
      ? `ended with exit status ${String(ending.status)}`
      : `was ended by ${ending.signal}`;
  return new ToolError(
    'EXECUTION_ERROR',
    `The program of the skill ${how}. What it wrote on stderr is in the trace, for the owner of the skill.`,
    {
      details: {
        reason: 'program_failed',
        ...(ending.signal === null ? { exit_status: ending.status } : { signal: ending.signal }),
      },
      cause: stderr,
    },
  );
}

function startFailure(program: string, error: NodeJS.ErrnoException): ToolError {
  const name = program.slice(program.lastIndexOf('/') + 1);
  if (error.code === 'ENOENT') {
    return new ToolError(
      'EXECUTION_ERROR',
      `The skill needs the program ${name}, which is not here. Install ${name}, or name another in executor.command.`,
      { details: { reason: 'program_missing', program: name }, retryable: false, cause: error },
    );
  }
  if (error.code === 'EACCES') {
    return new ToolError(
      'EXECUTION_ERROR',
      `The program ${name} may not be executed. Make it executable (chmod +x), or name its interpreter in executor.command.`,
      {
        details: { reason: 'program_not_executable', program: name },
        retryable: false,
        cause: error,
      },
    );
  }
  return new ToolError(
    'EXECUTION_ERROR',
    `The program ${name} could not be started (${error.code ?? 'unknown'}). Try again later.`,
    {
      details: { reason: 'program_not_started', program: name },
      cause: error,
    },
  );
}
