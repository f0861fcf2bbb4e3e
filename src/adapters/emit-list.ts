import { isPlainObject, type Json, type JsonObject } from '../base/json.ts';
import { listCodec } from './codec.ts';
import { withWords, type Emitted, type Emitter, type Place } from './emitter.ts';
import { kindOf } from './implied-type.ts';

/** A list in a dialect: its items, a tuple as a list of what may stand in it, and items nobody spoke of. */
export function emitList(emitter: Emitter, schema: JsonObject, place: Place): Emitted {
  const { rules } = emitter;
  const { path } = place;
  const { items, prefixItems, ...rest } = schema;
  if (Array.isArray(prefixItems) && !rules.keywords.has('prefixItems')) {
    emitter.lose('KEYWORD_MOVED_TO_DESCRIPTION:prefixItems', path);
    return emitList(emitter, withoutTuple(rest, prefixItems, items), place);
  }
  const kept: JsonObject = Array.isArray(prefixItems)
    ? { ...rest, prefixItems: prefixItems.map((item) => emitter.node(item, place).schema) }
    : rest;
  if (isPlainObject(items) && (Object.keys(items).length > 0 || !rules.typed)) {
    const emitted = emitter.node(items, { ...place, path: `${path}/*` });
    return {
      schema: { ...emitter.annotated(kept, path), items: emitted.schema },
      codec: emitted.codec === undefined ? undefined : listCodec(emitted.codec),
    };
  }
  if (items === false && rules.keywords.has('prefixItems'))
    return { schema: { ...emitter.annotated(kept, path), items: false }, codec: undefined };
  if (!rules.items) return { schema: emitter.annotated(kept, path), codec: undefined };
  emitter.lose('ITEMS_INFERRED', path);
  emitter.refuseStrict('untyped');
  if (!rules.typed)
    return { schema: { ...emitter.annotated(kept, path), items: {} }, codec: undefined };
  const inferred = emitter.textFor({}, path);
  return {
    schema: { ...emitter.annotated(kept, path), items: inferred.schema },
    codec: inferred.codec === undefined ? undefined : listCodec(inferred.codec),
  };
}

function withoutTuple(rest: JsonObject, tuple: readonly Json[], items: unknown): JsonObject {
  const all = isPlainObject(items) ? [...tuple, items as Json] : tuple;
  const texts = all.map((item) => JSON.stringify(item));
  const kinds = all.filter((_, index) => texts.indexOf(texts[index] as string) === index);
  const [only] = kinds;
  const any = kinds.length === 1 ? (only as Json) : { anyOf: kinds };
  const words = `in this order: ${tuple.map(kindOf).join(', ')}`;
  return withWords({ ...rest, items: any }, [words]);
}
