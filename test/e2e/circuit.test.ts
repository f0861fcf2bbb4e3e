import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { ToolError, type ExecutionContext, type Runtime } from '../../src/index.ts';
import { callOf, runtimeOf, skillOf, verdict } from '../support/runtime-of.ts';

const HANG = (): Promise<never> => new Promise<never>(() => undefined);

function failuresOf(runtime: Runtime, name: string): unknown {
  return (runtime.health(name) as { failures: number }).failures;
}

/** Waits until a call is let through again; the open time of a test is short. */
async function admitted(go: () => Promise<string>): Promise<string> {
  const until = performance.now() + 5_000;
  for (;;) {
    const said = await go();
    if (!said.includes('circuit_open')) return said;
    assert.ok(performance.now() < until, 'never probed');
    await new Promise((resolve) => setImmediate(resolve));
  }
}

suite('a skill that hangs', () => {
  test('is ill when the deadline has to end its first attempt', async (t) => {
    const runtime = await runtimeOf(t, [
      skillOf('demo.hang', HANG, { policy: { deadline: 20, breaker: { minimum: 3 } } }),
    ]);
    const go = (): Promise<string> => callOf(runtime, 'demo.hang').then(verdict);
    for (let index = 0; index < 3; index++) assert.equal(await go(), 'TIMEOUT deadline 1');
    assert.equal(await go(), 'UPSTREAM_ERROR circuit_open 0');
  });

  test('is not ill when its caller cancels, or an attempt began late', async (t) => {
    const runtime = await runtimeOf(t, [
      skillOf('demo.hang', HANG, { policy: { breaker: { minimum: 1 } } }),
      skillOf(
        'demo.late',
        (_params, { attempt }) =>
          attempt === 1
            ? Promise.reject(new ToolError('NOT_FOUND', 'No. Ask.', { retryable: true }))
            : HANG(),
        { policy: { deadline: 60, retryDelay: 1, breaker: { minimum: 2 } } },
      ),
    ]);
    const controller = new AbortController();
    const running = callOf(runtime, 'demo.hang', {}, { control: { signal: controller.signal } });
    await new Promise((resolve) => setImmediate(resolve));
    controller.abort();
    assert.equal(verdict(await running), 'EXECUTION_ERROR cancelled 1');
    assert.equal(failuresOf(runtime, 'demo.hang'), 0);
    assert.equal(verdict(await callOf(runtime, 'demo.late')), 'TIMEOUT deadline 2');
    assert.equal(failuresOf(runtime, 'demo.late'), 0);
  });

  test('gives its probe back, whatever ends it', async (t) => {
    let body: (params: unknown, context: ExecutionContext) => unknown = () => {
      throw new ToolError('UPSTREAM_ERROR', 'Down. Wait.');
    };
    const policy = { retries: 0, breaker: { minimum: 2, open_ms: 20 } };
    const runtime = await runtimeOf(t, [
      skillOf('demo.ill', (params, context) => body(params, context), { policy }),
      skillOf('demo.calm', (params, context) => body(params, context), {
        policy,
        fallback: { value: 'old', after: 15 },
      }),
    ]);
    const go = (name: string, control = {}, options = {}): Promise<string> =>
      callOf(runtime, name, {}, { control, options }).then(verdict);
    await go('demo.ill');
    await go('demo.ill');
    await go('demo.calm');
    await go('demo.calm');
    const probes = { count: 0 };
    const controller = new AbortController();
    body = () => {
      probes.count++;
      controller.abort();
      return HANG();
    };
    const cancelled = (): Promise<string> => go('demo.ill', { signal: controller.signal });
    while (probes.count === 0) {
      const said = await go('demo.ill', { signal: controller.signal });
      assert.match(said, /circuit_open|cancelled/);
      await new Promise((resolve) => setImmediate(resolve));
    }
    assert.equal(await cancelled(), 'EXECUTION_ERROR cancelled 0');
    body = HANG;
    assert.equal(await admitted(() => go('demo.ill', {}, { deadline: 20 })), 'TIMEOUT deadline 1');
    assert.equal(
      await admitted(() => go('demo.ill', {}, { timeout: 15 })),
      'TIMEOUT attempt_timeout 1',
    );
    const hung = { count: 0 };
    body = () => {
      hung.count++;
      return HANG();
    };
    const until = performance.now() + 5_000;
    while (hung.count < 2) {
      assert.equal((await callOf(runtime, 'demo.calm')).metadata.stale, true);
      assert.ok(performance.now() < until, 'a probe the fallback overtook was never given back');
      await new Promise((resolve) => setImmediate(resolve));
    }
    body = () => 1;
    assert.equal(await admitted(() => go('demo.ill')), 'ok 1');
  });

  test('has no say about a probe when it began before the circuit opened', async (t) => {
    const early = Promise.withResolvers<number>();
    const probe = Promise.withResolvers<number>();
    let body = (): Promise<number> => early.promise;
    const runtime = await runtimeOf(t, [
      skillOf('demo.ill', () => body(), {
        policy: { retries: 0, breaker: { minimum: 2, open_ms: 20 } },
      }),
    ]);
    const go = (): Promise<string> => callOf(runtime, 'demo.ill').then(verdict);
    const first = go();
    await new Promise((resolve) => setImmediate(resolve));
    body = () => Promise.reject(new Error('no'));
    await go();
    await go();
    const probes = { count: 0 };
    body = () => {
      probes.count++;
      return probe.promise;
    };
    const until = performance.now() + 5_000;
    let second = go();
    while (probes.count === 0) {
      assert.match(await second, /circuit_open/);
      assert.ok(performance.now() < until, 'never probed');
      second = go();
      await new Promise((resolve) => setImmediate(resolve));
    }
    early.resolve(1);
    assert.equal(await first, 'ok 1');
    assert.equal(await go(), 'UPSTREAM_ERROR circuit_open 0', 'the probe is still out');
    probe.resolve(1);
    assert.equal(await second, 'ok 1');
    assert.equal(await go(), 'ok 1');
  });
});
