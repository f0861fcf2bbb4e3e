import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { createMemoryStore, ToolError, type ErrorCode, type SideEffect } from '../../src/index.ts';
import { callOf, runtimeOf, skillOf, verdict } from '../support/runtime-of.ts';

const READ: SideEffect = { kind: 'read' };
const WRITE: SideEffect = { kind: 'write' };
const IDEMPOTENT: SideEffect = { kind: 'write', idempotent: true };
const quick = { retries: 2, retryDelay: 1 };

suite('what is tried again', () => {
  const rows: readonly (readonly [SideEffect, ErrorCode | 'plain', string])[] = [
    [READ, 'plain', 'EXECUTION_ERROR - 3'],
    [READ, 'UPSTREAM_ERROR', 'RETRY_EXHAUSTED retries 3'],
    [READ, 'RATE_LIMITED', 'RETRY_EXHAUSTED retries 3'],
    [READ, 'TIMEOUT', 'TIMEOUT - 3'],
    [READ, 'INVALID_PARAMS', 'INVALID_PARAMS - 1'],
    [READ, 'UNAUTHORISED', 'UNAUTHORISED - 1'],
    [READ, 'NOT_FOUND', 'NOT_FOUND - 1'],
    [READ, 'INTERNAL_ERROR', 'INTERNAL_ERROR - 1'],
    [WRITE, 'plain', 'EXECUTION_ERROR - 1'],
    [WRITE, 'UPSTREAM_ERROR', 'UPSTREAM_ERROR - 1'],
    [WRITE, 'RATE_LIMITED', 'RATE_LIMITED - 1'],
    [IDEMPOTENT, 'plain', 'EXECUTION_ERROR - 3'],
    [IDEMPOTENT, 'UPSTREAM_ERROR', 'RETRY_EXHAUSTED retries 3'],
    [IDEMPOTENT, 'NOT_FOUND', 'NOT_FOUND - 1'],
  ];
  for (const [effect, code, expected] of rows) {
    const kind = effect.idempotent === true ? 'idempotent write' : effect.kind;
    test(`${code} of a ${kind}`, async (t) => {
      const keys = new Set<string>();
      const body = (_params: unknown, { idempotencyKey }: { idempotencyKey: string }): never => {
        keys.add(idempotencyKey);
        throw code === 'plain' ? new Error('no') : new ToolError(code, 'No. Try later.');
      };
      const runtime = await runtimeOf(t, [skillOf('demo.fail', body, { side_effect: effect })]);
      assert.equal(verdict(await callOf(runtime, 'demo.fail', {}, { options: quick })), expected);
      assert.equal(keys.size, 1, 'every attempt carries the same key');
    });
  }

  test('a flag of the contract goes before the code’s own', async (t) => {
    const body = (): never => {
      throw new ToolError('EXECUTION_ERROR', 'Closed. Come tomorrow.', {
        details: { reason: 'closed' },
      });
    };
    const errors = [{ code: 'EXECUTION_ERROR', reason: 'closed', retryable: false }] as const;
    const runtime = await runtimeOf(t, [skillOf('demo.fail', body, { errors })]);
    assert.equal(
      verdict(await callOf(runtime, 'demo.fail', {}, { options: quick })),
      'EXECUTION_ERROR closed 1',
    );
  });

  test('what works the second time is a success with two attempts', async (t) => {
    let runs = 0;
    const runtime = await runtimeOf(t, [
      skillOf('demo.flaky', () => (++runs === 1 ? Promise.reject(new Error('once')) : runs)),
    ]);
    assert.equal(verdict(await callOf(runtime, 'demo.flaky', {}, { options: quick })), 'ok 2');
  });

  test('an upstream that says when is not asked before, and its word outlives the deadline', async (t) => {
    const body = (): never => {
      throw new ToolError('RATE_LIMITED', 'Slow down. Wait.', { details: { retry_after: 60 } });
    };
    const runtime = await runtimeOf(t, [skillOf('demo.busy', body)]);
    const envelope = await callOf(runtime, 'demo.busy', {}, { options: quick });
    assert.equal(verdict(envelope), 'RATE_LIMITED - 1');
    assert.ok(!envelope.success);
    assert.equal(envelope.error.details?.['retry_after'], 60);
  });
});

suite('time', () => {
  const hang = (): Promise<never> => new Promise(() => {});
  const busy = (ms: number): void => {
    const end = performance.now() + ms;
    while (performance.now() < end);
  };

  for (const [kind, body] of [
    ['at once', () => busy(40)],
    ['in a promise', async () => busy(40)],
  ] as const) {
    test(`a body that keeps the thread busy past the time given is no success, answering ${kind}`, async (t) => {
      const runtime = await runtimeOf(t, [skillOf('demo.busy', body, { side_effect: READ })]);
      const whole = await callOf(runtime, 'demo.busy', {}, { options: { deadline: 20 } });
      assert.equal(verdict(whole), 'TIMEOUT deadline 1');
      const once = { timeout: 20, retries: 1, retryDelay: 1 };
      const attempts = await callOf(runtime, 'demo.busy', {}, { options: once });
      assert.equal(verdict(attempts), 'TIMEOUT attempt_timeout 2');
    });
  }

  test('a write that comes late is settled as late, and its caller is told that nobody knows', async (t) => {
    const store = createMemoryStore();
    const write = skillOf('demo.busy-write', () => busy(40), { side_effect: WRITE });
    const runtime = await runtimeOf(t, [write], { store });
    const envelope = await callOf(runtime, 'demo.busy-write', {}, { options: { timeout: 20 } });
    assert.equal(verdict(envelope), 'TIMEOUT outcome_unknown 1');
    assert.deepEqual(await store.journal.unsettled(), []);
  });

  test('a timed-out attempt is stopped, and told so', async (t) => {
    const stopped: boolean[] = [];
    const body = (_params: unknown, { signal }: { signal: AbortSignal }): Promise<never> => {
      signal.addEventListener('abort', () => stopped.push(true));
      return hang();
    };
    const runtime = await runtimeOf(t, [skillOf('demo.hang', body)]);
    assert.equal(
      verdict(
        await callOf(
          runtime,
          'demo.hang',
          {},
          { options: { timeout: 15, retries: 1, retryDelay: 1 } },
        ),
      ),
      'TIMEOUT attempt_timeout 2',
    );
    assert.equal(stopped.length, 2);
  });

  test('the deadline ends an attempt, a delay, a check and a fallback that hangs', async (t) => {
    const runtime = await runtimeOf(t, [
      skillOf('demo.hang', hang),
      skillOf('demo.fail', () => Promise.reject(new Error('no'))),
      skillOf('demo.check', () => 1, { check: hang }),
      skillOf('demo.fallback', hang, {
        fallback: { skill: 'demo.hang', after: 10 },
        dependencies: [{ skill: 'demo.hang', minVersion: '1.0.0' }],
      }),
    ]);
    for (const name of ['demo.hang', 'demo.fail', 'demo.check', 'demo.fallback']) {
      const began = performance.now();
      const envelope = await callOf(
        runtime,
        name,
        {},
        { options: { deadline: 60, retryDelay: 1_000 } },
      );
      assert.match(verdict(envelope), /^TIMEOUT deadline/, name);
      assert.ok(
        performance.now() - began < 1_000,
        `${name} answered after ${performance.now() - began} ms`,
      );
    }
  });

  test('a write that the deadline overtakes is said to be unknown; its late end settles the journal', async (t) => {
    let release = (): void => {};
    const body = (): Promise<void> => new Promise((resolve) => void (release = resolve));
    const { createMemoryStore } = await import('../../src/index.ts');
    const store = createMemoryStore();
    const runtime = await runtimeOf(t, [skillOf('demo.write', body, { side_effect: WRITE })], {
      store,
    });
    const envelope = await callOf(
      runtime,
      'demo.write',
      {},
      { options: { timeout: 15, deadline: 200 } },
    );
    assert.equal(verdict(envelope), 'TIMEOUT outcome_unknown 1');
    assert.equal((await store.journal.unsettled()).length, 1, 'nobody knows yet what became of it');
    release();
    await new Promise((resolve) => setImmediate(resolve));
    assert.equal((await store.journal.unsettled()).length, 0);
  });

  test('a caller may cancel, before and during', async (t) => {
    const controller = new AbortController();
    const body = (): Promise<never> => {
      controller.abort();
      return hang();
    };
    const runtime = await runtimeOf(t, [skillOf('demo.hang', body)]);
    const control = { signal: controller.signal };
    assert.equal(
      verdict(await callOf(runtime, 'demo.hang', {}, { control })),
      'EXECUTION_ERROR cancelled 1',
    );
    assert.equal(
      verdict(await callOf(runtime, 'demo.hang', {}, { control })),
      'EXECUTION_ERROR cancelled 0',
    );
  });

  test('an answered call leaves no timer behind', async (t) => {
    const runtime = await runtimeOf(t, [skillOf('demo.hang', hang)]);
    const controller = new AbortController();
    const before = process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length;
    const running = callOf(
      runtime,
      'demo.hang',
      {},
      { control: { signal: controller.signal }, options: { timeout: 3_000 } },
    );
    controller.abort();
    await running;
    // The wheel turns once more to see that nothing is pending.
    const until = performance.now() + 1_000;
    while (
      process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length > before &&
      performance.now() < until
    )
      await new Promise((resolve) => setImmediate(resolve));
    assert.ok(performance.now() < until, 'a timer outlived the call');
  });
});

suite('fallback', () => {
  const broken = (): Promise<never> =>
    Promise.reject(new ToolError('UPSTREAM_ERROR', 'Down. Wait.'));
  test('a value or another skill answers, marked stale; not for wrong parameters', async (t) => {
    const runtime = await runtimeOf(t, [
      skillOf('demo.value', broken, { fallback: { value: { old: true } } }),
      skillOf('demo.other', ({ n }) => ({ n })),
      skillOf('demo.skill', broken, {
        fallback: { skill: 'demo.other', with: { n: '$inputs.n' } },
        dependencies: [{ skill: 'demo.other', minVersion: '1.0.0' }],
      }),
      skillOf('demo.slow', () => new Promise(() => {}), { fallback: { value: 'old', after: 15 } }),
      skillOf('demo.refuses', () => Promise.reject(new ToolError('NOT_FOUND', 'No. Ask.')), {
        fallback: { value: 1 },
      }),
    ]);
    const ask = async (name: string): Promise<unknown[]> => {
      const envelope = await callOf(runtime, name, { n: 7 }, { options: { retries: 0 } });
      return [envelope.success && envelope.result, envelope.metadata.stale];
    };
    assert.deepEqual(await ask('demo.value'), [{ old: true }, true]);
    assert.deepEqual(await ask('demo.skill'), [{ n: 7 }, true]);
    assert.deepEqual(await ask('demo.slow'), ['old', true]);
    assert.equal(verdict(await callOf(runtime, 'demo.refuses')), 'NOT_FOUND - 1');
    assert.equal(
      verdict(await callOf(runtime, 'demo.value', { n: 'x' })),
      'INVALID_PARAMS structure 0',
    );
  });
});
