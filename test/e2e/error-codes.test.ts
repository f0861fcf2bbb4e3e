import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import * as fc from 'fast-check';
import {
  createMemoryStore,
  ERROR_CODES,
  ToolError,
  type ErrorCode,
  type Runtime,
} from '../../src/index.ts';
import { callOf, runtimeOf, skillOf, verdict } from '../support/runtime-of.ts';

const NEVER = (): Promise<never> => new Promise(() => {});
const fails = (code: ErrorCode) => () => {
  throw new ToolError(code, 'It failed. Do something else.');
};

suite('every code has a real cause', () => {
  const causes: Readonly<Record<ErrorCode, (runtime: Runtime) => ReturnType<typeof callOf>>> = {
    TIMEOUT: (runtime) =>
      callOf(runtime, 'demo.hang', {}, { options: { timeout: 20, retries: 0 } }),
    RETRY_EXHAUSTED: (runtime) =>
      callOf(runtime, 'demo.upstream', {}, { options: { retries: 1, retryDelay: 1 } }),
    TOOL_NOT_FOUND: (runtime) => callOf(runtime, 'demo.hnag'),
    INVALID_PARAMS: (runtime) => callOf(runtime, 'demo.plain', { n: 'x' }),
    EXECUTION_ERROR: (runtime) => callOf(runtime, 'demo.plain', {}, { options: { retries: 0 } }),
    PARSE_ERROR: (runtime) => callOf(runtime, 'demo.shape'),
    NOT_FOUND: (runtime) => callOf(runtime, 'demo.missing'),
    RATE_LIMITED: async (runtime) => {
      await callOf(runtime, 'demo.limited');
      return callOf(runtime, 'demo.limited');
    },
    UPSTREAM_ERROR: (runtime) => callOf(runtime, 'demo.upstream', {}, { options: { retries: 0 } }),
    UNAUTHORISED: (runtime) =>
      callOf(runtime, 'demo.guarded', {}, { by: { caller: { id: 'ann', permissions: [] } } }),
    INTERNAL_ERROR: (runtime) => callOf(runtime, 'demo.write'),
  };

  for (const code of Object.keys(ERROR_CODES) as ErrorCode[]) {
    test(code, async (t) => {
      const store = createMemoryStore();
      const broken = {
        ...store,
        journal: { ...store.journal, intend: () => Promise.reject(new Error('disk full')) },
      };
      const runtime = await runtimeOf(
        t,
        [
          skillOf('demo.hang', NEVER),
          skillOf('demo.upstream', fails('UPSTREAM_ERROR')),
          skillOf('demo.plain', () => {
            throw new Error('plain');
          }),
          skillOf('demo.shape', () => 'text', { returns: { type: 'object' } }),
          skillOf('demo.missing', fails('NOT_FOUND')),
          skillOf('demo.limited', () => 1, { policy: { rate_limit: { calls_per_minute: 1 } } }),
          skillOf('demo.guarded', () => 1, { permissions: ['demo:call'] }),
          skillOf('demo.write', () => 1, { side_effect: { kind: 'write' } }),
        ],
        { store: broken },
      );
      const envelope = await causes[code](runtime);
      assert.ok(!envelope.success);
      assert.equal(envelope.error.code, code);
      assert.equal(envelope.result, null);
      assert.match(
        envelope.error.message,
        /\. .+\.|: .+\./,
        'a message says what happened and what to do',
      );
    });
  }
});

test('nothing a caller can send makes a call reject, or answers with anything but an envelope', async (t) => {
  const runtime = await runtimeOf(t, [skillOf('demo.echo', (params) => params)]);
  const session = await runtime.openSession();
  await fc.assert(
    fc.asyncProperty(
      fc.oneof(
        fc.anything(),
        fc.record(
          { toolName: fc.constant('demo.echo'), params: fc.anything(), options: fc.anything() },
          { requiredKeys: ['toolName'] },
        ),
      ),
      async (request) => {
        const envelope = await session.call(request as never);
        assert.equal(typeof envelope.success, 'boolean');
        assert.equal(typeof envelope.metadata.duration, 'number');
        assert.match(envelope.metadata.timestamp, /^\d{4}-\d\d-\d\dT.*Z$/);
        if (!envelope.success) assert.ok(envelope.error.code in ERROR_CODES);
      },
    ),
    { numRuns: 1_000 },
  );
});

test('unknown and ill-typed options are refused, never ignored', async (t) => {
  const runtime = await runtimeOf(t, [skillOf('demo.echo', (params) => params)]);
  for (const options of [
    { timeuot: 5 },
    { timeout: '5' },
    { timeout: -1 },
    { retries: 1.5 },
    { format: 'xml' },
    { deadline: 0 },
    { retryDelay: Number.NaN },
  ]) {
    const envelope = await callOf(runtime, 'demo.echo', {}, { options: options as never });
    assert.equal(verdict(envelope), 'INVALID_PARAMS envelope 0', JSON.stringify(options));
  }
  const misspelt = await callOf(runtime, 'demo.echo', {}, { options: { timeuot: 5 } as never });
  assert.ok(!misspelt.success);
  assert.match(misspelt.error.message, /did you mean options\.timeout\?/);
});
