import { isPlainObject, type Json, type JsonObject } from '../base/json.ts';

const STRICTEST: Readonly<Record<string, (left: number, right: number) => number>> = {
  minimum: Math.max,
  exclusiveMinimum: Math.max,
  minLength: Math.max,
  minItems: Math.max,
  minProperties: Math.max,
  maximum: Math.min,
  exclusiveMaximum: Math.min,
  maxLength: Math.min,
  maxItems: Math.min,
  maxProperties: Math.min,
};

/** Two schemas that both hold as one; undefined when that cannot be said without `allOf`. */
export function mergeAll(left: JsonObject, right: JsonObject): JsonObject | undefined {
  const merged: JsonObject = { ...left };
  for (const [key, value] of Object.entries(right)) {
    const old = merged[key];
    if (old === undefined || JSON.stringify(old) === JSON.stringify(value)) merged[key] = value;
    else {
      const both = mergeKeyword(key, old, value);
      if (both === undefined) return undefined;
      merged[key] = both;
    }
  }
  return merged;
}

function mergeKeyword(key: string, left: Json, right: Json): Json | undefined {
  if (key === 'description')
    return [left, right].filter((part) => typeof part === 'string').join(' ');
  if (key === 'title' || key === 'default' || key === 'examples') return left;
  if (key === 'required') return [...new Set([...(left as Json[]), ...(right as Json[])])];
  if (key === 'type') {
    const other = new Set([right].flat());
    const types = [left]
      .flat()
      .filter((type) => other.has(type) || (type === 'integer' && other.has('number')));
    if (types.length === 0) return undefined;
    return types.length === 1 ? types[0] : types;
  }
  if (key === 'enum') {
    const other = new Set((right as Json[]).map((value) => JSON.stringify(value)));
    const values = (left as Json[]).filter((value) => other.has(JSON.stringify(value)));
    return values.length === 0 ? undefined : values;
  }
  if (key === 'additionalProperties') return left === false || right === false ? false : undefined;
  const strictest = STRICTEST[key];
  if (strictest !== undefined && typeof left === 'number' && typeof right === 'number')
    return strictest(left, right);
  if ((key === 'properties' || key === '$defs') && isPlainObject(left) && isPlainObject(right)) {
    const merged: JsonObject = { ...left };
    for (const [name, value] of Object.entries(right)) {
      const old = merged[name];
      const both = isPlainObject(old) && isPlainObject(value) ? mergeAll(old, value) : value;
      if (both === undefined) return undefined;
      merged[name] = both;
    }
    return merged;
  }
  return undefined;
}

/**
 * A union of objects as one object that takes what any branch takes: all their properties, of which those
 * are required that every branch requires. Branches that are no objects are left out.
 */
export function mergeUnion(base: JsonObject, branches: readonly JsonObject[]): JsonObject {
  const objects = branches.filter(
    ({ type }) => type === undefined || [type].flat().includes('object'),
  );
  const properties: Record<string, Json[]> = {};
  for (const part of [base, ...objects]) {
    for (const [name, schema] of Object.entries((part['properties'] ?? {}) as JsonObject)) {
      const known = (properties[name] ??= []);
      if (!known.some((other) => JSON.stringify(other) === JSON.stringify(schema)))
        known.push(schema);
    }
  }
  const [first, ...others] = objects.map(({ required }) => (required ?? []) as string[]);
  const always = (first ?? []).filter((name) => others.every((list) => list.includes(name)));
  const required = [...new Set([...((base['required'] ?? []) as string[]), ...always])];
  const closed = [base, ...objects].some((part) => part['additionalProperties'] === false);
  const open = [base, ...objects].some(
    (part) => part['additionalProperties'] !== undefined && part['additionalProperties'] !== false,
  );
  const { anyOf: _any, oneOf: _one, ...rest } = base;
  return {
    ...rest,
    type: 'object',
    properties: Object.fromEntries(
      Object.entries(properties).map(([name, list]) => [
        name,
        list.length === 1 ? (list[0] as Json) : { anyOf: list },
      ]),
    ),
    ...(required.length > 0 ? { required } : {}),
    ...(closed && !open ? { additionalProperties: false } : {}),
  };
}
