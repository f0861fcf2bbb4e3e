import type { Contract, JsonObject } from '../../src/index.ts';

/** A contract around parameters, and what is given over it. */
export function contractOfSchema(
  name: string,
  parameters: JsonObject,
  more: Partial<Contract> = {},
): Contract {
  return {
    name,
    version: '1.0.0',
    description: 'A skill for tests.',
    tags: [],
    purpose: 'To be compiled.',
    preconditions: [],
    related: [],
    side_effect: { kind: 'read' },
    parameters,
    rules: { none: 'a test' },
    aliases: {},
    errors: [],
    secrets: [],
    examples: [],
    queries: [],
    dependencies: [],
    permissions: [],
    policy: {},
    executor: { kind: 'module' },
    ...more,
  };
}

/** The parameters that a vendor's tool shows; no parameters when it leaves them out. */
export function shownParameters(tool: JsonObject): JsonObject {
  const own = (tool['function'] ?? tool['toolSpec'] ?? tool) as JsonObject;
  const input = own['inputSchema'] as JsonObject | undefined;
  return (own['parameters'] ??
    own['input_schema'] ??
    own['parametersJsonSchema'] ??
    input?.['json'] ??
    input ??
    own['schema'] ?? { type: 'object', properties: {} }) as JsonObject;
}

/** Whether a vendor's tool is marked strict. */
export function isStrict(tool: JsonObject): boolean {
  const own = (tool['function'] ?? tool) as JsonObject;
  return own['strict'] === true;
}
