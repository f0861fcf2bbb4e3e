import { has, type JsonObject } from '../../base/json.ts';

/** The value a JSON pointer (RFC 6901, percent-encoding tolerated) leads to; undefined when there is none. */
export function resolvePointer(root: unknown, pointer: string): unknown {
  let value = root;
  for (const raw of pointer.split('/').slice(1)) {
    const token = decode(raw).replaceAll('~1', '/').replaceAll('~0', '~');
    if (typeof value !== 'object' || value === null || !has(value, token)) return undefined;
    value = (value as JsonObject)[token];
  }
  return value;
}

function decode(token: string): string {
  try {
    return decodeURIComponent(token);
  } catch {
    return token;
  }
}
