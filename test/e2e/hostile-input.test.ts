import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import * as fc from 'fast-check';
import { createMemoryStore, type Runtime } from '../../src/index.ts';
import { runtimeOf, skillOf } from '../support/runtime-of.ts';

const SECRET = 'tr0ub4dor-and-3';

function thrower(): object {
  return new Proxy(
    {},
    {
      get: () => {
        throw new Error(`get ${SECRET}`);
      },
      ownKeys: () => {
        throw new Error(`keys ${SECRET}`);
      },
      getPrototypeOf: () => {
        throw new Error(`prototype ${SECRET}`);
      },
    },
  );
}

function revoked(): object {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  return proxy;
}

function circular(): object {
  const value: Record<string, unknown> = {};
  value['self'] = value;
  return value;
}

const getter = (key: string): object =>
  Object.defineProperty({ toolName: 'demo.echo', params: {} }, key, {
    enumerable: true,
    get: () => {
      throw new Error(`getter ${SECRET}`);
    },
  });

const ODD: readonly unknown[] = [
  undefined,
  null,
  5,
  5n,
  Number.NaN,
  '',
  'x',
  Symbol('x'),
  () => 1,
  [],
  [{}],
  new Map(),
  new Date(Number.NaN),
  circular(),
  thrower(),
  revoked(),
  getter('toolName'),
  getter('params'),
  getter('options'),
  Object.create(null) as object,
];

// Behind a function: what generates values looks at them, and these do not bear it.
type Hidden = () => unknown;
const odd: fc.Arbitrary<Hidden> = fc.constantFrom(...ODD.map((value) => () => value));
const shown = (record: Readonly<Record<string, Hidden | undefined>>): object =>
  Object.fromEntries(Object.entries(record).map(([key, value]) => [key, value?.()]));
const some = (...keys: readonly string[]): fc.Arbitrary<Hidden> =>
  fc
    .record(Object.fromEntries(keys.map((key) => [key, odd])), { requiredKeys: [] })
    .map((record) => () => shown(record));
const request: fc.Arbitrary<Hidden> = fc.oneof(
  odd,
  some('toolName', 'params', 'options'),
  fc
    .record({
      toolName: fc.constant(() => 'demo.echo'),
      params: fc.oneof(odd, some('text', SECRET)),
      options: fc.oneof(
        fc.constant(() => undefined),
        some('timeout', 'deadline'),
      ),
    })
    .map((record) => () => shown(record)),
  fc
    .anything({ withBigInt: true, withNullPrototype: true, withMap: true })
    .map((value) => () => value),
);

async function library(t: Parameters<typeof runtimeOf>[0]): Promise<Runtime> {
  const echo = skillOf('demo.echo', (params) => params, {
    parameters: { type: 'object', properties: { text: { type: 'string' } } },
    secrets: [{ name: 'token', env: 'HOSTILE_TOKEN', description: 'd' }],
  });
  return runtimeOf(t, [echo], { secrets: { token: SECRET }, store: createMemoryStore() });
}

suite('whatever is sent is answered', () => {
  test('by call, runSkill, validateSkill and discover', async (t) => {
    const runtime = await library(t);
    const session = await runtime.openSession();
    const answered = (answer: unknown): void => {
      const text = JSON.stringify(answer);
      assert.match(text, /^\{"(?:success|valid)":/);
      assert.ok(!text.includes(SECRET), text);
    };
    await fc.assert(
      fc.asyncProperty(request, odd, async (sent, other) => {
        const one = sent() as never;
        const two = other() as never;
        answered(await session.call(one));
        answered(await runtime.runSkill('demo.echo', one));
        answered(await runtime.runSkill(two, one));
        answered(await runtime.validateSkill(two, one));
        answered(await runtime.validateSkill('demo.echo', one));
        answered(session.discover(one));
        answered(session.discover({ action: 'discover', options: { filter: two } }));
      }),
      { numRuns: 400 },
    );
  });

  test('a filter that is none is refused, not taken for a search that finds nothing', async (t) => {
    const runtime = await library(t);
    const session = await runtime.openSession();
    for (const wrong of [
      { action: 'discover', options: { filter: 5 } },
      { action: 'discover', options: { query: 'x' } },
      { action: 'discover', filter: 'x' },
      { action: 'list' },
    ]) {
      const envelope = session.discover(wrong as never);
      assert.ok(!envelope.success, JSON.stringify(wrong));
      assert.equal(envelope.error.code, 'INVALID_PARAMS');
      assert.match(envelope.error.message, /A valid request/);
    }
  });
});

test('a malformed call leaves a row, and neither it nor its answer shows a secret', async (t) => {
  const store = createMemoryStore();
  const echo = skillOf('demo.echo', (params) => params, {
    secrets: [{ name: 'token', env: 'HOSTILE_TOKEN', description: 'd' }],
  });
  const runtime = await runtimeOf(t, [echo], { secrets: { token: SECRET }, store });
  const session = await runtime.openSession({ conversation: 'c' });
  const sent = [
    { toolName: `${SECRET}.x`, params: 5 },
    { toolName: 'demo.echo', params: {}, [SECRET]: 1 },
    { toolName: 'demo.echo', params: {}, options: { [SECRET]: 1 } },
    { toolName: 'demo.echo', params: {}, options: { timeout: SECRET } },
    { toolName: `${SECRET}.x`, params: {} },
  ];
  for (const call of sent) {
    const envelope = await session.call(call as never);
    assert.equal(envelope.success, false);
    assert.ok(!JSON.stringify(envelope).includes(SECRET), JSON.stringify(envelope));
  }
  const rows = await store.calls.list({ conversation: 'c', limit: 10 });
  assert.deepEqual(rows.map(({ code, reason }) => `${code} ${reason}`).sort(), [
    ...Array.from({ length: 4 }, () => 'INVALID_PARAMS envelope'),
    'TOOL_NOT_FOUND null',
  ]);
  assert.ok(!JSON.stringify(rows).includes(SECRET));
});

test('a closed runtime answers, finishes what had begun, and starts nothing', async (t) => {
  const release = Promise.withResolvers<string>();
  let runs = 0;
  const slow = skillOf('demo.slow', () => {
    runs++;
    return release.promise;
  });
  const runtime = await runtimeOf(t, [slow]);
  const session = await runtime.openSession();
  const begun = session.call({ toolName: 'demo.slow' });
  const closing = runtime.close();
  const refused = await session.call({ toolName: 'demo.slow' });
  assert.ok(!refused.success);
  assert.deepEqual(
    [refused.error.code, refused.error.details?.['reason']],
    ['INTERNAL_ERROR', 'closed'],
  );
  release.resolve('done');
  const ended = await begun;
  assert.ok(ended.success);
  await closing;
  const after = await runtime.runSkill('demo.slow');
  assert.equal(!after.success && after.error.details?.['reason'], 'closed');
  assert.equal(runs, 1);
});
