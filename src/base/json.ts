/** Any value JSON can carry. */
export type Json = null | boolean | number | string | Json[] | JsonObject;

/** A JSON object; keys are own properties only. */
export interface JsonObject {
  [key: string]: Json;
}

/** True for an object literal or anything JSON.parse returns for `{...}`; false for arrays, null and class instances. */
export function isPlainObject(value: unknown): value is Record<string, unknown> {
  if (typeof value !== 'object' || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

/** True when the key is an own property, whatever the object inherits or shadows. */
export function has(object: object, key: string): boolean {
  return Object.hasOwn(object, key);
}

/**
 * Parses JSON text and removes every `__proto__` key, which no contract can declare and which
 * assignment would turn into a prototype. Throws SyntaxError like JSON.parse.
 */
export function parseJson(text: string): Json {
  const value = JSON.parse(text) as Json;
  // An escaped spelling (any \u005f) must not slip past, so both forms lead to the slow walk.
  if (text.includes('__proto__') || text.includes('\\u')) dropProto(value);
  return value;
}

/** `parseJson` that keeps whole numbers beyond 2^53 as text instead of rounding them; white space around is no matter. */
export function parseExact(text: string): Json {
  const trimmed = text.trim();
  if (!/\d{16}/.test(trimmed)) return parseJson(trimmed);
  const exact = JSON.parse(trimmed, (_key, value: Json, context?: { source?: string }) => {
    const source = context?.source;
    const rounded =
      typeof value === 'number' &&
      !Number.isSafeInteger(value) &&
      source !== undefined &&
      /^-?\d+$/.test(source);
    return rounded ? source : value;
  }) as Json;
  if (trimmed.includes('__proto__') || trimmed.includes('\\u')) dropProto(exact);
  return exact;
}

function dropProto(root: Json): void {
  const open: Json[] = [root];
  while (open.length > 0) {
    const value = open.pop() as Json;
    if (typeof value !== 'object' || value === null) continue;
    if (!Array.isArray(value) && has(value, '__proto__')) delete value['__proto__'];
    for (const child of Object.values(value)) open.push(child);
  }
}

/** JSON text with keys sorted at every level, so that equal values give equal text (after RFC 8785, numbers as JSON.stringify writes them). */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  if (typeof value === 'object' && value !== null) {
    const entries = Object.entries(value as Record<string, unknown>)
      .filter(([, child]) => child !== undefined)
      .sort(([left], [right]) => (left < right ? -1 : 1));
    return `{${entries.map(([key, child]) => `${JSON.stringify(key)}:${canonicalJson(child)}`).join(',')}}`;
  }
  return JSON.stringify(value) ?? 'null';
}
