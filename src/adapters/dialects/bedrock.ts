import { anthropic } from './anthropic.ts';
import type { Dialect } from './rules.ts';

/** Amazon Bedrock Converse; Claude's rule for top-level property names holds here, too. */
export const bedrock: Dialect = {
  id: 'bedrock',
  facts: '2026-11-30',
  shape: 'bedrock',
  maxName: 64,
  dots: false,
  needsDescription: true,
  arguments: 'object',
  rules: { ...anthropic.rules, items: true },
};
