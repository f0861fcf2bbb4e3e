import { openaiChat } from './openai-chat.ts';
import { FULL, keywords, type Dialect, type SchemaRules } from './rules.ts';

/** The subset that OpenAI compiles into a grammar (Structured Outputs). */
export const OPENAI_STRICT_RULES: SchemaRules = {
  ...FULL,
  keywords: keywords(
    'type title description enum const properties required additionalProperties items anyOf $ref $defs',
    'pattern format minimum maximum exclusiveMinimum exclusiveMaximum multipleOf minItems maxItems',
  ),
  references: 'bare',
  rootUnions: false,
  closed: true,
  allRequired: true,
  typed: true,
  items: true,
  patterns: 'no-lookaround',
  formats: keywords('date-time time date duration email hostname ipv4 ipv6 uuid'),
};

/** OpenAI Chat Completions with strict tools where a contract fits the subset. */
export const openaiStrict: Dialect = {
  ...openaiChat,
  id: 'openai.strict',
  strictExplicit: true,
  strict: {
    rules: OPENAI_STRICT_RULES,
    limits: { depth: 10, properties: 5000, enumValues: 1000, characters: 120_000 },
    writesFirst: false,
  },
};
