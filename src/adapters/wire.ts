import type { Dialect } from './dialects/rules.ts';
import type { Wire } from './wire-port.ts';

export type { CallResult } from './wire-port.ts';
import { aiSdkWire } from './wires/ai-sdk.ts';
import { anthropicWire } from './wires/anthropic.ts';
import { bedrockWire } from './wires/bedrock.ts';
import { cohereWire } from './wires/cohere.ts';
import { geminiWire } from './wires/gemini.ts';
import { langchainWire } from './wires/langchain.ts';
import { mcpWire } from './wires/mcp.ts';
import { mistralWire } from './wires/mistral.ts';
import { ollamaWire } from './wires/ollama.ts';
import { openaiChatWire } from './wires/openai-chat.ts';
import { openaiResponsesWire } from './wires/openai-responses.ts';

const WIRES: Readonly<Record<string, Wire>> = {
  'openai.chat': openaiChatWire,
  'openai.strict': openaiChatWire,
  'openai-compatible': openaiChatWire,
  llamacpp: openaiChatWire,
  'openai.responses': openaiResponsesWire,
  anthropic: anthropicWire,
  'anthropic.strict': anthropicWire,
  'gemini.json': geminiWire,
  'gemini.parameters': geminiWire,
  mistral: mistralWire,
  cohere: cohereWire,
  bedrock: bedrockWire,
  ollama: ollamaWire,
  mcp: mcpWire,
  'mcp.2025-11-25': mcpWire,
  'ai-sdk': aiSdkWire,
  langchain: langchainWire,
};

/** The wire of a dialect. */
export function wireOf(dialect: Dialect): Wire {
  return WIRES[dialect.id] as Wire;
}
