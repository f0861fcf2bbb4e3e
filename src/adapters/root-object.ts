import { isPlainObject, type JsonObject } from '../base/json.ts';
import type { Emitter } from './emitter.ts';
import { mergeAll, mergeUnion } from './merge.ts';

/**
 * The parameters as one object at the root, whatever branches they have: the model sees every branch's
 * members, and validation holds calls to the branches. Throws Error when they are no object at all.
 */
export function objectAtRoot(emitter: Emitter): JsonObject {
  const root = emitter.resolved(emitter.root);
  const types = [root['type'] ?? []].flat();
  if (types.length > 0 && !types.includes('object'))
    throw new Error('its parameters are no object: make "type" at the root "object"');
  const whole: JsonObject = { ...root, type: 'object' };
  if (emitter.rules.rootUnions) return whole;
  const { allOf, ...rest } = whole;
  let merged: JsonObject = rest;
  for (const part of Array.isArray(allOf) ? allOf : []) {
    const schema = flat(emitter, part);
    merged = mergeAll(merged, schema) ?? mergeUnion(merged, [schema]);
  }
  for (const key of ['anyOf', 'oneOf']) {
    const { [key]: branches, ...others } = merged;
    if (!Array.isArray(branches)) continue;
    merged = mergeUnion(
      others,
      branches.map((branch) => flat(emitter, branch)),
    );
    emitter.lose(`CONSTRAINT_MOVED_TO_VALIDATION:${key}`, '');
  }
  return merged;
}

/** A branch without branches of its own. */
function flat(emitter: Emitter, branch: unknown, depth = 0): JsonObject {
  const { allOf, anyOf, oneOf, ...rest } = emitter.resolved(branch);
  if (depth > 16) return rest;
  let merged: JsonObject = rest;
  for (const part of Array.isArray(allOf) ? allOf : []) {
    const schema = flat(emitter, part, depth + 1);
    merged = mergeAll(merged, schema) ?? mergeUnion(merged, [schema]);
  }
  const branches = [anyOf, oneOf].flat().filter((part) => isPlainObject(part));
  if (branches.length === 0) return merged;
  return mergeUnion(
    merged,
    branches.map((part) => flat(emitter, part, depth + 1)),
  );
}
