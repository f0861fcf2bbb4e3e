import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { createMemoryStore, ToolError, type JsonObject, type Session } from '../../src/index.ts';
import { runtimeOf, skillOf } from '../support/runtime-of.ts';

interface Sent {
  readonly name: string;
  readonly params?: JsonObject;
  readonly text?: string;
}

/** A reply of Chat Completions that makes these calls. */
function reply(...calls: readonly Sent[]): JsonObject {
  const list = calls.map(({ name, params = {}, text }, index) => ({
    id: `c${index}`,
    type: 'function',
    function: { name, arguments: text ?? JSON.stringify(params) },
  }));
  return {
    choices: [
      {
        message: { role: 'assistant', content: null, tool_calls: list },
        finish_reason: 'tool_calls',
      },
    ],
  };
}

/** The text of each result, by its place. */
async function told(session: Session, given: JsonObject, options = {}): Promise<readonly string[]> {
  const { messages } = await session.dispatch('openai.chat', given, options);
  const results = messages.slice(1);
  results.forEach((message, index) => assert.equal(message['tool_call_id'], `c${index}`));
  return results.map(({ content }) => content as string);
}

suite('the calls of a reply', () => {
  test('reads run together, a write alone and in its place, results in the order of the calls', async (t) => {
    const log: string[] = [];
    const gates = new Map<string, PromiseWithResolvers<void>>();
    const gate = (name: string): PromiseWithResolvers<void> => {
      const known = gates.get(name) ?? Promise.withResolvers<void>();
      gates.set(name, known);
      return known;
    };
    const body = (name: string) => async (): Promise<string> => {
      log.push(`${name} begins`);
      await gate(name).promise;
      log.push(`${name} ends`);
      return name;
    };
    const read = (name: string) => skillOf(`demo.${name}`, body(name));
    const write = skillOf('demo.write', body('write'), { side_effect: { kind: 'write' } });
    const runtime = await runtimeOf(t, [read('a'), read('b'), write, read('c')]);
    const session = await runtime.openSession();
    const calls = ['demo_a', 'demo_b', 'demo_write', 'demo_c'].map((name) => ({ name }));
    const running = told(session, reply(...calls));
    gate('b').resolve();
    gate('a').resolve();
    gate('write').resolve();
    gate('c').resolve();
    assert.deepEqual(await running, ['a', 'b', 'write', 'c']);
    assert.deepEqual(log.slice(0, 2), ['a begins', 'b begins']);
    assert.ok(log.indexOf('write begins') > Math.max(log.indexOf('a ends'), log.indexOf('b ends')));
    assert.ok(log.indexOf('c begins') > log.indexOf('write ends'));
  });

  test('one after the other when the host wants it so', async (t) => {
    let running = 0;
    let most = 0;
    const read = skillOf('demo.read', async () => {
      most = Math.max(most, ++running);
      await new Promise((resolve) => setImmediate(resolve));
      running--;
    });
    const runtime = await runtimeOf(t, [read]);
    const session = await runtime.openSession();
    const three = reply(...Array.from({ length: 3 }, () => ({ name: 'demo_read' })));
    await told(session, three, { parallel: false });
    assert.equal(most, 1);
    await told(session, three);
    assert.equal(most, 3);
  });

  test('a call that fails, that nobody can read or that names nothing loses no other', async (t) => {
    const good = skillOf('demo.good', ({ n }) => `got ${n as number}`);
    const bad = skillOf('demo.bad', () =>
      Promise.reject(new ToolError('NOT_FOUND', 'It is gone. Look it up.')),
    );
    const store = createMemoryStore();
    const runtime = await runtimeOf(t, [good, bad], { store });
    const session = await runtime.openSession({ conversation: 'c' });
    const results = await told(
      session,
      reply(
        { name: 'demo_good', params: { n: '5' } },
        { name: 'demo_bad' },
        { name: 'demo_good', text: '{"n": 1' },
        { name: 'demo_godo' },
        { name: 'functions.demo_good', text: '```json\n{"n": 2}\n```' },
      ),
    );
    assert.equal(results[0], 'got 5');
    assert.deepEqual(
      results.slice(1, 4).map((text) => (JSON.parse(text) as JsonObject)['code']),
      ['NOT_FOUND', 'PARSE_ERROR', 'TOOL_NOT_FOUND'],
    );
    assert.match(results[2] ?? '', /end in the middle/);
    assert.match(results[3] ?? '', /Did you mean demo_good/);
    assert.equal(results[4], 'got 2');
    const rows = await store.calls.list({ conversation: 'c', limit: 10 });
    assert.equal(rows.length, 5, 'what was refused leaves a row, too');
  });

  test('a wrapper that a model made up is opened, and answered once', async (t) => {
    const double = skillOf('math.double', ({ n }) => Number(n) * 2);
    const runtime = await runtimeOf(t, [double]);
    const session = await runtime.openSession();
    const uses = [
      { recipient_name: 'functions.math_double', parameters: { n: 2 } },
      { recipient_name: 'functions.math_double', parameters: { n: 'x' } },
    ];
    const wrapped = { name: 'multi_tool_use.parallel', params: { tool_uses: uses } };
    const [text = '', other] = await told(
      session,
      reply(wrapped, { name: 'math_double', params: { n: 5 } }),
    );
    const [first, second] = JSON.parse(text) as { tool: string; said: string }[];
    assert.deepEqual(first, { tool: 'functions.math_double', said: '4' });
    assert.match(second?.said ?? '', /INVALID_PARAMS/);
    assert.equal(other, '10');
  });

  test('what runs, what is recorded and what is judged are the same parameters', async (t) => {
    const seen: unknown[] = [];
    const parameters = {
      type: 'object',
      properties: { path: { type: 'string' }, tags: { type: 'array', items: { type: 'string' } } },
      required: ['path'],
      additionalProperties: false,
    };
    const skill = skillOf('file.do', (params) => void seen.push(params), { parameters });
    const store = createMemoryStore();
    const runtime = await runtimeOf(t, [skill], { store });
    const session = await runtime.openSession({ conversation: 'c' });
    const call = {
      id: 'c0',
      type: 'function',
      function: { name: 'file_do', arguments: '{"path":"a","tags":null}' },
    };
    await session.dispatch('openai.strict', { role: 'assistant', tool_calls: [call] });
    assert.deepEqual(seen, [{ path: 'a' }]);
    assert.equal((await store.calls.list({ conversation: 'c' }))[0]?.params, '{"path":"a"}');
  });

  test('a result that is too long comes in pages, all of one turn within their budget', async (t) => {
    const rows = Array.from({ length: 2_000 }, (_, id) => ({
      id,
      text: 'some words that take room',
    }));
    const list = skillOf('demo.list', () => ({ rows }));
    const runtime = await runtimeOf(t, [list], {});
    const session = await runtime.openSession();
    const before = session.toolsFor('openai.chat').tools.length;
    const results = await told(
      session,
      reply(...Array.from({ length: 4 }, () => ({ name: 'demo_list' }))),
    );
    assert.ok(results.join('').length <= 100_000, `${results.join('').length}`);
    const [page = '', note = ''] = (results[0] ?? '').split('\nTruncated: ');
    const shown = JSON.parse(page) as { rows: unknown[] };
    assert.match(note, /call result_read with \{"result":"r1","page":2\}/);
    assert.equal(session.toolsFor('openai.chat').tools.length, before + 1);
    const all: unknown[] = [...shown.rows];
    for (let number = 2; all.length < rows.length; number++) {
      const [next = ''] = await told(
        session,
        reply({ name: 'result_read', params: { result: 'r1', page: number } }),
      );
      all.push(...(JSON.parse(next) as { rows: unknown[] }).rows);
    }
    assert.deepEqual(all, rows);
    const [none = ''] = await told(
      session,
      reply({ name: 'result_read', params: { result: 'r1', page: 999 } }),
    );
    assert.match(none, /has \d+ pages/);
    const again = await told(
      session,
      reply(
        ...Array.from({ length: 8 }, () => ({
          name: 'result_read',
          params: { result: 'r1', page: 2 },
        })),
      ),
    );
    assert.ok(again.join('').length <= 100_000, 'pages read on are held to the same budget');
  });

  test('an error that a skill gives back as data is flagged as one', async (t) => {
    const failed = { isError: true, content: [{ type: 'text', text: 'no such row' }] };
    const runtime = await runtimeOf(t, [skillOf('demo.bad', () => failed)]);
    const session = await runtime.openSession();
    const use = { type: 'tool_use', id: 'a', name: 'demo_bad', input: {} };
    const { messages, outcomes } = await session.dispatch('anthropic', { content: [use] });
    const [result] = (messages[1]?.['content'] ?? []) as { is_error?: boolean; content: string }[];
    assert.equal(result?.is_error, true);
    assert.match(result?.content ?? '', /no such row/);
    assert.equal(outcomes[0]?.envelope?.success, false);
  });

  test('whatever a skill gives back, every call has its result', async (t) => {
    const round: Record<string, unknown> = { n: 1 };
    round['self'] = round;
    const odd: Readonly<Record<string, unknown>> = {
      round,
      wide: { id: 9_007_199_254_740_993n },
      nothing: undefined,
      error: { cause: new Error('inner') },
      map: new Map([['k', 1]]),
      broken: {
        get n() {
          throw new Error('getter');
        },
      },
    };
    const skills = Object.entries(odd).map(([name, value]) => skillOf(`odd.${name}`, () => value));
    const session = await (await runtimeOf(t, skills)).openSession();
    const results = await told(
      session,
      reply(...Object.keys(odd).map((name) => ({ name: `odd_${name}` }))),
    );
    assert.equal(results.length, skills.length);
    const [first, second] = results.map((text) => text.split('\n')[0]);
    assert.deepEqual([first, second], ['{"n":1,"self":"[circular]"}', '{"id":"9007199254740993"}']);
  });

  test('calls of one reply are counted one by one: the fourth write does not run', async (t) => {
    let runs = 0;
    const write = skillOf('demo.write', () => ++runs, { side_effect: { kind: 'write' } });
    const session = await (await runtimeOf(t, [write])).openSession();
    const results = await told(
      session,
      reply(...Array.from({ length: 8 }, () => ({ name: 'demo_write' }))),
    );
    assert.equal(runs, 3);
    assert.equal(results.filter((text) => /write_budget/.test(text)).length, 5);
  });

  test('no arguments at all are none, where the skill needs none', async (t) => {
    const session = await (await runtimeOf(t, [skillOf('demo.now', () => 'noon')])).openSession();
    const sent = ['', ' ', 'null', '{}'].map((text) => ({ name: 'demo_now', text }));
    assert.deepEqual(new Set(await told(session, reply(...sent))), new Set(['noon']));
  });

  test('cancelled before it begins, nothing runs', async (t) => {
    let runs = 0;
    const write = skillOf('demo.write', () => ++runs, { side_effect: { kind: 'write' } });
    const session = await (await runtimeOf(t, [write])).openSession();
    const two = reply({ name: 'demo_write' }, { name: 'demo_write' });
    const results = await told(session, two, { signal: AbortSignal.abort() });
    assert.deepEqual([runs, results.length], [0, 2]);
  });

  test('cancelling stops what runs and answers it', async (t) => {
    const started = Promise.withResolvers<void>();
    const wait = skillOf('demo.wait', (_params, { signal }) => {
      started.resolve();
      return new Promise((_resolve, reject) =>
        signal.addEventListener('abort', () => reject(signal.reason as Error)),
      );
    });
    const runtime = await runtimeOf(t, [wait]);
    const session = await runtime.openSession();
    const cancel = new AbortController();
    const running = told(session, reply({ name: 'demo_wait' }), { signal: cancel.signal });
    await started.promise;
    cancel.abort();
    assert.match((await running)[0] ?? '', /cancelled/);
  });
});

suite('the tools of a session', () => {
  const skills = [
    skillOf('demo.read', () => 1),
    skillOf('demo.write', () => 1, { side_effect: { kind: 'write' } }),
    skillOf('demo.secret', () => 1, { permissions: ['secret:read'] }),
  ];
  const names = (session: Session, options = {}): unknown[] =>
    session.toolsFor('anthropic', options).tools.map(({ name }) => name);

  test('are those it may call, made once until something changes', async (t) => {
    const runtime = await runtimeOf(t, skills);
    const session = await runtime.openSession({
      caller: { id: 'x', permissions: [] },
      mode: 'read-only',
    });
    assert.deepEqual(names(session), ['demo_read']);
    assert.equal(session.toolsFor('anthropic'), session.toolsFor('anthropic'));
    const [text = ''] = await told(session, reply({ name: 'demo_secret' }));
    assert.match(text, /TOOL_NOT_FOUND/);
  });

  test('can be a few of them, whose names do not depend on the others shown', async (t) => {
    const runtime = await runtimeOf(t, [
      ...skills,
      skillOf('demo_read.x', () => 1),
      skillOf('demo.read_x', () => 1),
    ]);
    const session = await runtime.openSession();
    const few = names(session, { skills: ['demo.read_x'] });
    assert.equal(few.length, 1);
    assert.ok(names(session).includes(few[0]));
    assert.equal(names(session, { limit: 2 }).length, 2);
  });

  test('a dialect that does not exist throws at once, with the nearest names', async (t) => {
    const runtime = await runtimeOf(t, skills);
    const session = await runtime.openSession();
    assert.throws(() => session.toolsFor('antropic'), /Did you mean anthropic/);
    await assert.rejects(session.dispatch('antropic', {}), TypeError);
  });

  test('lines for the system prompt go with them', async (t) => {
    const runtime = await runtimeOf(t, skills);
    const session = await runtime.openSession();
    const lines = session.instructions('openai.chat');
    for (const word of [/together/, /ask the user/, /At most 3/, /truncated/i])
      assert.match(lines, word);
    assert.ok(lines.length < 1_500);
  });
});
