import type { Json } from '../base/json.ts';

const WORDS: Readonly<Record<string, (value: Json) => string>> = {
  minLength: (value) => `at least ${text(value)} character${value === 1 ? '' : 's'}`,
  maxLength: (value) => `at most ${text(value)} characters`,
  pattern: (value) => `must match ${text(value)}`,
  format: (value) => `format: ${text(value)}`,
  minimum: (value) => `at least ${text(value)}`,
  maximum: (value) => `at most ${text(value)}`,
  exclusiveMinimum: (value) => `more than ${text(value)}`,
  exclusiveMaximum: (value) => `less than ${text(value)}`,
  multipleOf: (value) => `a multiple of ${text(value)}`,
  minItems: (value) => `at least ${text(value)} item${value === 1 ? '' : 's'}`,
  maxItems: (value) => `at most ${text(value)} items`,
  uniqueItems: (value) => (value === true ? 'no item twice' : ''),
  minProperties: (value) => `at least ${text(value)} members`,
  maxProperties: (value) => `at most ${text(value)} members`,
  const: (value) => `always ${JSON.stringify(value)}`,
  enum: (value) => `one of ${(value as Json[]).map((item) => JSON.stringify(item)).join(', ')}`,
  default: (value) => `${JSON.stringify(value)} when left out`,
  examples: (value) =>
    Array.isArray(value) && value.length > 0 ? `for example ${JSON.stringify(value[0])}` : '',
};

/** What a keyword asks for, in words for a description; empty when words would not help a model. */
export function constraintWords(key: string, value: Json): string {
  return WORDS[key]?.(value) ?? '';
}

function text(value: Json): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
