import assert from 'node:assert/strict';
import { suite, test, type TestContext } from 'node:test';
import Anthropic from '@anthropic-ai/sdk';
import OpenAI from 'openai';
import {
  anthropicModel,
  createMemoryStore,
  openaiChatModel,
  runAgent,
  type AgentEvent,
  type AgentOptions,
  type AgentResult,
  type Model,
  type Runtime,
  type Session,
} from '../../src/index.ts';
import { runtimeOf, skillOf } from '../support/runtime-of.ts';
import { anthropicServer, message, streamed, use } from '../vendors/anthropic-server.ts';
import { calls, openaiServer, says, streams } from '../vendors/openai-server.ts';
import type { ScriptedServer } from '../vendors/scripted-server.ts';

const openai = ({ url }: ScriptedServer): Model =>
  openaiChatModel({
    client: new OpenAI({ apiKey: 'none', baseURL: `${url}/v1`, maxRetries: 0 }),
    model: 'scripted',
  });
const anthropic = ({ url }: ScriptedServer): Model =>
  anthropicModel({
    client: new Anthropic({ apiKey: 'none', baseURL: url, maxRetries: 0 }),
    model: 'scripted',
  });

const ran: string[] = [];

/** A session over a read, a write and one that waits; what runs is noted in `ran`. */
async function open(t: TestContext): Promise<{ runtime: Runtime; session: Session }> {
  ran.length = 0;
  const note = (name: string) => (params: unknown) => {
    ran.push(`${name} ${JSON.stringify(params)}`);
    return { done: name };
  };
  const parameters = {
    type: 'object',
    properties: { n: { type: 'integer', minimum: 1 } },
    required: ['n'],
    additionalProperties: false,
  };
  const runtime = await runtimeOf(
    t,
    [
      skillOf('demo.read', note('read'), { parameters }),
      skillOf('demo.write', note('write'), { parameters, side_effect: { kind: 'write' } }),
      skillOf('demo.wait', (_params, { signal }) => {
        ran.push('wait');
        return new Promise((_resolve, reject) =>
          signal.addEventListener('abort', () => reject(signal.reason as Error)),
        );
      }),
    ],
    { store: createMemoryStore() },
  );
  return { runtime, session: await runtime.openSession() };
}

const call = (id: string, name: string, n: unknown = 1) => ({
  id,
  name,
  arguments: { n } as never,
});

async function run(
  t: TestContext,
  server: ScriptedServer,
  more: Partial<AgentOptions> = {},
): Promise<AgentResult> {
  const { session } = await open(t);
  return runAgent({ model: openai(server), session, messages: 'go', ...more });
}

suite('an agent', () => {
  test('goes step by step to the answer, calls of one reply together and their results in order', async (t) => {
    const server = await openaiServer(t, [
      calls([call('a', 'demo_read', 1), call('b', 'demo_write', 2), call('c', 'demo_read', 3)]),
      calls([call('d', 'demo_read', 4)]),
      says('All done.'),
    ]);
    const result = await run(t, server, { system: 'Be brief.' });
    assert.deepEqual([result.status, result.text, result.steps], ['done', 'All done.', 3]);
    assert.deepEqual(ran, ['read {"n":1}', 'write {"n":2}', 'read {"n":3}', 'read {"n":4}']);
    const [first, second] = server.requests;
    const [system] = (first?.['messages'] ?? []) as { content: string }[];
    assert.match(system?.content ?? '', /^Be brief\.\n\nCall tools/);
    assert.equal(first?.['parallel_tool_calls'], true);
    const results = (
      (second?.['messages'] ?? []) as { role: string; tool_call_id?: string }[]
    ).filter(({ role }) => role === 'tool');
    assert.deepEqual(
      results.map(({ tool_call_id: id }) => id),
      ['a', 'b', 'c'],
    );
    assert.deepEqual(result.usage, { input: 30, output: 15 });
  });

  test('lets the model mend what was wrong, and a name that does not exist', async (t) => {
    const server = await openaiServer(t, [
      calls([
        call('a', 'demo_read', 'many'),
        call('b', 'demo_raed'),
        { id: 'c', name: 'demo_read', arguments: '{"n": 1' },
      ]),
      calls([call('d', 'demo_read', 2)]),
      says('ok'),
    ]);
    const result = await run(t, server);
    assert.equal(result.status, 'done');
    assert.deepEqual(ran, ['read {"n":2}']);
    const told = JSON.stringify(server.requests[1]?.['messages']);
    for (const word of [/n must be integer/, /Did you mean demo_read/, /end in the middle/])
      assert.match(told, word);
  });

  test('runs nothing of a reply that was cut off, whole or streamed', async (t) => {
    const server = await openaiServer(t, [
      calls([call('a', 'demo_write')], 'length'),
      streams([call('b', 'demo_write')], 'length'),
      says('shorter'),
    ]);
    const first = await run(t, server, { maxSteps: 1 });
    assert.equal(first.status, 'step_limit');
    const { session } = await open(t);
    const second = await runAgent({
      model: openai(server),
      session,
      messages: 'go',
      onEvent: () => {},
      maxSteps: 1,
    });
    assert.deepEqual([ran, second.status], [[], 'step_limit']);
  });

  test('streams words and puts calls together', async (t) => {
    const server = await openaiServer(t, [
      streams([call('a', 'demo_read', 1), call('b', 'demo_read', 2)], 'tool_calls'),
      streams([], 'stop'),
    ]);
    const events: AgentEvent[] = [];
    const result = await run(t, server, { onEvent: (event) => void events.push(event) });
    assert.deepEqual([result.status, result.text], ['done', 'Let me look.']);
    assert.deepEqual(ran, ['read {"n":1}', 'read {"n":2}']);
    const words = events.flatMap((event) => (event.type === 'text' ? [event.text] : []));
    assert.deepEqual(words.slice(0, 2), ['Let me ', 'look.']);
    assert.equal(events.filter(({ type }) => type === 'result').length, 2);
  });

  test('a stream that breaks runs nothing and ends with a history that can be sent again', async (t) => {
    const server = await openaiServer(t, [
      streams([call('a', 'demo_write')], undefined),
      says('again'),
    ]);
    const { session } = await open(t);
    const model = openai(server);
    const broken = await runAgent({ model, session, messages: 'go', onEvent: () => {} });
    assert.equal(broken.status, 'error');
    assert.deepEqual(ran, []);
    const again = await runAgent({ model, session, messages: broken.messages });
    assert.deepEqual([again.status, again.text], ['done', 'again']);
  });

  test('stops going round in circles, after telling the model so', async (t) => {
    const same = calls([call('a', 'demo_read', 1)]);
    const server = await openaiServer(t, [same, same, same, same]);
    const result = await run(t, server);
    assert.equal(result.status, 'loop');
    assert.equal(server.requests.length, 3);
    assert.match(JSON.stringify(server.requests[2]?.['messages']), /made this very call before/);
    const other = calls([call('b', 'demo_read', 2)]);
    const turns = await openaiServer(t, [same, other, same, other, same, other, same]);
    assert.equal((await run(t, turns)).status, 'loop');
  });

  test('ends at its step limit and when the vendor refuses', async (t) => {
    const server = await openaiServer(t, [
      calls([call('a', 'demo_read')]),
      says('', 'content_filter'),
    ]);
    const limited = await run(t, server, { maxSteps: 1 });
    assert.equal(limited.status, 'step_limit');
    const refused = await run(t, server);
    assert.equal(refused.status, 'refused');
  });

  test('waits when the vendor says so, and tells any other error without secrets', async (t) => {
    const server = await openaiServer(t, [
      { status: 429, headers: { 'retry-after': '0' }, body: { error: { message: 'slow down' } } },
      says('after a while'),
      {
        status: 401,
        body: {
          error: {
            message: 'Incorrect API key provided: sk-proj-abcdefghijklmnopqrstuvwxyz0123456789',
          },
        },
      },
    ]);
    assert.equal((await run(t, server)).text, 'after a while');
    const failed = await run(t, server);
    assert.equal(failed.status, 'error');
    assert.match(failed.text, /401/);
    assert.doesNotMatch(failed.text, /abcdefghijkl/);
  });

  test('is cancelled in the middle of a request and in the middle of a skill', async (t) => {
    const server = await openaiServer(t, [
      { hang: true },
      streams([{ id: 'a', name: 'demo_wait', arguments: {} }], 'tool_calls'),
    ]);
    const first = new AbortController();
    const heard = server.arrived();
    const asking = run(t, server, { signal: first.signal });
    await heard;
    first.abort();
    assert.equal((await asking).status, 'cancelled');
    const second = new AbortController();
    const { session } = await open(t);
    const running = runAgent({
      model: openai(server),
      session,
      messages: 'go',
      signal: second.signal,
      onEvent: ({ type }) => {
        if (type === 'call') setImmediate(() => second.abort());
      },
    });
    const stopped = await running;
    assert.equal(stopped.status, 'cancelled');
    assert.match(JSON.stringify(stopped.messages), /demo\.wait was cancelled|n.*missing/);
  });

  test('tells the vendor when calls are to come one by one', async (t) => {
    const server = await openaiServer(t, [says('ok')]);
    await run(t, server, { parallel: false });
    assert.equal(server.requests[0]?.['parallel_tool_calls'], false);
    const other = await anthropicServer(t, [message([{ type: 'text', text: 'ok' }], 'end_turn')]);
    await run(t, other, { model: anthropic(other), parallel: false });
    assert.deepEqual(other.requests[0]?.['tool_choice'], {
      type: 'auto',
      disable_parallel_tool_use: true,
    });
  });
});

suite('an agent of Anthropic', () => {
  test('keeps thoughts with their signature, answers in one message', async (t) => {
    const thought = { type: 'thinking', thinking: 'hm', signature: 'sig-0' };
    const server = await anthropicServer(t, [
      message(
        [thought, use('a', 'demo_read', { n: 1 }), use('b', 'demo_read', { n: 0 })],
        'tool_use',
      ),
      message([{ type: 'text', text: 'fine' }], 'end_turn'),
    ]);
    const result = await run(t, server, { model: anthropic(server) });
    assert.deepEqual([result.status, result.text], ['done', 'fine']);
    const [, turn, results] = (server.requests[1]?.['messages'] ?? []) as { content: unknown[] }[];
    assert.deepEqual(turn?.content[0], thought);
    assert.deepEqual(
      ((results?.content ?? []) as { tool_use_id: string; is_error?: boolean }[]).map(
        ({ tool_use_id: id, is_error: flag }) => [id, flag],
      ),
      [
        ['a', undefined],
        ['b', true],
      ],
    );
  });

  test('streams; a cut stream runs nothing; a refusal and a pause are told apart', async (t) => {
    const server = await anthropicServer(t, [
      streamed('a', 'demo_read', { input: '{"n":7}', reason: 'tool_use' }),
      message([{ type: 'text', text: 'part one' }], 'pause_turn'),
      message([{ type: 'text', text: 'no' }], 'refusal'),
    ]);
    const { session } = await open(t);
    const words: string[] = [];
    const result = await runAgent({
      model: anthropic(server),
      session,
      messages: 'go',
      onEvent: (event) => void (event.type === 'text' && words.push(event.text)),
      maxSteps: 1,
    });
    assert.deepEqual(
      [result.status, words, ran],
      ['step_limit', ['One moment.'], ['read {"n":7}']],
    );
    const [, turn] = result.messages as { content: { signature?: string }[] }[];
    assert.equal(turn?.content[0]?.signature, 'sig-1');
    const paused = await runAgent({ model: anthropic(server), session, messages: 'go' });
    assert.deepEqual([paused.status, paused.steps], ['refused', 2]);
    const cut = await anthropicServer(t, [
      streamed('a', 'demo_write', { input: '{"n":7}', reason: undefined }),
    ]);
    await runAgent({
      model: anthropic(cut),
      session,
      messages: 'go',
      onEvent: () => {},
      maxSteps: 1,
    });
    assert.ok(!ran.some((line) => line.startsWith('write')));
  });
});

suite('approvals', () => {
  const ask: NonNullable<AgentOptions['approve']> = ({ effect }) =>
    effect === 'write' ? 'ask' : true;
  const turns = () => [
    calls([call('a', 'demo_read', 1), call('b', 'demo_write', 2)]),
    says('done'),
  ];

  test('nothing of a reply runs while a call waits; approved, all of it runs once', async (t) => {
    const server = await openaiServer(t, [...turns(), says('again')]);
    const { runtime, session } = await open(t);
    const model = openai(server);
    const paused = await runAgent({ model, session, messages: 'go', approve: ask });
    assert.equal(paused.status, 'awaiting_approval');
    assert.deepEqual(ran, []);
    const [pending] = paused.pending ?? [];
    assert.deepEqual(
      [pending?.skill, pending?.params, pending?.effect],
      ['demo.write', { n: 2 }, 'write'],
    );
    // As another process would have it.
    const state = JSON.parse(JSON.stringify(paused.state)) as NonNullable<AgentResult['state']>;
    const decisions = { b: { approved: true, digest: pending?.digest ?? '' } };
    const other = await runtime.openSession();
    const done = await runAgent({
      model,
      session: other,
      messages: [],
      approve: ask,
      resume: { state, decisions },
    });
    assert.deepEqual([done.status, done.text], ['done', 'done']);
    assert.deepEqual(ran, ['read {"n":1}', 'write {"n":2}']);
    const twice = await runAgent({
      model,
      session: other,
      messages: [],
      approve: ask,
      resume: { state, decisions },
    });
    assert.deepEqual(ran.length, 2, 'a decision holds once');
    assert.match(JSON.stringify(twice.messages), /used before/);
  });

  test('refused, the model is told why; a decision about something else asks again', async (t) => {
    const server = await openaiServer(t, [...turns(), says('understood')]);
    const { session } = await open(t);
    const model = openai(server);
    const paused = await runAgent({ model, session, messages: 'go', approve: ask });
    const { state, pending } = paused;
    assert.ok(state !== undefined);
    const wrong = { b: { approved: true, digest: 'of something else' } };
    const again = await runAgent({
      model,
      session,
      messages: [],
      approve: ask,
      resume: { state, decisions: wrong },
    });
    assert.equal(again.status, 'awaiting_approval');
    const no = { b: { approved: false, digest: pending?.[0]?.digest ?? '', note: 'Not today.' } };
    const refused = await runAgent({
      model,
      session,
      messages: [],
      approve: ask,
      resume: { state, decisions: no },
    });
    assert.equal(refused.status, 'done');
    assert.deepEqual(ran, ['read {"n":1}']);
    assert.match(JSON.stringify(refused.messages), /not approved\. Not today\./);
  });

  /** As another process would have it. */
  const kept = ({ state }: AgentResult): NonNullable<AgentResult['state']> =>
    JSON.parse(JSON.stringify(state)) as NonNullable<AgentResult['state']>;
  const yes = ({ pending = [] }: AgentResult) =>
    Object.fromEntries(pending.map(({ id, digest }) => [id, { approved: true, digest }]));

  test('decided one by one, all is shown until all is decided, and it is one pause', async (t) => {
    const two = calls([call('a', 'demo_write', 1), call('b', 'demo_write', 2)]);
    const server = await openaiServer(t, [two, says('done'), says('again')]);
    const { session } = await open(t);
    const base = { model: openai(server), session, messages: [], approve: ask };
    const first = await runAgent({ ...base, messages: 'go' });
    const { a } = yes(first);
    assert.ok(a !== undefined);
    const second = await runAgent({ ...base, resume: { state: kept(first), decisions: { a } } });
    assert.deepEqual([second.status, ran], ['awaiting_approval', []]);
    assert.deepEqual(yes(second), yes(first));
    const done = await runAgent({
      ...base,
      resume: { state: kept(second), decisions: yes(second) },
    });
    assert.deepEqual([done.status, ran.length], ['done', 2]);
    // The first state is the same pause: it has been gone on with.
    await runAgent({ ...base, resume: { state: kept(first), decisions: yes(first) } });
    assert.equal(ran.length, 2);
  });

  test('a state that was changed runs nothing that was not decided', async (t) => {
    const server = await openaiServer(t, turns());
    const { session } = await open(t);
    const base = { model: openai(server), session, messages: [], approve: ask };
    const paused = await runAgent({ ...base, messages: 'go' });
    const decisions = yes(paused);
    const text = JSON.stringify(paused.state);
    for (const [what, changed] of [
      ['another parameter', text.replace('{\\"n\\":2}', '{\\"n\\":3}')],
      ['another skill', text.replace('demo_read', 'demo_write')],
      ['ids exchanged', text.replace('"id":"b"', '"id":"c"').replace('"id":"a"', '"id":"b"')],
      ['another pause', text.replace(paused.state?.id ?? '', `${Date.now()}-mine`)],
    ] as const) {
      assert.notEqual(changed, text, what);
      const state = JSON.parse(changed) as NonNullable<AgentResult['state']>;
      const again = await runAgent({ ...base, resume: { state, decisions } });
      assert.deepEqual([again.status, ran], ['awaiting_approval', []], what);
    }
  });

  test('a decision is none for a later call that says the same', async (t) => {
    const same = calls([call('a', 'demo_write', 2)]);
    const server = await openaiServer(t, [same, says('done'), same]);
    const { session } = await open(t);
    const base = { model: openai(server), session, messages: [], approve: ask };
    const first = await runAgent({ ...base, messages: 'go' });
    const decisions = yes(first);
    await runAgent({ ...base, resume: { state: kept(first), decisions } });
    const later = await runAgent({ ...base, messages: 'once more' });
    const again = await runAgent({ ...base, resume: { state: kept(later), decisions } });
    assert.deepEqual([again.status, ran], ['awaiting_approval', ['write {"n":2}']]);
  });

  test('a decision after a week is none: the model is told', async (t) => {
    const server = await openaiServer(t, [...turns(), says('again')]);
    const { session } = await open(t);
    const base = { model: openai(server), session, messages: [], approve: ask };
    const paused = await runAgent({ ...base, messages: 'go' });
    t.mock.timers.enable({ apis: ['Date'], now: Date.now() + 8 * 24 * 3_600_000 });
    const resume = { state: kept(paused), decisions: yes(paused) };
    const late = await runAgent({ ...base, resume });
    assert.deepEqual([late.status, ran], ['done', []]);
    assert.match(JSON.stringify(late.messages), /over a week ago/);
  });

  test('calls to which a vendor gave no id, or one id twice, are decided one by one', async (t) => {
    const { session } = await open(t);
    for (const ids of [
      ['', ''],
      ['x', 'x'],
    ]) {
      ran.length = 0;
      const parts = ids.map((id, index) => ({
        functionCall: { ...(id === '' ? {} : { id }), name: 'demo_write', args: { n: index + 1 } },
      }));
      const replies = [parts, [{ text: 'done' }]].map((list) => ({
        reply: { candidates: [{ content: { role: 'model', parts: list }, finishReason: 'STOP' }] },
        text: 'done',
        finish: 'stop' as const,
      }));
      const model: Model = {
        dialect: 'gemini.json',
        userMessage: (text) => ({ role: 'user', parts: [{ text }] }),
        send: () => Promise.resolve(replies.shift() as (typeof replies)[number]),
      };
      const base = { model, session, messages: [], approve: ask };
      const paused = await runAgent({ ...base, messages: 'go' });
      const [first, second] = paused.pending ?? [];
      assert.notEqual(first?.id, second?.id);
      const decisions = yes(paused);
      decisions[first?.id ?? ''] = { approved: false, digest: first?.digest ?? '' };
      const done = await runAgent({ ...base, resume: { state: kept(paused), decisions } });
      assert.deepEqual([done.status, ran], ['done', ['write {"n":2}']]);
    }
  });

  test('a call that could not run when it was judged does not run when it can', async (t) => {
    const { session, runtime } = await open(t);
    const reply = {
      role: 'assistant',
      tool_calls: [{ id: 'a', function: { name: 'demo_write', arguments: '{"n":1}' } }],
    };
    const { outcomes } = await session.dispatch('openai.chat', reply, { approved: {} });
    assert.deepEqual([ran, outcomes[0]?.envelope?.success], [[], false]);
    await runtime.close();
  });

  test('a state that is none throws at once, and so does one without the rule it was paused by', async (t) => {
    const server = await openaiServer(t, []);
    const { session } = await open(t);
    const sound = {
      format: 'skillwright.agent/1',
      dialect: 'openai.chat',
      id: `${Date.now()}-x`,
      messages: [],
      reply: {},
      steps: 1,
    };
    await assert.rejects(
      runAgent({
        model: openai(server),
        session,
        messages: [],
        resume: { state: sound as never, decisions: {} },
      }),
      /needs approve/,
    );
    for (const state of [
      undefined,
      {},
      { format: 'skillwright.agent/1', dialect: 'anthropic' },
      { ...sound, steps: -9 },
      { ...sound, messages: ['go'] },
    ])
      await assert.rejects(
        runAgent({
          model: openai(server),
          session,
          messages: [],
          approve: ask,
          resume: { state: state as never, decisions: {} },
        }),
        TypeError,
      );
  });
});
