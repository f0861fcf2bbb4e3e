import type { JsonObject } from '../base/json.ts';
import type { SideEffect } from '../contract/contract.ts';
import type { Dialect } from './dialects/rules.ts';

/** What every vendor's tool says, in whichever shape. */
export interface ToolFacts {
  readonly name: string;
  readonly title: string | undefined;
  readonly description: string;
  readonly schema: JsonObject;
  /** Undefined where the tool is not strict and the dialect says so by silence. */
  readonly strict: boolean | undefined;
  readonly examples: readonly JsonObject[];
  readonly effect: SideEffect;
  /** For a vendor that loads tools only when they are searched for. */
  readonly deferred: boolean;
}

type Shape = (facts: ToolFacts) => JsonObject;

const flag = (strict: boolean | undefined): JsonObject => (strict === undefined ? {} : { strict });

const SHAPES: Readonly<Record<Dialect['shape'], Shape>> = {
  'openai.chat': ({ name, description, schema, strict }) => ({
    type: 'function',
    function: { name, description, parameters: schema, ...flag(strict) },
  }),
  'openai.responses': ({ name, description, schema, strict = false, deferred }) => ({
    type: 'function',
    name,
    description,
    parameters: schema,
    strict,
    ...(deferred ? { defer_loading: true } : {}),
  }),
  anthropic: ({ name, description, schema, strict, examples, deferred }) => ({
    name,
    description,
    input_schema: schema,
    ...flag(strict),
    ...(examples.length > 0 ? { input_examples: [...examples] } : {}),
    ...(deferred ? { defer_loading: true } : {}),
  }),
  gemini: ({ name, description, schema }) => ({ name, description, parametersJsonSchema: schema }),
  'gemini.parameters': ({ name, description, schema }) => ({
    name,
    description,
    parameters: schema,
  }),
  bedrock: ({ name, description, schema }) => ({
    toolSpec: { name, description, inputSchema: { json: schema } },
  }),
  mcp: ({ name, title, description, schema, effect }) => ({
    name,
    ...(title === undefined ? {} : { title }),
    description,
    inputSchema: schema,
    annotations: {
      readOnlyHint: effect.kind !== 'write',
      destructiveHint: effect.kind === 'write' && effect.destructive !== false,
      idempotentHint: effect.kind !== 'write' || effect.idempotent === true,
    },
  }),
  'ai-sdk': ({ name, title, description, schema }) => ({
    name,
    ...(title === undefined ? {} : { title }),
    description,
    inputSchema: schema,
  }),
  langchain: ({ name, description, schema }) => ({ name, description, schema }),
};

/** A tool as one vendor wants it. */
export function toolShape(
  shape: Dialect['shape'],
  facts: ToolFacts,
  omitEmpty: boolean,
): JsonObject {
  const tool = SHAPES[shape](facts);
  const { properties } = facts.schema;
  const empty = properties === undefined || Object.keys(properties as JsonObject).length === 0;
  if (!omitEmpty || !empty || shape !== 'openai.chat') return tool;
  const { parameters: _parameters, ...rest } = tool['function'] as JsonObject;
  return { ...tool, function: rest };
}
