import type { Json } from '../base/json.ts';

/** A value as JSON, its rough size in characters, and what had to be changed. */
export interface JsonForm {
  readonly value: Json;
  readonly size: number;
  readonly notes: readonly string[];
}

const MAX_DEPTH = 200;
const NONE: readonly string[] = [];

/**
 * Any value a body can return as JSON, never failing: what is JSON already comes back as the same object;
 * cycles are marked, BigInt becomes text, Map, Set, Date, Error and bytes their usual JSON, undefined null.
 */
export function toJson(value: unknown): JsonForm {
  const size = measure(value, 0);
  if (size >= 0) return { value: value as Json, size, notes: NONE };
  const notes = new Set<string>();
  const json = convert(value, [], notes);
  return { value: json, size: Math.abs(measure(json, 0)), notes: [...notes] };
}

/** Characters of JSON, roughly; negative when the value is not plain JSON all through. */
function measure(value: unknown, depth: number): number {
  switch (typeof value) {
    case 'string':
      return value.length + 3;
    case 'number':
      return Number.isFinite(value) ? 8 : -1;
    case 'boolean':
      return 6;
    case 'object':
      break;
    default:
      return -1;
  }
  if (value === null) return 5;
  if (depth > MAX_DEPTH) return -1;
  let size = 2;
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length; index++) {
      const part = measure(value[index], depth + 1);
      if (part < 0) return -1;
      size += part;
    }
    return size;
  }
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) return -1;
  const members = value as Record<string, unknown>;
  // Twice as fast as walking Object.keys; an inherited member can only be one that someone put on Object.prototype.
  for (const key in members) {
    const part = measure(members[key], depth + 1);
    if (part < 0) return -1;
    size += part + key.length + 3;
  }
  return size;
}

function convert(value: unknown, parents: readonly unknown[], notes: Set<string>): Json {
  if (typeof value === 'bigint') return value.toString();
  if (typeof value === 'number' && !Number.isFinite(value)) {
    notes.add('A number that JSON cannot carry was given as null.');
    return null;
  }
  if (value === undefined || typeof value === 'function' || typeof value === 'symbol') {
    if (parents.length > 0 || value !== undefined)
      notes.add('A value that JSON cannot carry was given as null.');
    return null;
  }
  if (typeof value !== 'object' || value === null) return value as Json;
  if (parents.includes(value) || parents.length > MAX_DEPTH) {
    notes.add('A circular or too deep part of the result was left out.');
    return parents.includes(value) ? '[circular]' : '[too deep]';
  }
  const inside = [...parents, value];
  if (value instanceof Error) return { error: value.message };
  if (value instanceof Uint8Array) return Buffer.from(value).toString('base64');
  if (value instanceof Map) {
    const entries = Array.from(value, ([key, item]: [unknown, unknown]) => [
      typeof key === 'string' ? key : JSON.stringify(convert(key, inside, notes)),
      item,
    ]);
    return convert(Object.fromEntries(entries), inside, notes);
  }
  if (value instanceof Set) return convert([...value], inside, notes);
  // Not map: it would leave holes where JSON has null.
  if (Array.isArray(value))
    return Array.from(value, (item: unknown) => convert(item, inside, notes));
  if ('toJSON' in value && typeof value.toJSON === 'function')
    return convert(
      safely(() => (value.toJSON as () => unknown)()),
      inside,
      notes,
    );
  const result: { [key: string]: Json } = {};
  for (const key of Object.keys(value)) {
    const child = safely(() => (value as Record<string, unknown>)[key]);
    // As in JSON.stringify, a member that is undefined or a function is simply not there.
    if (child !== undefined && typeof child !== 'function')
      result[key] = convert(child, inside, notes);
  }
  return result;
}

function safely(read: () => unknown): unknown {
  try {
    return read();
  } catch {
    return null;
  }
}
