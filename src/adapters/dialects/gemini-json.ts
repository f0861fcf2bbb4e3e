import { FULL, keywords, type Dialect } from './rules.ts';

/** Gemini's `parametersJsonSchema`, with the keywords documented for its sister field. */
export const geminiJson: Dialect = {
  id: 'gemini.json',
  facts: '2026-11-30',
  shape: 'gemini',
  maxName: 64,
  dots: false,
  maxTools: 128,
  arguments: 'object',
  rules: {
    ...FULL,
    keywords: keywords(
      '$defs $ref $anchor type format title description default enum items prefixItems minItems maxItems',
      'minimum maximum anyOf properties additionalProperties required',
    ),
    references: 'bare',
    rootUnions: false,
    keys: { pattern: /^[A-Za-z_][A-Za-z0-9_]{0,63}$/, everywhere: false },
  },
};
