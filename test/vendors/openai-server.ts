import type { TestContext } from 'node:test';
import type { JsonObject } from '../../src/index.ts';
import { scriptedServer, type ScriptedServer, type Turn } from './scripted-server.ts';

/** A call as Chat Completions writes it. */
export interface ChatCall {
  readonly id: string;
  readonly name: string;
  /** Text as it is, or parameters. */
  readonly arguments: JsonObject | string;
}

const sent = (call: ChatCall): string =>
  typeof call.arguments === 'string' ? call.arguments : JSON.stringify(call.arguments);

/** A whole reply with words. */
export function says(content: string, finish = 'stop'): Turn {
  return { body: completion({ role: 'assistant', content, refusal: null }, finish) };
}

/** A whole reply with calls. */
export function calls(list: readonly ChatCall[], finish = 'tool_calls'): Turn {
  const tool_calls = list.map((call) => ({
    id: call.id,
    type: 'function',
    function: { name: call.name, arguments: sent(call) },
  }));
  return {
    body: completion({ role: 'assistant', content: null, refusal: null, tool_calls }, finish),
  };
}

function completion(message: JsonObject, finish: string): JsonObject {
  return {
    id: 'chatcmpl-1',
    object: 'chat.completion',
    created: 1,
    model: 'scripted',
    choices: [{ index: 0, message, finish_reason: finish, logprobs: null }],
    usage: { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 },
  };
}

/** A streamed reply with calls whose arguments come in pieces; `finish` undefined breaks the stream. */
export function streams(list: readonly ChatCall[], finish: string | undefined): Turn {
  const chunk = (
    delta: JsonObject,
    reason: string | null = null,
  ): readonly [undefined, JsonObject] => [
    undefined,
    {
      id: 'chatcmpl-1',
      object: 'chat.completion.chunk',
      created: 1,
      model: 'scripted',
      choices: [{ index: 0, delta, finish_reason: reason }],
    },
  ];
  const pieces = list.flatMap((call, index) => {
    const whole = sent(call);
    const half = Math.ceil(whole.length / 2);
    const piece = (part: string, head: JsonObject = {}): readonly [undefined, JsonObject] =>
      chunk({
        tool_calls: [
          {
            index,
            ...head,
            function: { ...(head['id'] === undefined ? {} : { name: call.name }), arguments: part },
          },
        ],
      });
    return [
      piece('', { id: call.id, type: 'function' }),
      piece(whole.slice(0, half)),
      piece(whole.slice(half)),
    ];
  });
  const events = [
    chunk({ role: 'assistant', content: 'Let me ' }),
    chunk({ content: 'look.' }),
    ...pieces,
  ];
  if (finish === undefined) return { events, cut: true };
  return { events: [...events, chunk({}, finish), [undefined, '[DONE]']] };
}

/** A server that speaks Chat Completions and refuses histories as OpenAI does. */
export function openaiServer(t: TestContext, turns: readonly Turn[]): Promise<ScriptedServer> {
  return scriptedServer(t, turns, refusal);
}

function refusal(body: JsonObject): string | undefined {
  const messages = (body['messages'] ?? []) as JsonObject[];
  const tools = (body['tools'] ?? []) as { function: { name: string } }[];
  if (tools.length > 128) return 'array too long: tools';
  for (const tool of tools)
    if (!/^[a-zA-Z0-9_-]{1,64}$/.test(tool.function.name))
      return `Invalid 'tools.function.name': ${tool.function.name}`;
  for (const [index, message] of messages.entries()) {
    const asked = (message['tool_calls'] ?? []) as {
      id: string;
      function: { name: string; arguments: string };
    }[];
    for (const call of asked) {
      if (!/^[a-zA-Z0-9_-]{1,64}$/.test(call.function.name))
        return `Invalid 'messages.tool_calls.function.name'`;
      try {
        JSON.parse(call.function.arguments);
      } catch {
        return 'Invalid arguments in a tool call of the history';
      }
    }
    const behind = messages.slice(index + 1, index + 1 + asked.length);
    const answered = new Set(behind.map(({ tool_call_id: id }) => id));
    if (asked.some(({ id }) => !answered.has(id)))
      return `An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'.`;
  }
  return undefined;
}
