import type { Json } from '../base/json.ts';
import { MAX_OUTPUT } from './output-limit.ts';

/** A value as JSON, its rough size in characters, and what had to be changed. */
export interface JsonForm {
  readonly value: Json;
  readonly size: number;
  readonly notes: readonly string[];
}

const MAX_DEPTH = 200;
const NONE: readonly string[] = [];

// What `measure` says of values that are no plain JSON all through, and of those that are too large.
const OTHER = -1;
const TOO_LARGE = -2;

/**
 * Any value a body can return as JSON, never failing: what is JSON already comes back as the same object;
 * cycles are marked, BigInt becomes text, Map, Set, Date, Error and bytes their usual JSON, undefined null.
 * Undefined when it has more than 16 Mi characters.
 */
export function toJson(value: unknown): JsonForm | undefined {
  const size = safely(() => measure(value, 0), OTHER);
  if (size === TOO_LARGE) return undefined;
  if (size !== OTHER) return { value: value as Json, size, notes: NONE };
  const conversion = new Conversion();
  const json = conversion.convert(value, []);
  return conversion.room < 0
    ? undefined
    : { value: json, size: MAX_OUTPUT - conversion.room, notes: [...conversion.notes] };
}

/** Characters of JSON, roughly. */
function measure(value: unknown, depth: number): number {
  switch (typeof value) {
    case 'string':
      return value.length > MAX_OUTPUT ? TOO_LARGE : value.length + 3;
    case 'number':
      return Number.isFinite(value) ? 8 : OTHER;
    case 'boolean':
      return 6;
    case 'object':
      break;
    default:
      return OTHER;
  }
  if (value === null) return 5;
  if (depth > MAX_DEPTH) return OTHER;
  let size = 2;
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length; index++) {
      const part = measure(value[index], depth + 1);
      if (part < 0) return part;
      if ((size += part) > MAX_OUTPUT) return TOO_LARGE;
    }
    return size;
  }
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) return OTHER;
  const members = value as Record<string, unknown>;
  // Twice as fast as walking Object.keys; an inherited member can only be one that someone put on Object.prototype.
  for (const key in members) {
    const part = measure(members[key], depth + 1);
    if (part < 0) return part;
    if ((size += part + key.length + 3) > MAX_OUTPUT) return TOO_LARGE;
  }
  return size;
}

class Conversion {
  readonly notes = new Set<string>();
  /** Characters left; negative once there was too much. */
  room = MAX_OUTPUT;

  convert(value: unknown, parents: readonly unknown[]): Json {
    this.room -= typeof value === 'string' ? value.length + 3 : 8;
    if (this.room < 0) return null;
    switch (typeof value) {
      case 'string':
      case 'boolean':
        return value;
      case 'bigint':
        return this.convert(value.toString(), parents);
      case 'number':
        return Number.isFinite(value) ? value : this.#lost();
      case 'object':
        return value === null ? null : this.#enter(value, parents);
      default:
        return value === undefined && parents.length === 0 ? null : this.#lost();
    }
  }

  #lost(): null {
    this.notes.add('A value that JSON cannot carry was given as null.');
    return null;
  }

  #enter(value: object, parents: readonly unknown[]): Json {
    const circular = parents.includes(value);
    if (circular || parents.length > MAX_DEPTH) {
      this.notes.add('A circular or too deep part of the result was left out.');
      return circular ? '[circular]' : '[too deep]';
    }
    try {
      return this.#object(value, [...parents, value]);
    } catch {
      // A getter, a toJSON or a proxy that throws.
      this.notes.add('A value that could not be read was given as null.');
      return null;
    }
  }

  #object(value: object, inside: readonly unknown[]): Json {
    if (Array.isArray(value)) return this.#list(value, inside);
    if (value instanceof Error) return { error: this.convert(value.message, inside) };
    if (value instanceof Uint8Array)
      return this.convert(Buffer.from(value).toString('base64'), inside);
    if (ArrayBuffer.isView(value) && !(value instanceof DataView))
      return this.#list(value as unknown as ArrayLike<unknown>, inside);
    if (value instanceof Map) return this.#members(value, inside);
    if (value instanceof Set) return this.#list([...value], inside);
    if (value instanceof Date && Number.isNaN(value.getTime())) return this.#lost();
    if ('toJSON' in value && typeof value.toJSON === 'function')
      return this.convert((value.toJSON as () => unknown)(), inside);
    return this.#members(Object.entries(value), inside);
  }

  // Not map: it would leave holes where JSON has null.
  #list(items: ArrayLike<unknown>, inside: readonly unknown[]): Json[] {
    const list: Json[] = [];
    for (let index = 0; index < items.length && this.room >= 0; index++)
      list.push(this.convert(items[index], inside));
    return list;
  }

  #members(entries: Iterable<readonly [unknown, unknown]>, inside: readonly unknown[]): Json {
    const members: (readonly [string, Json])[] = [];
    for (const [key, child] of entries) {
      if (this.room < 0) break;
      // As in JSON.stringify, a member that is undefined or a function is simply not there.
      if (child === undefined || typeof child === 'function') continue;
      const name = typeof key === 'string' ? key : JSON.stringify(this.convert(key, inside));
      this.room -= name.length + 3;
      members.push([name, this.convert(child, inside)]);
    }
    return Object.fromEntries(members);
  }
}

function safely<Value>(read: () => Value, otherwise: Value): Value {
  try {
    return read();
  } catch {
    return otherwise;
  }
}
