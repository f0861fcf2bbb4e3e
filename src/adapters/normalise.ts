import { isPlainObject, type Json, type JsonObject } from '../base/json.ts';

const NODE = new Set([
  'additionalProperties',
  'items',
  'contains',
  'propertyNames',
  'not',
  'if',
  'then',
  'else',
  'unevaluatedProperties',
  'unevaluatedItems',
]);
const NODES = new Set(['allOf', 'anyOf', 'oneOf', 'prefixItems']);
const NAMED = new Set(['properties', 'patternProperties', '$defs', 'dependentSchemas']);
const LEFT_OUT = new Set([
  '$schema',
  '$id',
  '$comment',
  'additionalItems',
  'nullable',
  'definitions',
]);
const MAX_DEPTH = 64;

/** A schema that cannot be read; its message says why. */
export class SchemaError extends Error {}

/**
 * A schema of any draft as JSON Schema 2020-12: boolean bounds of draft 4, tuples, definitions and
 * dependencies of draft 7, `nullable` and `example` of OpenAPI. Its references are local; `$id` and
 * `$schema` go. Throws SchemaError when it is nested too deeply to be read.
 */
export function normalise(schema: JsonObject): JsonObject {
  return node(schema, 0) as JsonObject;
}

function node(value: unknown, depth: number): Json {
  if (value === true) return {};
  if (value === false) return { not: {} };
  if (!isPlainObject(value)) return {};
  if (depth > MAX_DEPTH) throw new SchemaError(`it is nested deeper than ${MAX_DEPTH}`);
  const result: JsonObject = {};
  for (const [key, child] of Object.entries(value as JsonObject)) {
    if (!LEFT_OUT.has(key)) Object.assign(result, keyword(key, child, depth + 1));
  }
  const { $defs, definitions } = value;
  if (isPlainObject(definitions))
    result['$defs'] = { ...named(definitions, depth + 1), ...named($defs, depth + 1) };
  if (Array.isArray(value['items'])) {
    result['prefixItems'] = value['items'].map((item) => node(item, depth + 1));
    if (value['additionalItems'] === undefined) delete result['items'];
    else if (value['additionalItems'] === false) result['items'] = false;
    else result['items'] = node(value['additionalItems'], depth + 1);
  }
  bounds(result, 'exclusiveMinimum', 'minimum');
  bounds(result, 'exclusiveMaximum', 'maximum');
  if (value['nullable'] === true) addNull(result);
  return result;
}

function keyword(key: string, value: Json, depth: number): JsonObject {
  if (key === '$ref' || key === '$dynamicRef')
    return typeof value === 'string'
      ? { [key]: value.replace(/^#\/definitions\//, '#/$defs/') }
      : {};
  if (
    key === 'additionalProperties' ||
    key === 'unevaluatedProperties' ||
    key === 'unevaluatedItems'
  )
    return { [key]: typeof value === 'boolean' ? value : node(value, depth) };
  if (NODE.has(key)) return Array.isArray(value) ? {} : { [key]: node(value, depth) };
  if (NODES.has(key))
    return Array.isArray(value) && value.length > 0
      ? { [key]: value.map((child) => node(child, depth)) }
      : {};
  if (NAMED.has(key)) return isPlainObject(value) ? { [key]: named(value, depth) } : {};
  if (key === 'dependencies') return isPlainObject(value) ? dependencies(value, depth) : {};
  if (key === 'required')
    return Array.isArray(value)
      ? { required: value.filter((name) => typeof name === 'string') }
      : {};
  if (key === 'type')
    return Array.isArray(value) && value.length === 1
      ? { type: value[0] as Json }
      : { type: value };
  if (key === 'enum') return Array.isArray(value) && value.length > 0 ? { enum: value } : {};
  if (key === 'example') return { examples: [value] };
  return { [key]: value };
}

function named(value: unknown, depth: number): JsonObject {
  if (!isPlainObject(value)) return {};
  return Object.fromEntries(
    Object.entries(value).map(([name, child]) => [name, node(child, depth)]),
  );
}

function dependencies(value: Record<string, unknown>, depth: number): JsonObject {
  const required: JsonObject = {};
  const schemas: JsonObject = {};
  for (const [name, needed] of Object.entries(value)) {
    if (Array.isArray(needed)) required[name] = needed as Json[];
    else schemas[name] = node(needed, depth);
  }
  return {
    ...(Object.keys(required).length > 0 ? { dependentRequired: required } : {}),
    ...(Object.keys(schemas).length > 0 ? { dependentSchemas: schemas } : {}),
  };
}

/** Draft 4 says `exclusiveMinimum: true` beside `minimum`. */
function bounds(schema: JsonObject, exclusive: string, inclusive: string): void {
  const flag = schema[exclusive];
  if (typeof flag !== 'boolean') return;
  delete schema[exclusive];
  const bound = schema[inclusive];
  if (!flag || typeof bound !== 'number') return;
  schema[exclusive] = bound;
  delete schema[inclusive];
}

function addNull(schema: JsonObject): void {
  const { type } = schema;
  if (typeof type === 'string') schema['type'] = [type, 'null'];
  else if (Array.isArray(type) && !type.includes('null')) schema['type'] = [...type, 'null'];
  if (Array.isArray(schema['enum']) && !schema['enum'].includes(null))
    schema['enum'] = [...schema['enum'], null];
}
