import { createRequire } from 'node:module';
import type { Ajv2020, Options, ValidateFunction } from 'ajv/dist/2020.js';
import { canonicalJson, type JsonObject } from '../../base/json.ts';
import type { Violation } from '../execution-context.ts';
import { compilePattern } from './pattern.ts';
import { describeViolations } from './violations.ts';

/** Checks one value against one schema; undefined means valid, otherwise what is wrong, at most ten things. */
export interface Validator {
  (value: unknown): readonly Violation[] | undefined;
  /** Whether it is valid, without the trouble of saying why not. */
  holds(value: unknown): boolean;
}

const load = createRequire(import.meta.url);
const INHERITED =
  /"(?:constructor|toString|valueOf|toLocaleString|hasOwnProperty|isPrototypeOf|propertyIsEnumerable)"/;

/**
 * Compiles a JSON Schema 2020-12 that passed `schemaFaults`. Takes milliseconds, so it is done on first
 * use. Nothing is coerced, defaulted or removed here: cleaning comes before and is ours. Throws Error
 * when the schema cannot be compiled.
 */
export function compileValidator(schema: JsonObject): Validator {
  // `$schema` of another draft would make the compiler look for that draft's meta-schema.
  const { $schema: _draft, ...rest } = schema;
  const text = JSON.stringify(rest);
  const document = text.includes('"$id"') ? (JSON.parse(text, withoutId) as JsonObject) : rest;
  const own = INHERITED.test(text);
  const first = engine(own, false).compile(document);
  let all: ValidateFunction | undefined;
  const validate = (value: unknown): readonly Violation[] | undefined => {
    if (first(value)) return undefined;
    // Fail fast while all is well; only a wrong value is worth a second, complete look.
    all ??= engine(own, true).compile(document);
    all(value);
    return describeViolations(all.errors ?? first.errors ?? [], document, value);
  };
  return Object.assign(validate, { holds: (value: unknown) => first(value) });
}

// All references are from the document's root, and the compiler would take an id it has seen before for the same schema.
function withoutId(key: string, value: unknown): unknown {
  return key === '$id' && typeof value === 'string' ? undefined : value;
}

const engines = new Map<string, Ajv2020>();

function engine(ownProperties: boolean, allErrors: boolean): Ajv2020 {
  const key = `${ownProperties}/${allErrors}`;
  const known = engines.get(key);
  if (known !== undefined) return known;
  const { Ajv2020: Engine } = load('ajv/dist/2020.js') as typeof import('ajv/dist/2020.js');
  const formats = load('ajv-formats') as { default: (ajv: Ajv2020) => void };
  const options: Options = {
    strict: false,
    validateSchema: false,
    logger: false,
    ownProperties,
    allErrors,
    code: {
      regExp: Object.assign((source: string) => compilePattern(source), {
        code: 'compilePattern',
      }) as never,
    },
  };
  const created = new Engine(options);
  formats.default(created);
  // The compiler's own way compares every item with every other: 20,000 objects take seconds.
  created.removeKeyword('uniqueItems');
  created.addKeyword({
    keyword: 'uniqueItems',
    type: 'array',
    schemaType: 'boolean',
    error: { message: 'must not hold the same item twice' },
    validate: (unique: boolean, items: readonly unknown[]) =>
      !unique ||
      new Set(items.some(isObject) ? items.map(canonicalJson) : items).size === items.length,
  });
  engines.set(key, created);
  return created;
}

function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null;
}
