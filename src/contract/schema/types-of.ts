import { isPlainObject, type JsonObject } from '../../base/json.ts';
import { resolvePointer } from './resolve-pointer.ts';

/** A JSON Schema type name. */
export type TypeName = 'string' | 'number' | 'integer' | 'boolean' | 'object' | 'array' | 'null';

const ALL: readonly TypeName[] = [
  'string',
  'number',
  'integer',
  'boolean',
  'object',
  'array',
  'null',
];

/** The schema behind local references; the node itself when there is none. Bounded, so that circles end. */
export function follow(node: unknown, root: JsonObject): Record<string, unknown> | undefined {
  let schema = node;
  for (
    let hops = 0;
    hops < 32 && isPlainObject(schema) && typeof schema['$ref'] === 'string';
    hops++
  ) {
    schema = schema['$ref'] === '#' ? root : resolvePointer(root, schema['$ref'].slice(1));
  }
  return isPlainObject(schema) ? schema : undefined;
}

/** The types a schema allows at most: a value of any other type is surely invalid. */
export function typesOf(node: unknown, root: JsonObject, depth = 0): ReadonlySet<TypeName> {
  const schema = follow(node, root);
  if (schema === undefined || depth > 16) return new Set(ALL);
  let allowed = new Set<TypeName>(ALL);
  const narrow = (types: Iterable<TypeName>): void => {
    allowed = allowed.intersection(new Set(types));
  };
  if (schema['type'] !== undefined) narrow(withInteger([schema['type']].flat() as TypeName[]));
  if (Array.isArray(schema['enum'])) narrow(schema['enum'].flatMap(typesOfValue));
  if (schema['const'] !== undefined) narrow(typesOfValue(schema['const']));
  for (const key of ['anyOf', 'oneOf']) {
    const branches = schema[key];
    if (Array.isArray(branches))
      narrow(branches.flatMap((branch) => [...typesOf(branch, root, depth + 1)]));
  }
  if (Array.isArray(schema['allOf']))
    for (const part of schema['allOf']) narrow(typesOf(part, root, depth + 1));
  return allowed;
}

function withInteger(types: TypeName[]): TypeName[] {
  return types.includes('number') ? [...types, 'integer'] : types;
}

/** The type names a value goes by. */
export function typesOfValue(value: unknown): TypeName[] {
  if (value === null) return ['null'];
  if (Array.isArray(value)) return ['array'];
  if (typeof value === 'number')
    return Number.isInteger(value) ? ['number', 'integer'] : ['number'];
  return [typeof value as TypeName];
}

/** Every schema that speaks about an object's own members: the node, and what it combines, branches included. */
export function partsOf(node: unknown, root: JsonObject): readonly Record<string, unknown>[] {
  const parts = new Set<Record<string, unknown>>();
  const open: unknown[] = [node];
  while (open.length > 0 && parts.size < 256) {
    const next = open.pop();
    if (isPlainObject(next) && typeof next['$ref'] === 'string') {
      // Siblings of a reference count as well (JSON Schema 2020-12, core 8.2.3.1).
      const target = follow(next, root);
      if (target !== undefined && !parts.has(target)) open.push(target);
    }
    if (!isPlainObject(next) || parts.has(next)) continue;
    parts.add(next);
    for (const key of ['allOf', 'anyOf', 'oneOf'])
      if (Array.isArray(next[key])) open.push(...(next[key] as unknown[]));
    for (const key of ['if', 'then', 'else']) if (next[key] !== undefined) open.push(next[key]);
    if (isPlainObject(next['dependentSchemas']))
      open.push(...Object.values(next['dependentSchemas']));
  }
  return [...parts];
}
