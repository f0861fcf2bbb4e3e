import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { ToolError, type Session } from '../../src/index.ts';
import { callOf, runtimeOf, skillOf, verdict } from '../support/runtime-of.ts';

suite('out of service', () => {
  test('a skill that keeps failing leaves list and discovery, and a probe brings it back', async (t) => {
    let broken = true;
    const body = (): number => {
      if (broken) throw new ToolError('UPSTREAM_ERROR', 'Down. Wait.');
      return 1;
    };
    const runtime = await runtimeOf(t, [
      skillOf('demo.ill', body, {
        policy: { retries: 0, breaker: { minimum: 5, failure_rate: 0.5, open_ms: 100 } },
      }),
    ]);
    const session: Session = await runtime.openSession();
    const revisions = new Set([session.revision]);
    let changes = 0;
    runtime.onChange(() => changes++);
    const go = (): Promise<string> => callOf(runtime, 'demo.ill', {}, { session }).then(verdict);
    for (let index = 0; index < 5; index++) assert.equal(await go(), 'UPSTREAM_ERROR - 1');
    assert.equal(await go(), 'UPSTREAM_ERROR circuit_open 0');
    revisions.add(session.revision);
    assert.deepEqual(
      [
        session.skills().length,
        runtime.listSkills().length,
        session.discover().metadata.total,
        changes,
      ],
      [0, 0, 0, 1],
    );
    assert.deepEqual(runtime.health('demo.ill'), { open: true, attempts: 5, failures: 5 });
    broken = false;
    const until = performance.now() + 5_000;
    while ((await go()) !== 'ok 1') assert.ok(performance.now() < until, 'never probed back');
    revisions.add(session.revision);
    assert.equal(revisions.size, 3);
    assert.equal(session.skills().length, 1);
  });

  test('wrong calls and cancelled ones do not count', async (t) => {
    const runtime = await runtimeOf(t, [
      skillOf('demo.fine', () => Promise.reject(new ToolError('NOT_FOUND', 'No. Ask.')), {
        policy: { breaker: { minimum: 2 } },
      }),
    ]);
    for (let index = 0; index < 6; index++)
      assert.equal(verdict(await callOf(runtime, 'demo.fine')), 'NOT_FOUND - 1');
  });
});
