import assert from 'node:assert/strict';
import { suite, test, type TestContext } from 'node:test';
import Anthropic from '@anthropic-ai/sdk';
import { createOpenAI } from '@ai-sdk/openai';
import { tool as langchainTool } from '@langchain/core/tools';
import * as agents from '@openai/agents';
import * as ai from 'ai';
import OpenAI from 'openai';
import {
  aiSdkModel,
  aiSdkTools,
  anthropicTools,
  langchainTools,
  openaiAgentsTools,
  openaiResponsesModel,
  runAgent,
  ToolError,
  type JsonObject,
  type Session,
} from '../../src/index.ts';
import { runtimeOf, skillOf } from '../support/runtime-of.ts';
import { anthropicServer, message, use } from '../vendors/anthropic-server.ts';
import { calls, openaiServer, says } from '../vendors/openai-server.ts';
import { scriptedServer } from '../vendors/scripted-server.ts';

async function open(t: TestContext): Promise<Session> {
  const double = skillOf('math.double', ({ n }) => ({ n: Number(n) * 2 }));
  const gone = skillOf('note.get', () => {
    throw new ToolError('NOT_FOUND', 'There is no such note. List the notes.');
  });
  return (await runtimeOf(t, [double, gone])).openSession();
}

const both = [
  { id: 'a', name: 'math_double', arguments: { n: '4' } },
  { id: 'b', name: 'note_get', arguments: {} },
];

/** The texts of the results that the model was sent with its second request. */
function toolTexts(request: JsonObject | undefined): string {
  return JSON.stringify(
    ((request?.['messages'] ?? []) as JsonObject[]).filter(({ role }) => role !== 'system'),
  );
}

suite('the AI SDK', () => {
  test('plugs in as a model, whatever its provider', async (t) => {
    const server = await openaiServer(t, [calls(both), says('eight')]);
    const provider = createOpenAI({ apiKey: 'none', baseURL: `${server.url}/v1` });
    const model = aiSdkModel({ ai, model: provider.chat('scripted') });
    const result = await runAgent({ model, session: await open(t), messages: 'double four' });
    assert.deepEqual([result.status, result.text, result.steps], ['done', 'eight', 2]);
    const told = toolTexts(server.requests[1]);
    assert.match(told, /\{\\"n\\":8\}/);
    assert.match(told, /no such note/);
    assert.equal(told.split('"role":"tool"').length, 3, 'one result a call');
  });

  test('runs the skills in its own loop', async (t) => {
    const server = await openaiServer(t, [calls(both), says('eight')]);
    const provider = createOpenAI({ apiKey: 'none', baseURL: `${server.url}/v1` });
    const { text } = await ai.generateText({
      model: provider.chat('scripted'),
      prompt: 'double four',
      tools: aiSdkTools(await open(t), ai),
      stopWhen: ai.stepCountIs(3),
    });
    assert.equal(text, 'eight');
    const told = toolTexts(server.requests[1]);
    assert.match(told, /\\"n\\":8/);
    assert.match(told, /NOT_FOUND/);
  });
});

/** A session over a long list, and over a write and a read of what it wrote, which begin and end when told. */
async function openStore(t: TestContext): Promise<{ session: Session; log: string[] }> {
  const log: string[] = [];
  let stored = 'old';
  const write = skillOf(
    'file.write',
    async () => {
      log.push('write begins');
      await new Promise((resolve) => setImmediate(resolve));
      stored = 'new';
      log.push('write ends');
    },
    { side_effect: { kind: 'write' } },
  );
  const read = skillOf('file.read', () => stored);
  const long = skillOf('file.list', () =>
    Array.from({ length: 4_000 }, (_, id) => ({ id, text: 'some words' })),
  );
  const runtime = await runtimeOf(t, [write, read, long]);
  return { session: await runtime.openSession(), log };
}

suite('tools for a loop that begins all calls of a reply at once', () => {
  test('a write is a barrier: what follows sees what it did, and writes come one by one', async (t) => {
    const { session, log } = await openStore(t);
    const tools = aiSdkTools(session, ai);
    const go = async (name: string): Promise<string | undefined> => tools[name]?.execute({}, {});
    const results = await Promise.all(
      ['file_read', 'file_write', 'file_read', 'file_write'].map(go),
    );
    assert.deepEqual([results[0], results[2]], ['old', 'new']);
    assert.deepEqual(log, ['write begins', 'write ends', 'write begins', 'write ends']);
  });

  test('a long result can be read on', async (t) => {
    const { session } = await openStore(t);
    for (const tools of [aiSdkTools(session, ai), byName(anthropicTools(session))]) {
      const run = (name: string, input: unknown): Promise<string> => {
        const tool = tools[name] as {
          execute?(input: unknown, about: object): Promise<string>;
          run?(input: unknown): Promise<string>;
        };
        return (tool.execute?.(input, {}) ?? tool.run?.(input)) as Promise<string>;
      };
      const [, shown = ''] = (await run('file_list', {})).split('For the rest call ');
      const [, name = '', input = ''] = /^(\w+) with (\{.*?\})/.exec(shown) ?? [];
      assert.match(await run(name, JSON.parse(input)), /page 2 of/);
    }
  });
});

function byName<Tool extends { readonly name: string }>(
  tools: readonly Tool[],
): Record<string, Tool> {
  return Object.fromEntries(tools.map((tool) => [tool.name, tool]));
}

test('OpenAI Responses keeps reasoning as it came', async (t) => {
  const reasoning = { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: 'opaque' };
  const item = {
    type: 'function_call',
    id: 'fc_1',
    call_id: 'a',
    name: 'math_double',
    arguments: '{"n":4}',
    status: 'completed',
  };
  const reply = (output: readonly JsonObject[]) => ({
    body: {
      id: 'resp_1',
      object: 'response',
      status: 'completed',
      output: [...output],
      usage: { input_tokens: 3, output_tokens: 2 },
    },
  });
  const words = {
    type: 'message',
    id: 'm',
    role: 'assistant',
    status: 'completed',
    content: [{ type: 'output_text', text: 'eight', annotations: [] }],
  };
  const server = await scriptedServer(t, [reply([reasoning, item]), reply([words])]);
  const client = new OpenAI({ apiKey: 'none', baseURL: `${server.url}/v1`, maxRetries: 0 });
  const model = openaiResponsesModel({ client, model: 'scripted' });
  const result = await runAgent({ model, session: await open(t), messages: 'double four' });
  assert.deepEqual([result.status, result.text], ['done', 'eight']);
  const [first, second] = server.requests;
  const [tool] = (first?.['tools'] ?? []) as { strict: boolean }[];
  assert.equal(typeof tool?.strict, 'boolean');
  const input = (second?.['input'] ?? []) as JsonObject[];
  assert.deepEqual(input[1], reasoning);
  assert.deepEqual(input.at(-1), { type: 'function_call_output', call_id: 'a', output: '{"n":8}' });
});

test('the Anthropic SDK’s tool runner runs the skills', async (t) => {
  const server = await anthropicServer(t, [
    message([use('a', 'math_double', { n: 4 }), use('b', 'note_get')], 'tool_use'),
    message([{ type: 'text', text: 'eight' }], 'end_turn'),
  ]);
  const client = new Anthropic({ apiKey: 'none', baseURL: server.url, maxRetries: 0 });
  const runner = client.beta.messages.toolRunner({
    model: 'scripted',
    max_tokens: 100,
    messages: [{ role: 'user', content: 'double four' }],
    tools: anthropicTools(await open(t)),
  });
  const last = await runner;
  assert.equal(JSON.stringify(last.content).includes('eight'), true);
  const told = toolTexts(server.requests[1]);
  assert.match(told, /\{\\"n\\":8\}/);
  assert.match(told, /no such note.*"is_error":true|"is_error":true.*no such note/);
});

test('LangChain calls the skills as structured tools', async (t) => {
  const tools = langchainTools(await open(t), { tool: langchainTool as never }) as unknown as {
    name: string;
    invoke(input: unknown): Promise<string>;
  }[];
  const double = tools.find(({ name }) => name === 'math_double');
  assert.equal(await double?.invoke({ n: 4 }), '{"n":8}');
  const gone = tools.find(({ name }) => name === 'note_get');
  await assert.rejects(async () => gone?.invoke({}), /no such note/);
});

test('OpenAI agents call the skills as their tools', async (t) => {
  agents.setTracingDisabled(true);
  const server = await openaiServer(t, [calls(both), says('eight')]);
  const client = new OpenAI({ apiKey: 'none', baseURL: `${server.url}/v1`, maxRetries: 0 });
  const agent = new agents.Agent({
    name: 'helper',
    model: new agents.OpenAIChatCompletionsModel(client, 'scripted'),
    tools: openaiAgentsTools(await open(t), { tool: agents.tool as never }) as never,
  });
  const { finalOutput } = await agents.run(agent, 'double four');
  assert.equal(finalOutput, 'eight');
  const told = toolTexts(server.requests[1]);
  assert.match(told, /\\"n\\":8/);
  assert.match(told, /no such note/);
});
