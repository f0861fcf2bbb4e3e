import type { TestContext } from 'node:test';
import type { JsonObject } from '../../src/index.ts';
import { scriptedServer, type ScriptedServer, type Turn } from './scripted-server.ts';

/** A whole reply of these blocks. */
export function message(content: readonly JsonObject[], reason: string): Turn {
  return {
    body: {
      id: 'msg_1',
      type: 'message',
      role: 'assistant',
      model: 'scripted',
      content: [...content],
      stop_reason: reason,
      stop_sequence: null,
      usage: { input_tokens: 10, output_tokens: 5 },
    },
  };
}

/** A tool_use block. */
export function use(id: string, name: string, input: JsonObject = {}): JsonObject {
  return { type: 'tool_use', id, name, input };
}

/** A streamed reply: a thought, and one call whose input comes in pieces; `reason` undefined breaks the stream. */
export function streamed(
  id: string,
  name: string,
  { input, reason }: { readonly input: string; readonly reason: string | undefined },
): Turn {
  const half = Math.ceil(input.length / 2);
  const event = (type: string, data: JsonObject): readonly [string, JsonObject] => [
    type,
    { type, ...data },
  ];
  const start = {
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    model: 'scripted',
    content: [],
    stop_reason: null,
    usage: { input_tokens: 10, output_tokens: 1 },
  };
  const delta = (index: number, given: JsonObject): readonly [string, JsonObject] =>
    event('content_block_delta', { index, delta: given });
  const events = [
    event('message_start', { message: start }),
    event('content_block_start', {
      index: 0,
      content_block: { type: 'thinking', thinking: '', signature: '' },
    }),
    delta(0, { type: 'thinking_delta', thinking: 'hm' }),
    delta(0, { type: 'signature_delta', signature: 'sig-1' }),
    event('content_block_stop', { index: 0 }),
    event('content_block_start', { index: 1, content_block: { type: 'text', text: '' } }),
    delta(1, { type: 'text_delta', text: 'One moment.' }),
    event('content_block_stop', { index: 1 }),
    event('content_block_start', { index: 2, content_block: use(id, name) }),
    delta(2, { type: 'input_json_delta', partial_json: input.slice(0, half) }),
    delta(2, { type: 'input_json_delta', partial_json: input.slice(half) }),
  ];
  if (reason === undefined) return { events, cut: true };
  return {
    events: [
      ...events,
      event('content_block_stop', { index: 2 }),
      event('message_delta', {
        delta: { stop_reason: reason, stop_sequence: null },
        usage: { output_tokens: 9 },
      }),
      event('message_stop', {}),
    ],
  };
}

/** A streamed reply of words alone. */
export function streamedWords(text: string): Turn {
  const event = (type: string, data: JsonObject): readonly [string, JsonObject] => [
    type,
    { type, ...data },
  ];
  const start = {
    id: 'msg_2',
    type: 'message',
    role: 'assistant',
    model: 'scripted',
    content: [],
    stop_reason: null,
    usage: { input_tokens: 10, output_tokens: 1 },
  };
  return {
    events: [
      event('message_start', { message: start }),
      event('content_block_start', { index: 0, content_block: { type: 'text', text: '' } }),
      event('content_block_delta', { index: 0, delta: { type: 'text_delta', text } }),
      event('content_block_stop', { index: 0 }),
      event('message_delta', { delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 3 } }),
      event('message_stop', {}),
    ],
  };
}

/** A server that speaks Anthropic Messages and refuses histories as Anthropic does. */
export function anthropicServer(t: TestContext, turns: readonly Turn[]): Promise<ScriptedServer> {
  return scriptedServer(t, turns, refusal);
}

function refusal(body: JsonObject): string | undefined {
  const messages = (body['messages'] ?? []) as { role: string; content: string | JsonObject[] }[];
  for (const tool of (body['tools'] ?? []) as { name: string }[])
    if (!/^[a-zA-Z0-9_-]{1,128}$/.test(tool.name)) return `tools.name: ${tool.name}`;
  const blocks = (index: number): readonly JsonObject[] => {
    const content = messages[index]?.content;
    return Array.isArray(content) ? content : [];
  };
  for (const [index] of messages.entries()) {
    const asked = blocks(index).filter(({ type }) => type === 'tool_use');
    if (messages[index]?.content.length === 0) return 'messages must have non-empty content';
    for (const { name, input } of asked as { name: string; input: unknown }[]) {
      if (!/^[a-zA-Z0-9_-]{1,128}$/.test(name)) return `tool_use.name: ${name}`;
      if (typeof input !== 'object') return 'tool_use.input: Input should be a valid dictionary';
    }
    const behind = blocks(index + 1);
    const ids = behind
      .filter(({ type }) => type === 'tool_result')
      .map(({ tool_use_id: id }) => id);
    if (asked.some(({ id }) => !ids.includes(id)))
      return '`tool_use` ids were found without `tool_result` blocks immediately after';
    const firstText = behind.findIndex(({ type }) => type === 'text');
    if (ids.length > 0 && firstText !== -1 && firstText < ids.length)
      return 'tool_result blocks must come first';
  }
  return undefined;
}
