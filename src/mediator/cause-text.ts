import { ToolError } from '../contract/tool-error.ts';

const KEPT = 2_000;

/**
 * What lay behind a failure, for the owner of the skill: the last 2,000 characters that a program said on
 * stderr, or the first 2,000 of an error's stack. Null when the failure says it all. Never throws.
 */
export function causeText(cause: unknown): string | null {
  try {
    if (typeof cause === 'string') return cause.trim().slice(-KEPT);
    // A failure the body meant to give: where it stands in the code tells nothing more.
    if (ToolError.is(cause)) return causeText(cause.cause);
    return cause instanceof Error ? (cause.stack ?? cause.message).slice(0, KEPT) : null;
  } catch {
    return null;
  }
}
