import { createHash } from 'node:crypto';
import { isPlainObject, type JsonObject } from '../base/json.ts';
import { objectCodec, type MemberCodec } from './codec.ts';
import type { Emitted, Emitter, Place } from './emitter.ts';

const BRANCHES = ['if', 'then', 'else'];

/** An object in a dialect: names it takes, members that have to be there, and what becomes of free members. */
export function emitObject(emitter: Emitter, given: JsonObject, place: Place): Emitted {
  const { path, inside } = place;
  const { rules } = emitter;
  const schema = withBranches(given, rules.keywords);
  const {
    properties = {},
    required = [],
    additionalProperties,
    patternProperties,
    ...rest
  } = schema;
  const members = Object.entries(properties as JsonObject);
  if (patternProperties !== undefined && !rules.keywords.has('patternProperties'))
    emitter.lose('CONSTRAINT_MOVED_TO_VALIDATION:patternProperties', path);
  const free =
    patternProperties !== undefined ||
    (additionalProperties !== undefined && additionalProperties !== false);
  const shapeless = members.length === 0 && additionalProperties === undefined && path !== '';
  if ((free || shapeless) && rules.closed)
    emitter.refuseStrict(members.length === 0 ? 'map' : 'open_object');
  const opens = rules.keywords.has('additionalProperties');
  if ((free || shapeless) && !opens) {
    if (members.length === 0 && path !== '') {
      emitter.lose('OPEN_OBJECT_NARROWED', path);
      return emitter.textFor(given, path);
    }
    if (free) emitter.lose('OPEN_OBJECT_NARROWED', path);
  }
  const names = spelledNames(
    members.map(([name]) => name),
    path,
    rules.keys,
  );
  const declared = new Set(members.map(([name]) => name));
  const needed = (required as string[]).filter((name) => declared.has(name));
  const emitted: JsonObject = {};
  const codecs: MemberCodec[] = [];
  for (const [name, child] of members) {
    const spelled = names.get(name) as string;
    const part = emitter.node(child, { path: `${path}/${escape(name)}`, inside });
    const absent = rules.allRequired && !needed.includes(name);
    const nullable = takesNull(child);
    emitted[spelled] = absent ? emitter.nullable(part.schema) : part.schema;
    if (spelled !== name || part.codec !== undefined || absent)
      codecs.push({ name, spelled, codec: part.codec, nullWhenAbsent: absent, nullable });
  }
  const all = rules.allRequired
    ? [...names.values()]
    : needed.map((name) => names.get(name) as string);
  const freely = freeMembers(
    emitter,
    { additionalProperties, patternProperties },
    { path, inside },
  );
  return {
    schema: {
      ...emitter.annotated(rest, path),
      properties: emitted,
      ...(all.length > 0 || rules.allRequired ? { required: all } : {}),
      ...freely,
    },
    codec: codecs.length === 0 ? undefined : objectCodec(codecs),
  };
}

function freeMembers(
  emitter: Emitter,
  {
    additionalProperties,
    patternProperties,
  }: { readonly additionalProperties: unknown; readonly patternProperties: unknown },
  { path, inside }: { readonly path: string; readonly inside: readonly string[] },
): JsonObject {
  const { rules } = emitter;
  if (rules.closed) return { additionalProperties: false };
  if (!rules.keywords.has('additionalProperties')) return {};
  const free: JsonObject = {};
  if (isPlainObject(patternProperties)) {
    const all = Object.entries(patternProperties).map(
      ([pattern, child]) => [pattern, emitter.node(child, { path, inside }).schema] as const,
    );
    if (rules.keywords.has('patternProperties'))
      free['patternProperties'] = Object.fromEntries(all);
    else return { additionalProperties: true };
  }
  if (isPlainObject(additionalProperties))
    free['additionalProperties'] = emitter.node(additionalProperties, { path, inside }).schema;
  else if (typeof additionalProperties === 'boolean')
    free['additionalProperties'] = additionalProperties;
  return free;
}

/** Members that only a branch speaks of are shown as well, where the branches themselves cannot be sent. */
function withBranches(schema: JsonObject, keywords: ReadonlySet<string>): JsonObject {
  const parts = [
    ...BRANCHES.filter((key) => !keywords.has(key)).map((key) => schema[key]),
    ...(keywords.has('dependentSchemas')
      ? []
      : Object.values((schema['dependentSchemas'] ?? {}) as JsonObject)),
  ];
  const properties = { ...((schema['properties'] ?? {}) as JsonObject) };
  for (const part of parts) {
    for (const [name, child] of Object.entries(
      (isPlainObject(part) ? (part['properties'] ?? {}) : {}) as JsonObject,
    ))
      properties[name] ??= child;
  }
  return { ...schema, properties };
}

function takesNull(schema: unknown): boolean {
  if (!isPlainObject(schema)) return true;
  const { type, enum: values, anyOf, oneOf } = schema;
  if (Array.isArray(values)) return values.includes(null);
  if (type !== undefined) return [type].flat().includes('null');
  return [anyOf, oneOf].flat().some((branch) => isPlainObject(branch) && takesNull(branch));
}

/** Each name as the dialect takes it: unlike any other, and the same whatever the order. */
function spelledNames(
  names: readonly string[],
  path: string,
  keys: { readonly pattern: RegExp; readonly everywhere: boolean } | undefined,
): ReadonlyMap<string, string> {
  if (
    keys === undefined ||
    (path !== '' && !keys.everywhere) ||
    names.every((name) => keys.pattern.test(name))
  )
    return new Map(names.map((name) => [name, name]));
  const sound = new Set(names.filter((name) => keys.pattern.test(name)));
  const wishes = names.map((name) => [name, sound.has(name) ? name : wish(name)] as const);
  return new Map(
    wishes.map(([name, wished]) => {
      const clash =
        wishes.filter(([, other]) => other === wished).length > 1 ||
        (sound.has(wished) && wished !== name);
      if (sound.has(name)) return [name, name];
      if (!clash && wished.length <= 64 && keys.pattern.test(wished)) return [name, wished];
      const digest = createHash('sha256').update(name).digest('hex').slice(0, 8);
      return [name, `${wished.slice(0, 55)}_${digest}`];
    }),
  );
}

function wish(name: string): string {
  const clean = name.replaceAll(/[^A-Za-z0-9_]+/g, '_').replaceAll(/^_+|_+$/g, '');
  return /^[A-Za-z_]/.test(clean) ? clean : `p_${clean}`;
}

function escape(name: string): string {
  return name.replaceAll('~', '~0').replaceAll('/', '~1');
}
