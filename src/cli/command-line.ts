import type { JsonObject } from '../base/json.ts';

/** The command line that makes this call, quoted for a POSIX shell. */
export function commandLine(skill: string, params: JsonObject): string {
  const quoted = JSON.stringify(params).replaceAll("'", String.raw`'\''`);
  return `skillwright call ${skill} '${quoted}'`;
}
