import type { Json, JsonObject } from '../base/json.ts';
import type { Codec } from './codec.ts';
import type { SchemaRules } from './dialects/rules.ts';

/** A part of a schema in a dialect, and how its values are spelled there; as they are without a codec. */
export interface Emitted {
  readonly schema: JsonObject;
  readonly codec: Codec | undefined;
}

/** What could not be said: the code, and where. */
export interface Loss {
  readonly code: string;
  /** JSON pointer into the parameters. */
  readonly path: string;
}

/** Where a node stands. */
export interface Place {
  readonly path: string;
  /** The references it is being written out from. */
  readonly inside: readonly string[];
}

/** A contract's schema that a dialect has no way to say strictly; the message is short: `map`, `depth`. */
export class NotStrict extends Error {}

/** What the parts of one pass over a schema need of it. */
export interface Emitter {
  readonly rules: SchemaRules;
  readonly root: JsonObject;
  /** Notes a loss, once. */
  lose(code: string, path: string): void;
  /** Gives up strictness where the dialect asks for it; otherwise nothing. */
  refuseStrict(why: string): void;
  node(schema: unknown, place: Place): Emitted;
  /** One node without references and unions. */
  single(schema: JsonObject, place: Place): Emitted;
  /** What a reference leads to in the end. */
  resolved(schema: unknown): JsonObject;
  withoutAllOf(schema: JsonObject, path: string): JsonObject;
  /** The schema, which takes null as well. */
  nullable(schema: JsonObject): JsonObject;
  /** Text that holds JSON, for a value the dialect has no type for. */
  textFor(schema: JsonObject, path: string): Emitted;
  /** What is left of a node's own keywords in the dialect; the rest is put into words and noted. */
  annotated(schema: JsonObject, path: string): JsonObject;
}

/** Keywords that tell about a value and judge nothing. */
export const ANNOTATIONS: ReadonlySet<string> = new Set([
  'title',
  'description',
  'default',
  'examples',
  'deprecated',
  'readOnly',
  'writeOnly',
]);

/** The schema's keywords that `keep` says yes to. */
export function pick(schema: JsonObject, keep: (key: string) => boolean): JsonObject {
  return Object.fromEntries(Object.entries(schema).filter(([key]) => keep(key))) as Record<
    string,
    Json
  >;
}

/** A schema whose description says more. */
export function withWords(schema: JsonObject, words: readonly string[]): JsonObject {
  if (words.length === 0) return schema;
  const { description } = schema;
  const told = words.join('; ');
  const whole =
    typeof description === 'string' && description !== '' ? `${description} (${told})` : told;
  return { ...schema, description: whole };
}
