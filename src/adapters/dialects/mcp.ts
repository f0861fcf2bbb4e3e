import { FULL, type Dialect } from './rules.ts';

/** MCP 2026-07-28: an object at the root and any keyword of 2020-12. */
export const mcp: Dialect = {
  id: 'mcp',
  facts: '2026-11-30',
  shape: 'mcp',
  maxName: 128,
  dots: true,
  arguments: 'object',
  rules: FULL,
};
