import { FULL, type Dialect } from './rules.ts';

/** Anthropic Messages: 2020-12 without unions at the root; names of top-level properties are limited. */
export const anthropic: Dialect = {
  id: 'anthropic',
  facts: '2026-11-30',
  shape: 'anthropic',
  maxName: 64,
  dots: false,
  arguments: 'object',
  examples: 'input_examples',
  rules: {
    ...FULL,
    rootUnions: false,
    keys: { pattern: /^[a-zA-Z0-9_.-]{1,64}$/, everywhere: false },
  },
};
