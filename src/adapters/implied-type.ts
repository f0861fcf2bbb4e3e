import { isPlainObject, type Json, type JsonObject } from '../base/json.ts';

/** Says the type that other keywords imply, as far as they imply one. */
export function impliedType(schema: JsonObject): JsonObject {
  if (
    schema['type'] !== undefined ||
    schema['anyOf'] !== undefined ||
    schema['oneOf'] !== undefined
  )
    return schema;
  const has = (...keys: readonly string[]): boolean =>
    keys.some((key) => schema[key] !== undefined);
  if (has('properties', 'additionalProperties', 'patternProperties', 'required'))
    return { ...schema, type: 'object' };
  if (has('items', 'prefixItems', 'minItems', 'maxItems', 'uniqueItems'))
    return { ...schema, type: 'array' };
  if (has('enum', 'const')) {
    const values = (schema['enum'] ?? [schema['const']]) as Json[];
    const types = new Set(values.map(typeOf));
    return { ...schema, type: types.size === 1 ? ([...types][0] as Json) : ([...types] as Json) };
  }
  if (has('minLength', 'maxLength', 'pattern', 'format')) return { ...schema, type: 'string' };
  if (has('minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'))
    return { ...schema, type: 'number' };
  return schema;
}

function typeOf(value: Json): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  return typeof value;
}

const FOR: Readonly<Record<string, readonly string[]>> = {
  object: [
    'properties',
    'required',
    'additionalProperties',
    'patternProperties',
    'propertyNames',
    'minProperties',
    'maxProperties',
  ],
  array: [
    'items',
    'prefixItems',
    'minItems',
    'maxItems',
    'uniqueItems',
    'contains',
    'minContains',
    'maxContains',
  ],
  string: ['minLength', 'maxLength', 'pattern', 'format'],
  number: ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'],
};

/** Keywords that say nothing about a node's type, which some vendors refuse. */
export function strays(schema: JsonObject): readonly string[] {
  const { type } = schema;
  if (typeof type !== 'string') return [];
  const kind = type === 'integer' ? 'number' : type;
  return Object.entries(FOR)
    .filter(([name]) => name !== kind)
    .flatMap(([, keys]) => keys)
    .filter((key) => schema[key] !== undefined && !(key === 'format' && kind === 'number'));
}

export function kindOf(schema: unknown): string {
  const { type, enum: values, const: only } = isPlainObject(schema) ? (schema as JsonObject) : {};
  if (only !== undefined) return JSON.stringify(only);
  if (Array.isArray(values)) return values.map((value) => JSON.stringify(value)).join(' or ');
  return typeof type === 'string'
    ? type
    : Array.isArray(type)
      ? (type as string[]).join(' or ')
      : 'anything';
}
