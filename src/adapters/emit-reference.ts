import { isPlainObject, type Json, type JsonObject } from '../base/json.ts';
import { resolvePointer } from '../contract/schema/resolve-pointer.ts';
import { JSON_TEXT } from './codec.ts';
import { pick, withWords, type Emitted, type Emitter, type Place } from './emitter.ts';
import { mergeAll } from './merge.ts';

// How often a schema may stand inside itself where there are no references.
const WRITTEN_OUT = 3;

/** Definitions by the name they get in the dialect; undefined while one is under way. */
export type Definitions = Map<string, Emitted | undefined>;

/** A reference in a dialect: kept, or replaced by what it leads to. */
export function emitReference(
  emitter: Emitter,
  schema: JsonObject,
  place: Place,
  definitions: Definitions,
): Emitted {
  const { rules } = emitter;
  const { $ref, ...siblings } = schema;
  const reference = $ref as string;
  const target = targetOf(emitter.root, reference);
  if (!isPlainObject(target)) throw new Error(`${reference} leads nowhere`);
  const recursive = reference === '#' || reaches(emitter.root, target, reference);
  if (recursive && !rules.recursion) emitter.refuseStrict('recursion');
  const bare = Object.keys(siblings).length === 0;
  const keeps = rules.references !== 'inline' && (rules.recursion || !recursive);
  if (keeps && (bare || recursive || rules.references === 'keep'))
    return kept(emitter, reference, siblings, { target: target as JsonObject, definitions });
  if (recursive) emitter.lose('RECURSION_BOUNDED', place.path);
  if (place.inside.filter((other) => other === reference).length >= WRITTEN_OUT) {
    const words = 'JSON text of one more like the one it is in';
    const type = rules.types === 'openapi' ? 'STRING' : 'string';
    return { schema: withWords({ type }, [words]), codec: JSON_TEXT };
  }
  const merged =
    mergeAll(target as JsonObject, siblings) ?? ({ ...target, ...siblings } as JsonObject);
  return emitter.node(merged, { path: place.path, inside: [...place.inside, reference] });
}

/** What a local reference leads to. */
export function targetOf(root: JsonObject, reference: string): unknown {
  return reference === '#' ? root : resolvePointer(root, reference.slice(1));
}

function kept(
  emitter: Emitter,
  reference: string,
  siblings: JsonObject,
  { target, definitions }: { readonly target: JsonObject; readonly definitions: Definitions },
): Emitted {
  const name = definitionName(reference);
  if (!definitions.has(name)) {
    definitions.set(name, undefined);
    definitions.set(name, emitter.node(target, { path: '', inside: [] }));
  }
  const link = { $ref: `#/$defs/${name}` };
  const said = pick(siblings, (key) => emitter.rules.keywords.has(key));
  const bare = Object.keys(said).length === 0;
  const beside =
    emitter.rules.references === 'keep' ? { ...link, ...said } : { ...said, anyOf: [link] };
  const later =
    (way: 'restore' | 'spell') =>
    (value: Json): Json => {
      const codec = definitions.get(name)?.codec;
      return codec === undefined ? value : codec[way](value);
    };
  // A definition under way is recursive: whether it has a codec is only known later.
  const known = definitions.get(name);
  const plain = known !== undefined && known.codec === undefined;
  return {
    schema: bare ? link : beside,
    codec: plain ? undefined : { restore: later('restore'), spell: later('spell') },
  };
}

function definitionName(reference: string): string {
  if (reference === '#') return 'root';
  const tokens = reference.split('/').slice(1);
  const own = tokens[0] === '$defs' ? tokens.slice(1) : tokens;
  return own.join('_').replaceAll(/\W/g, '_');
}

function reaches(root: JsonObject, from: unknown, reference: string): boolean {
  const seen = new Set<unknown>();
  const open: unknown[] = [from];
  while (open.length > 0) {
    const next = open.pop();
    if (typeof next !== 'object' || next === null || seen.has(next)) continue;
    seen.add(next);
    const link = isPlainObject(next) ? next['$ref'] : undefined;
    if (typeof link === 'string') {
      if (link === reference || link === '#') return true;
      open.push(targetOf(root, link));
    }
    open.push(...Object.values(next));
  }
  return false;
}
