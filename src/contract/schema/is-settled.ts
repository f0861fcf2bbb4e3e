import { isPlainObject, type JsonObject } from '../../base/json.ts';

/** Keywords that only judge a value or describe it, so that what is valid by them needs no cleaning. */
const HARMLESS = new Set(
  (
    '$schema title description examples deprecated readOnly writeOnly type enum const format pattern ' +
    'minLength maxLength required minimum maximum exclusiveMinimum exclusiveMaximum multipleOf ' +
    'minItems maxItems uniqueItems minProperties maxProperties'
  ).split(' '),
);

/**
 * True when whatever is valid by a schema is clean as it is, the defaults of its own members aside: closed
 * all through, without branches, references or defaults further down. Most contracts are; their valid
 * calls need to be looked at once only.
 */
export function isSettled(schema: JsonObject): boolean {
  return settled(schema, 0);
}

function settled(node: unknown, depth: number): boolean {
  if (!isPlainObject(node) || node['type'] === undefined) return false;
  const { type, additionalProperties, properties = {}, items } = node;
  const takes = (name: string): boolean =>
    Array.isArray(type) ? type.includes(name) : type === name;
  if (takes('object') && (additionalProperties !== false || !isPlainObject(properties)))
    return false;
  if (takes('array') && !settled(items, depth + 1)) return false;
  return Object.keys(node).every((key) => {
    if (key === 'properties')
      return Object.values(properties as object).every((child) => settled(child, depth + 1));
    if (key === 'items' || key === 'additionalProperties') return true;
    return HARMLESS.has(key) || (key === 'default' && depth === 1);
  });
}
