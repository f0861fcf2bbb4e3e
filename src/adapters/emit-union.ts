import { isPlainObject, type Json, type JsonObject } from '../base/json.ts';
import { compileValidator, type Validator } from '../contract/schema/compile.ts';
import { unionCodec } from './codec.ts';
import { ANNOTATIONS, pick, type Emitted, type Emitter, type Place } from './emitter.ts';
import { mergeAll, mergeUnion } from './merge.ts';

/** A union in a dialect: as it is, with what stands beside it moved into its branches, or as one object. */
export function emitUnion(emitter: Emitter, schema: JsonObject, place: Place): Emitted {
  const { rules } = emitter;
  const { path } = place;
  const key = Array.isArray(schema['anyOf']) ? 'anyOf' : 'oneOf';
  const { anyOf: _any, oneOf: _one, ...base } = schema;
  const given = schema[key] as Json[];
  const branches = given.map((branch) => emitter.withoutAllOf(emitter.resolved(branch), path));
  // Two unions on one value: the second is left to validation.
  if (key === 'anyOf' && schema['oneOf'] !== undefined)
    emitter.lose('CONSTRAINT_MOVED_TO_VALIDATION:oneOf', path);
  const constraints = pick(base, (name) => !ANNOTATIONS.has(name));
  const own = Object.keys(constraints).length > 0;
  const bodiless = branches.every(
    ({ type, properties, ...rest }) =>
      type === undefined &&
      properties === undefined &&
      rest['enum'] === undefined &&
      rest['const'] === undefined,
  );
  // Branches that only require are about the members of the schema they stand in.
  if (own && bodiless) {
    emitter.lose(`CONSTRAINT_MOVED_TO_VALIDATION:${key}`, path);
    return emitter.single(base, place);
  }
  const objects = base['type'] === 'object' || base['properties'] !== undefined;
  if (own && objects && !rules.unionSiblings) {
    emitter.lose(`CONSTRAINT_MOVED_TO_VALIDATION:${key}`, path);
    return emitter.node(mergeUnion(base, branches), place);
  }
  if (!rules.keywords.has('anyOf')) return emitter.textFor(schema, path);
  const openapi = rules.types === 'openapi';
  const isNull = (branch: JsonObject): boolean => openapi && branch['type'] === 'null';
  const parts = branches.flatMap((branch, index) => {
    if (isNull(branch)) return [];
    const link = given[index];
    const linked = !own && isPlainObject(link) && typeof link['$ref'] === 'string';
    const source = own ? (mergeAll(constraints, branch) ?? branch) : branch;
    return [{ source, ...emitter.node(linked ? link : source, place) }];
  });
  const coded = parts.some(({ codec }) => codec !== undefined);
  const codec = coded
    ? unionCodec(
        parts.map(({ codec: one, source }) => ({
          codec: one,
          holds: holdsBy(source, emitter.root),
        })),
      )
    : undefined;
  const head = {
    ...emitter.annotated(
      pick(base, (name) => ANNOTATIONS.has(name)),
      path,
    ),
    ...(branches.some(isNull) ? { nullable: true } : {}),
  };
  const [only] = parts;
  if (openapi && parts.length === 1 && only !== undefined)
    return { schema: { ...only.schema, ...head }, codec };
  const sends = key === 'oneOf' && rules.keywords.has('oneOf') ? 'oneOf' : 'anyOf';
  return { schema: { ...head, [sends]: parts.map((part) => part.schema) }, codec };
}

function holdsBy(branch: JsonObject, { $defs }: JsonObject): (value: Json) => boolean {
  let validator: Validator | undefined;
  return (value) => {
    try {
      validator ??= compileValidator($defs === undefined ? branch : { ...branch, $defs });
      return validator.holds(value);
    } catch {
      return false;
    }
  };
}
