import { has, isPlainObject, type Json, type JsonObject } from '../../base/json.ts';
import { follow, partsOf, typesOf } from './types-of.ts';
import { formatValue } from './violations.ts';

/**
 * A value that should satisfy a schema, with required members only; the caller validates it before
 * showing it, since not every constraint can be met by construction. Sensitive members get a placeholder.
 */
export function buildExample(schema: JsonObject): Json {
  return build(schema, schema, 0);
}

/** True when a schema marks its value as one that must not be shown (`writeOnly`, or format `password`). */
export function isSensitive(schema: unknown): boolean {
  return isPlainObject(schema) && (schema['writeOnly'] === true || schema['format'] === 'password');
}

function build(node: unknown, root: JsonObject, depth: number): Json {
  const schema = follow(node, root);
  if (schema === undefined || depth > 24) return null;
  if (isSensitive(schema)) return '<secret>';
  if (schema['const'] !== undefined) return schema['const'] as Json;
  if (Array.isArray(schema['examples']) && schema['examples'].length > 0)
    return schema['examples'][0] as Json;
  if (schema['default'] !== undefined) return schema['default'] as Json;
  if (Array.isArray(schema['enum'])) return schema['enum'][0] as Json;
  const types = typesOf(schema, root);
  if (types.has('object') && !types.has('string')) return buildObject(schema, root, depth);
  for (const key of ['anyOf', 'oneOf']) {
    if (Array.isArray(schema[key]) && schema['type'] === undefined)
      return build(schema[key][0], root, depth + 1);
  }
  if (types.has('string')) return buildText(schema);
  if (types.has('integer')) return buildNumber(schema, types.has('number') ? 0.5 : 1);
  if (types.has('number')) return buildNumber(schema, 0.5);
  if (types.has('boolean')) return true;
  if (types.has('array')) return buildArray(schema, root, depth);
  return null;
}

function buildObject(schema: Record<string, unknown>, root: JsonObject, depth: number): JsonObject {
  const result: JsonObject = {};
  const branch = [schema['oneOf'], schema['anyOf']].find((list) => Array.isArray(list)) as
    | unknown[]
    | undefined;
  const { anyOf: _any, oneOf: _one, ...own } = schema;
  const parts = [...partsOf(own, root), ...(branch === undefined ? [] : partsOf(branch[0], root))];
  const members = new Map<string, unknown>();
  for (const part of parts) {
    for (const [name, child] of Object.entries(
      (part['properties'] as JsonObject | undefined) ?? {},
    )) {
      // A branch often narrows what the parent declares: the later, narrower word counts.
      members.set(
        name,
        isPlainObject(members.get(name)) && isPlainObject(child)
          ? { ...(members.get(name) as object), ...child }
          : child,
      );
    }
  }
  for (const part of parts) {
    for (const name of (part['required'] as string[] | undefined) ?? []) {
      if (!has(result, name)) result[name] = build(members.get(name) ?? {}, root, depth + 1);
    }
  }
  return result;
}

function buildArray(schema: Record<string, unknown>, root: JsonObject, depth: number): Json[] {
  const count = Math.min(typeof schema['minItems'] === 'number' ? schema['minItems'] : 1, 5);
  const first = Array.isArray(schema['prefixItems'])
    ? schema['prefixItems'].map((item) => build(item, root, depth + 1))
    : [];
  while (first.length < count && schema['items'] !== false)
    first.push(build(schema['items'] ?? {}, root, depth + 1));
  return first;
}

function buildText(schema: Record<string, unknown>): string {
  const known = typeof schema['format'] === 'string' ? formatValue(schema['format']) : undefined;
  if (known !== undefined) return known;
  const least = typeof schema['minLength'] === 'number' ? schema['minLength'] : 0;
  const most = typeof schema['maxLength'] === 'number' ? schema['maxLength'] : Infinity;
  return 'text'.padEnd(Math.min(least, 1_000), 'x').slice(0, Math.min(most, 1_000));
}

function buildNumber(schema: Record<string, unknown>, step: number): number {
  const unit = typeof schema['multipleOf'] === 'number' ? schema['multipleOf'] : step;
  const bound = (key: string): number | undefined =>
    typeof schema[key] === 'number' ? schema[key] : undefined;
  const least =
    bound('minimum') ??
    (bound('exclusiveMinimum') === undefined
      ? undefined
      : (bound('exclusiveMinimum') as number) + unit);
  const most =
    bound('maximum') ??
    (bound('exclusiveMaximum') === undefined
      ? undefined
      : (bound('exclusiveMaximum') as number) - unit);
  if (least !== undefined) return Math.ceil(least / unit) * unit;
  if (most !== undefined && most < 1) return Math.floor(most / unit) * unit;
  return Number.isInteger(unit) ? unit : 1;
}
