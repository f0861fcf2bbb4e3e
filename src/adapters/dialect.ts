import { nearest } from '../base/nearest.ts';
import { anthropic } from './dialects/anthropic.ts';
import { anthropicStrict } from './dialects/anthropic-strict.ts';
import { aiSdk } from './dialects/ai-sdk.ts';
import { bedrock } from './dialects/bedrock.ts';
import { cohere } from './dialects/cohere.ts';
import { geminiJson } from './dialects/gemini-json.ts';
import { geminiParameters } from './dialects/gemini-parameters.ts';
import { langchain } from './dialects/langchain.ts';
import { llamaCpp } from './dialects/llama-cpp.ts';
import { mcp } from './dialects/mcp.ts';
import { mcpLegacy } from './dialects/mcp-legacy.ts';
import { mistral } from './dialects/mistral.ts';
import { ollama } from './dialects/ollama.ts';
import { openaiChat } from './dialects/openai-chat.ts';
import { openaiCompatible } from './dialects/openai-compatible.ts';
import { openaiResponses } from './dialects/openai-responses.ts';
import { openaiStrict } from './dialects/openai-strict.ts';
import type { Dialect } from './dialects/rules.ts';

const DIALECTS: ReadonlyMap<string, Dialect> = new Map(
  [
    openaiChat,
    openaiResponses,
    openaiStrict,
    openaiCompatible,
    anthropic,
    anthropicStrict,
    geminiJson,
    geminiParameters,
    mistral,
    cohere,
    bedrock,
    ollama,
    llamaCpp,
    mcp,
    mcpLegacy,
    aiSdk,
    langchain,
  ].map((dialect) => [dialect.id, dialect] as const),
);

const ALIASES: Readonly<Record<string, string>> = {
  gemini: 'gemini.json',
  'llama.cpp': 'llamacpp',
  openai: 'openai.chat',
};

/** The ids `compile` takes, in the order of their table. */
export const DIALECT_IDS: readonly string[] = [...DIALECTS.keys()];

/** The capability table of a dialect. Throws TypeError with the nearest names when there is none. */
export function findDialect(id: string): Dialect {
  const dialect = DIALECTS.get(ALIASES[id] ?? id);
  if (dialect !== undefined) return dialect;
  const close = nearest(id, DIALECT_IDS, 3);
  const hint = close.length > 0 ? `Did you mean ${close.join(' or ')}?` : 'There is';
  throw new TypeError(
    `There is no dialect ${JSON.stringify(id.slice(0, 80))}. ${close.length > 0 ? hint : `${hint} ${DIALECT_IDS.join(', ')}.`}`,
  );
}
