import { isPlainObject, type Json, type JsonObject } from '../../base/json.ts';

/** A value as an object; an empty one when it is none. */
export function objectAt(value: unknown, ...path: readonly (string | number)[]): JsonObject {
  let found = value;
  for (const key of path) {
    found =
      typeof found === 'object' && found !== null
        ? (found as Record<string, unknown>)[key]
        : undefined;
  }
  return typeof found === 'object' && found !== null && !Array.isArray(found)
    ? (found as JsonObject)
    : {};
}

/** The objects of a list; none when it is no list. */
export function objectsIn(value: unknown): readonly JsonObject[] {
  return Array.isArray(value) ? (value.filter((item) => isPlainObject(item)) as JsonObject[]) : [];
}

/** A text; empty when it is none. */
export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** Arguments as the object that a vendor takes back in a history; empty when they are none. */
export function replayableObject(sent: unknown): JsonObject {
  return isPlainObject(sent) ? (sent as JsonObject) : {};
}

/** A name that a vendor takes back in a history: one that the model made up may have any character. */
export function replayableName(name: unknown, longest = 64): string {
  return (
    textOf(name)
      .replaceAll(/[^a-zA-Z0-9_-]/g, '_')
      .slice(0, longest) || '_'
  );
}

/** Argument text that a vendor takes back in a history: as it was, or an empty object when it is no JSON object. */
export function replayable(sent: unknown): Json {
  if (typeof sent !== 'string') return isPlainObject(sent) ? (sent as JsonObject) : '{}';
  try {
    return isPlainObject(JSON.parse(sent)) ? sent : '{}';
  } catch {
    return '{}';
  }
}
