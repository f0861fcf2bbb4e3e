import { mcp } from './mcp.ts';
import type { Dialect } from './rules.ts';

/** MCP up to 2025-11-25: clients drop every tool of a server when one root is no plain object. */
export const mcpLegacy: Dialect = {
  ...mcp,
  id: 'mcp.2025-11-25',
  rules: { ...mcp.rules, rootUnions: false },
};
