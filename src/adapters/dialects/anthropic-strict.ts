import { anthropic } from './anthropic.ts';
import { keywords, type Dialect } from './rules.ts';

/**
 * Anthropic with strict tools: all of one request become one grammar, so the budget is shared, and writes
 * are served first. Documented are 20 tools, 24 optional parameters, 16 unions; fewer compile in practice.
 */
export const anthropicStrict: Dialect = {
  ...anthropic,
  id: 'anthropic.strict',
  strict: {
    rules: {
      ...anthropic.rules,
      keywords: keywords(
        'type title description default enum const properties required additionalProperties items minItems',
        'anyOf $ref $defs format pattern',
      ),
      references: 'bare',
      recursion: false,
      closed: true,
      typed: true,
      items: true,
      patterns: 'simple',
      formats: keywords('date-time time date duration email hostname uri ipv4 ipv6 uuid'),
      maxMinItems: 1,
    },
    budget: { tools: 20, optional: 10, unions: 16 },
    writesFirst: true,
  },
};
