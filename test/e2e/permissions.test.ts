import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import type { ExecutionContext } from '../../src/index.ts';
import { callOf, needs, runtimeOf, skillOf, verdict } from '../support/runtime-of.ts';

suite('permissions', () => {
  test('exact, by family, all; what one may not call one does not see', async (t) => {
    const runtime = await runtimeOf(t, [
      skillOf('demo.a', () => 1, { permissions: ['task:write', 'mail:send'] }),
      skillOf('demo.b', () => 1),
    ]);
    const rows: readonly (readonly [readonly string[], string])[] = [
      [[], 'UNAUTHORISED permission 0'],
      [['task:write'], 'UNAUTHORISED permission 0'],
      [['task:*', 'mail:send'], 'ok 1'],
      [['*'], 'ok 1'],
      [['task', 'mail'], 'UNAUTHORISED permission 0'],
    ];
    for (const [permissions, expected] of rows) {
      const session = await runtime.openSession({ caller: { id: 'ann', permissions } });
      assert.equal(verdict(await callOf(runtime, 'demo.a', {}, { session })), expected);
      assert.equal(
        session.skills().some(({ contract }) => contract.name === 'demo.a'),
        expected === 'ok 1',
      );
    }
  });

  test('a skill may call only what it declares', async (t) => {
    const runtime = await runtimeOf(t, [
      skillOf('demo.sneaky', (_params, { invoke }) => invoke('demo.other', {})),
      skillOf('demo.other', () => 1),
    ]);
    assert.equal(
      verdict(await callOf(runtime, 'demo.sneaky')),
      'UNAUTHORISED undeclared_dependency 1',
    );
  });

  test('a body may call nothing after it has answered, and compensate nothing by itself', async (t) => {
    const late = Promise.withResolvers<string>();
    const after = (_params: unknown, { invoke }: ExecutionContext): number => {
      setImmediate(() =>
        invoke('demo.other', {}).then(
          () => late.resolve('ran'),
          (error: Error) => late.resolve(error.message),
        ),
      );
      return 1;
    };
    const compensates = (_params: unknown, context: ExecutionContext): unknown =>
      (context as unknown as { compensate: ExecutionContext['invoke'] }).compensate(
        'demo.other',
        {},
      );
    const dependencies = needs('demo.other');
    const runtime = await runtimeOf(t, [
      skillOf('demo.after', after, { dependencies }),
      skillOf('demo.undo', compensates, { dependencies }),
      skillOf('demo.other', () => 1),
    ]);
    assert.equal(verdict(await callOf(runtime, 'demo.after')), 'ok 1');
    assert.match(await late.promise, /after it has answered/);
    assert.equal(verdict(await callOf(runtime, 'demo.undo')), 'UNAUTHORISED compensation 1');
  });

  test('a step needs the permission of its caller, not of its composite', async (t) => {
    const runtime = await runtimeOf(t, [
      skillOf('demo.outer', (_params, { invoke }) => invoke('demo.inner', {}), {
        dependencies: needs('demo.inner'),
      }),
      skillOf('demo.inner', () => 1, { permissions: ['secret:read'] }),
    ]);
    assert.equal(
      verdict(
        await callOf(runtime, 'demo.outer', {}, { by: { caller: { id: 'ann', permissions: [] } } }),
      ),
      'UNAUTHORISED permission 1',
    );
  });

  test('the own check is asked only on behalf of who may call', async (t) => {
    let asked = 0;
    const check = (): [] => {
      asked++;
      return [];
    };
    const runtime = await runtimeOf(t, [
      skillOf('demo.a', () => 1, { permissions: ['x:y'], check }),
    ]);
    await callOf(runtime, 'demo.a', {}, { by: { caller: { id: 'ann', permissions: [] } } });
    assert.equal(asked, 0);
    await callOf(runtime, 'demo.a');
    assert.equal(asked, 1);
  });
});
