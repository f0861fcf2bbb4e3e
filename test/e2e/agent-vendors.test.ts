import assert from 'node:assert/strict';
import { suite, test, type TestContext } from 'node:test';
import Anthropic from '@anthropic-ai/sdk';
import { createOpenAI } from '@ai-sdk/openai';
import * as ai from 'ai';
import OpenAI from 'openai';
import {
  aiSdkModel,
  anthropicModel,
  openaiChatModel,
  openaiResponsesModel,
  runAgent,
  type AgentOptions,
  type AgentResult,
  type JsonObject,
  type Model,
} from '../../src/index.ts';
import { runtimeOf, skillOf } from '../support/runtime-of.ts';
import { anthropicServer, message, streamed, use } from '../vendors/anthropic-server.ts';
import { calls, openaiServer, says, streams } from '../vendors/openai-server.ts';
import { scriptedServer, type ScriptedServer, type Turn } from '../vendors/scripted-server.ts';

const ran: unknown[] = [];

async function run(
  t: TestContext,
  model: Model,
  more: Partial<AgentOptions> = {},
): Promise<AgentResult> {
  ran.length = 0;
  const write = skillOf('demo.write', (params) => void ran.push(params), {
    side_effect: { kind: 'write' },
  });
  const session = await (await runtimeOf(t, [write])).openSession();
  return runAgent({ model, session, messages: 'go', ...more });
}

// As the docs make it: with the SDK's own retries on.
const openai = ({ url }: ScriptedServer): OpenAI =>
  new OpenAI({ apiKey: 'none', baseURL: `${url}/v1` });
const chat = (server: ScriptedServer): Model =>
  openaiChatModel({ client: openai(server), model: 'scripted' });
const responses = (server: ScriptedServer): Model =>
  openaiResponsesModel({ client: openai(server), model: 'scripted' });
const anthropic = ({ url }: ScriptedServer): Model =>
  anthropicModel({ client: new Anthropic({ apiKey: 'none', baseURL: url }), model: 'scripted' });

const write = { id: 'a', name: 'demo_write', arguments: { n: 1 } };
const busy = (status: number, after = '0'): Turn => ({
  status,
  headers: { 'retry-after': after },
  body: { error: { message: 'later' } },
});
const onEvent = (): void => {};

suite('a vendor that is busy', () => {
  test('is asked three times in all, whatever its SDK would do by itself', async (t) => {
    const four = [busy(429), busy(500), busy(503), busy(529)];
    const server = await openaiServer(t, four);
    assert.equal((await run(t, chat(server))).status, 'error');
    assert.equal(server.requests.length, 3);
    const other = await anthropicServer(t, four);
    assert.equal((await run(t, anthropic(other))).status, 'error');
    assert.equal(other.requests.length, 3);
    const third = await scriptedServer(t, four);
    assert.equal((await run(t, responses(third))).status, 'error');
    assert.equal(third.requests.length, 3);
  });

  test('may say until when, and may be reached by the AI SDK', async (t) => {
    const past = new Date(0).toUTCString();
    const server = await openaiServer(t, [busy(429, past), busy(500), says('ok')]);
    const provider = createOpenAI({ apiKey: 'none', baseURL: `${server.url}/v1` });
    const model = aiSdkModel({ ai, model: provider.chat('scripted') });
    assert.equal((await run(t, model, { parallel: false })).text, 'ok');
    assert.equal(server.requests[0]?.['parallel_tool_calls'], false);
  });

  test('is asked again when it cannot be reached, and a call that ran does not run again', async (t) => {
    const server = await openaiServer(t, [calls([write]), { drop: true }, says('ok')]);
    const result = await run(t, chat(server));
    assert.deepEqual([result.status, ran], ['done', [{ n: 1 }]]);
    assert.equal(server.requests.length, 3);
  });

  test('when it stays away after a call ran, the history has the result', async (t) => {
    const refused: Turn = { status: 401, body: { error: { message: 'no' } } };
    const server = await openaiServer(t, [calls([write]), refused, says('ok')]);
    const failed = await run(t, chat(server));
    assert.deepEqual([failed.status, ran.length], ['error', 1]);
    const again = await run(t, chat(server), { messages: failed.messages });
    assert.deepEqual([again.status, ran.length], ['done', 0]);
    assert.equal(JSON.stringify(server.requests[2]).split('"role":"tool"').length, 2);
  });

  test('a listener that throws loses nothing that was done', async (t) => {
    const server = await openaiServer(t, [streams([write], 'tool_calls')]);
    const result = await run(t, chat(server), {
      onEvent: ({ type }) => {
        if (type === 'result') throw new Error('listener');
      },
    });
    assert.deepEqual([result.status, result.text, ran.length], ['error', 'listener', 1]);
    assert.match(JSON.stringify(result.messages), /"role":"tool"/);
  });
});

suite('a vendor’s reply that is none', () => {
  test('malformed events run nothing', async (t) => {
    const good = (streams([write], 'tool_calls').events ?? []).slice(0, -2);
    const server = await openaiServer(t, [{ events: [...good, [undefined, '{"choices": [']] }]);
    const result = await run(t, chat(server), { onEvent });
    assert.deepEqual([result.status, ran], ['error', []]);
    const blocks = streamed('a', 'demo_write', { input: '{"n":1}', reason: 'x' }).events ?? [];
    const other = await anthropicServer(t, [
      { events: [...blocks.slice(0, -2), ['message_delta', '{"type": "mess']] },
    ]);
    const second = await run(t, anthropic(other), { onEvent });
    assert.deepEqual([second.status, ran], ['error', []]);
  });

  test('an error within a stream, or in place of a reply, is told', async (t) => {
    const failed = { error: { message: 'The upstream is overloaded.' } };
    const server = await openaiServer(t, [
      { events: [[undefined, failed]] },
      { body: failed },
      { body: { choices: [] } },
    ]);
    assert.match((await run(t, chat(server), { onEvent })).text, /overloaded/);
    const [second, third] = [await run(t, chat(server)), await run(t, chat(server))];
    assert.deepEqual(
      [second.status, second.text, third.status, third.text],
      ['error', 'The upstream is overloaded.', 'error', 'The vendor gave no reply.'],
    );
    const other = await scriptedServer(t, [
      { body: { status: 'failed', error: { code: 'server_error', message: 'sorry' }, output: [] } },
    ]);
    const result = await run(t, responses(other));
    assert.deepEqual([result.status, result.text], ['error', 'sorry']);
  });

  test('stopped by a filter it runs nothing, and the history can be sent again', async (t) => {
    const server = await openaiServer(t, [calls([write], 'content_filter'), says('ok')]);
    const filtered = await run(t, chat(server));
    assert.deepEqual([filtered.status, ran], ['refused', []]);
    assert.equal((await run(t, chat(server), { messages: filtered.messages })).status, 'done');
    const other = await anthropicServer(t, [
      message([use('a', 'demo_write', { n: 1 })], 'refusal'),
      message([], 'end_turn'),
      message([{ type: 'text', text: 'ok' }], 'end_turn'),
    ]);
    assert.deepEqual([(await run(t, anthropic(other))).status, ran], ['refused', []]);
    const silent = await run(t, anthropic(other));
    assert.deepEqual([silent.status, silent.text], ['done', '']);
    const messages = [...silent.messages, { role: 'user', content: 'and?' }];
    assert.equal((await run(t, anthropic(other), { messages })).text, 'ok');
    const output = [
      { type: 'function_call', call_id: 'a', name: 'demo_write', arguments: '{"n":1}' },
    ];
    const third = await scriptedServer(t, [
      { body: { status: 'incomplete', incomplete_details: { reason: 'content_filter' }, output } },
    ]);
    assert.deepEqual([(await run(t, responses(third))).status, ran], ['refused', []]);
  });

  test('cut off in the middle of an input, Anthropic takes the history back', async (t) => {
    const server = await anthropicServer(t, [
      streamed('a', 'demo_write', { input: '{"n": 1, "text": "hel', reason: 'max_tokens' }),
      message([use('b', 'demo.writer', {})], 'tool_use'),
      message([{ type: 'text', text: 'ok' }], 'end_turn'),
    ]);
    const first = await run(t, anthropic(server), { onEvent, maxSteps: 1 });
    assert.match(JSON.stringify(first.messages), /end in the middle/);
    const again = await run(t, anthropic(server), { messages: first.messages });
    assert.deepEqual([again.status, again.text, ran], ['done', 'ok', []]);
  });
});

test('cancelled in the middle of a stream nothing of it runs', async (t) => {
  const head = (streams([write], 'tool_calls').events ?? []).slice(0, -2);
  const server = await openaiServer(t, [{ events: head, hang: true }]);
  const cancel = new AbortController();
  const result = await run(t, chat(server), {
    signal: cancel.signal,
    onEvent: ({ type }) => {
      if (type === 'text') cancel.abort();
    },
  });
  assert.deepEqual([result.status, ran], ['cancelled', []]);
});

test('what a vendor streams beside words and calls goes back as it came', async (t) => {
  const chunk = (
    delta: JsonObject,
    reason: string | null = null,
  ): readonly [undefined, JsonObject] => [
    undefined,
    { choices: [{ index: 0, delta, finish_reason: reason }] },
  ];
  const signed = { google: { thought_signature: 'sig' } };
  const call = { index: 0, id: 'a', type: 'function', extra_content: signed };
  const server = await openaiServer(t, [
    {
      events: [
        chunk({ role: 'assistant', content: null, reasoning_content: 'Let me ' }),
        chunk({ reasoning_content: 'think.', reasoning_details: [{ data: 1 }] }),
        chunk({ reasoning_details: [{ data: 2 }] }),
        chunk({ tool_calls: [{ ...call, function: { name: 'demo_write', arguments: '' } }] }),
        chunk({ tool_calls: [{ index: 0, function: { arguments: '{"n":1}' } }] }),
        chunk({}, 'tool_calls'),
        [undefined, '[DONE]'],
      ],
    },
    streams([], 'stop'),
  ]);
  assert.equal((await run(t, chat(server), { onEvent })).status, 'done');
  const [, , turn] = (server.requests[1]?.['messages'] ?? []) as JsonObject[];
  assert.deepEqual(turn, {
    role: 'assistant',
    content: null,
    reasoning_content: 'Let me think.',
    reasoning_details: [{ data: 1 }, { data: 2 }],
    tool_calls: [
      {
        id: 'a',
        type: 'function',
        extra_content: signed,
        function: { name: 'demo_write', arguments: '{"n":1}' },
      },
    ],
  });
});
