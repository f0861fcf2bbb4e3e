import { isPlainObject, type Json, type JsonObject } from '../base/json.ts';
import { JSON_TEXT, textCodec } from './codec.ts';
import { constraintWords } from './constraint-words.ts';
import type { SchemaRules } from './dialects/rules.ts';
import { emitList } from './emit-list.ts';
import { emitObject } from './emit-object.ts';
import { emitPattern } from './emit-pattern.ts';
import { emitReference, targetOf, type Definitions } from './emit-reference.ts';
import { emitUnion } from './emit-union.ts';
import {
  ANNOTATIONS,
  NotStrict,
  pick,
  withWords,
  type Emitted,
  type Emitter,
  type Loss,
  type Place,
} from './emitter.ts';
import { impliedType, strays } from './implied-type.ts';
import { mergeAll } from './merge.ts';
import { objectAtRoot } from './root-object.ts';

const MAX_NODES = 20_000;
const BOUND = /^(?:exclusive)?m(?:in|ax)imum$/i;
const AS_TEXT = `JSON text, for example ${JSON.stringify('{"a":1}')} or ${JSON.stringify('"words"')}`;

/** One pass over one schema for one dialect; collects what was lost on the way. */
export class Emission implements Emitter {
  readonly losses: Loss[] = [];
  readonly rules: SchemaRules;
  readonly root: JsonObject;
  readonly #strict: boolean;
  readonly #definitions: Definitions = new Map();
  #nodes = 0;

  constructor(root: JsonObject, rules: SchemaRules, strict: boolean) {
    this.root = root;
    this.rules = rules;
    this.#strict = strict;
  }

  /** The whole schema. Throws NotStrict, or Error with the reason why there is no way to say it at all. */
  run(): Emitted {
    const { schema: own, codec } = this.node(objectAtRoot(this), { path: '', inside: [] });
    // A union says its type in its branches; at the root it is said for all.
    const schema = own['type'] === undefined ? { type: 'object', ...own } : own;
    const definitions = [...this.#definitions].flatMap(([name, emitted]) =>
      emitted === undefined ? [] : [[name, emitted.schema] as const],
    );
    if (definitions.length === 0) return { schema, codec };
    return { schema: { ...schema, $defs: Object.fromEntries(definitions) }, codec };
  }

  lose(code: string, path: string): void {
    if (!this.losses.some((loss) => loss.code === code && loss.path === path))
      this.losses.push({ code, path });
  }

  refuseStrict(why: string): void {
    if (this.#strict) throw new NotStrict(why);
  }

  node(given: unknown, place: Place): Emitted {
    if (++this.#nodes > MAX_NODES)
      throw new Error(`it has over ${MAX_NODES} parts when written out`);
    const { $defs: _defs, ...schema } = isPlainObject(given) ? (given as JsonObject) : {};
    if (typeof schema['$ref'] === 'string')
      return emitReference(this, schema, place, this.#definitions);
    const typed = impliedType(this.withoutAllOf(schema, place.path));
    const union = Array.isArray(typed['anyOf']) || Array.isArray(typed['oneOf']);
    return union ? emitUnion(this, typed, place) : this.single(typed, place);
  }

  single(schema: JsonObject, place: Place): Emitted {
    const { path } = place;
    const { type, enum: listed, const: only } = schema;
    if (this.rules.typed && type === undefined && listed === undefined && only === undefined) {
      this.refuseStrict('untyped');
      return this.textFor(schema, path);
    }
    const values = listed ?? (only === undefined ? undefined : [only]);
    if (Array.isArray(values) && (this.rules.textEnums || !this.rules.keywords.has('const')))
      return this.#enumeration(schema, values, path);
    if (Array.isArray(type)) return this.#manyTypes(schema, type as string[], place);
    const dropped = strays(schema);
    for (const key of dropped) this.lose(`KEYWORD_DROPPED:${key}`, path);
    const fitting = pick(schema, (key) => !dropped.includes(key));
    if (type === 'object') return emitObject(this, fitting, place);
    if (type === 'array') return emitList(this, fitting, place);
    return { schema: this.annotated(fitting, path), codec: undefined };
  }

  resolved(schema: unknown): JsonObject {
    let found = schema;
    for (
      let hops = 0;
      isPlainObject(found) && typeof found['$ref'] === 'string' && hops < 32;
      hops++
    ) {
      const { $ref, ...siblings } = found as JsonObject;
      const target = targetOf(this.root, $ref as string);
      found = isPlainObject(target) ? (mergeAll(target as JsonObject, siblings) ?? target) : {};
    }
    return isPlainObject(found) ? (found as JsonObject) : {};
  }

  withoutAllOf(schema: JsonObject, path: string): JsonObject {
    const { allOf, ...rest } = schema;
    if (!Array.isArray(allOf) || this.rules.keywords.has('allOf')) return schema;
    let merged = rest;
    for (const part of allOf) {
      const both = mergeAll(merged, this.withoutAllOf(this.resolved(part), path));
      if (both === undefined) this.lose('CONSTRAINT_MOVED_TO_VALIDATION:allOf', path);
      merged = both ?? merged;
    }
    return merged;
  }

  nullable(schema: JsonObject): JsonObject {
    if (this.rules.types === 'openapi') return { ...schema, nullable: true };
    const { type, anyOf, enum: values } = schema;
    if (Array.isArray(anyOf)) {
      const has = anyOf.some((branch) => isPlainObject(branch) && branch['type'] === 'null');
      return has ? schema : { ...schema, anyOf: [...anyOf, { type: 'null' }] };
    }
    if (type === undefined && values === undefined)
      return Object.keys(schema).length === 0 ? schema : { anyOf: [schema, { type: 'null' }] };
    const types =
      type === undefined ? {} : { type: [...new Set([...[type].flat(), 'null'])] as Json };
    const listed =
      Array.isArray(values) && !values.includes(null) ? { enum: [...values, null] } : {};
    return { ...schema, ...types, ...listed };
  }

  textFor({ description, title }: JsonObject, path: string): Emitted {
    this.lose('SENT_AS_JSON_TEXT', path);
    const about = {
      type: 'string',
      ...(title === undefined ? {} : { title }),
      ...(description === undefined ? {} : { description }),
    };
    return { schema: this.annotated(withWords(about, [AS_TEXT]), path), codec: JSON_TEXT };
  }

  annotated(schema: JsonObject, path: string): JsonObject {
    const said: JsonObject = {};
    const words: string[] = [];
    for (const [key, value] of Object.entries(schema)) {
      const sent = this.#sent(key, value, schema);
      if (sent !== undefined) said[key] = sent;
      else {
        const inWords = constraintWords(key, value);
        if (inWords !== '') words.push(inWords);
        const moved =
          inWords === '' ? 'CONSTRAINT_MOVED_TO_VALIDATION' : 'KEYWORD_MOVED_TO_DESCRIPTION';
        if (!ANNOTATIONS.has(key)) this.lose(`${moved}:${key}`, path);
      }
    }
    return withWords(said, words);
  }

  /** A keyword's value as the dialect takes it; undefined when it does not. */
  #sent(key: string, value: Json, { type }: JsonObject): Json | undefined {
    const { keywords, patterns, formats, maxMinItems, integerBoundsOnly, types } = this.rules;
    if (!keywords.has(key)) return undefined;
    const text = typeof value === 'string' ? value : '';
    if (key === 'pattern') return emitPattern(text, patterns);
    if (key === 'format' && formats?.has(text) === false) return undefined;
    if (key === 'minItems' && maxMinItems !== undefined && Number(value) > maxMinItems)
      return undefined;
    if (integerBoundsOnly === true && BOUND.test(key) && type !== 'integer') return undefined;
    return key === 'type' && types === 'openapi' ? text.toUpperCase() : value;
  }

  #manyTypes(schema: JsonObject, types: readonly string[], place: Place): Emitted {
    const rest = types.filter((type) => type !== 'null');
    const deep = rest.some((type) => type === 'object' || type === 'array');
    if (this.rules.types === 'json' && !deep)
      return { schema: this.annotated(schema, place.path), codec: undefined };
    const [one] = rest;
    if (rest.length === 1 && one !== undefined) {
      const { schema: emitted, codec } = this.node({ ...schema, type: one }, place);
      return { schema: rest.length < types.length ? this.nullable(emitted) : emitted, codec };
    }
    const about = pick(schema, (key) => ANNOTATIONS.has(key));
    const constraints = pick(schema, (key) => !ANNOTATIONS.has(key));
    const branches = types.map((type) => {
      const branch = { ...constraints, type };
      const others = strays(branch);
      return pick(branch, (key) => !others.includes(key));
    });
    return this.node({ ...about, anyOf: branches }, place);
  }

  #enumeration(schema: JsonObject, values: readonly Json[], path: string): Emitted {
    const { const: _const, enum: _enum, ...rest } = schema;
    if (!this.rules.textEnums)
      return { schema: this.annotated({ ...rest, enum: [...values] }, path), codec: undefined };
    const real = values.filter((value) => value !== null);
    const shown = real.map((value) =>
      typeof value === 'string' && value !== '' ? value : JSON.stringify(value),
    );
    const distinct = new Set(shown).size === shown.length;
    const texts = distinct ? shown : real.map((value) => JSON.stringify(value));
    const about = pick(rest, (key) => key === 'title' || key === 'description');
    const emitted = this.annotated({ ...about, type: 'string', enum: texts }, path);
    return {
      schema: values.includes(null) ? this.nullable(emitted) : emitted,
      codec: real.every((value, index) => value === texts[index])
        ? undefined
        : textCodec(real, texts),
    };
  }
}
