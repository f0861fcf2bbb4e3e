import type { Outcome } from '../contract/outcome.ts';
import { fail } from '../contract/outcome.ts';
import { ToolError } from '../contract/tool-error.ts';
import type { Skill } from '../registry/skill.ts';

/**
 * Anything a body can throw as one coded failure. A ToolError speaks for itself, with the flag its
 * contract declares; of anything else only the message is shown, redacted further out.
 */
export function toFailure(thrown: unknown, { contract }: Skill): Outcome & { ok: false } {
  if (ToolError.is(thrown)) {
    const reason = thrown.details?.['reason'];
    const declared = contract.errors.find(
      (row) => row.code === thrown.code && (row.reason === undefined || row.reason === reason),
    );
    return fail(thrown.code, thrown.message || declared?.message || thrown.code, {
      details: thrown.details,
      retryable: declared?.retryable ?? thrown.retryable,
      cause: thrown.cause ?? thrown,
    });
  }
  return fail(
    'EXECUTION_ERROR',
    `${contract.name} failed: ${messageOf(thrown)}. Try another way, or report it to the owner of the skill.`,
    {
      cause: thrown,
    },
  );
}

function messageOf(thrown: unknown): string {
  try {
    const message =
      thrown instanceof Error ? thrown.message : typeof thrown === 'string' ? thrown : '';
    // One line and no stack: the rest is in the trace.
    const line =
      message
        .split('\n', 1)[0]
        ?.trim()
        .slice(0, 500)
        .replace(/[.!]+$/, '') ?? '';
    return line === '' ? 'it gave no reason' : line;
  } catch {
    return 'it gave no reason';
  }
}
