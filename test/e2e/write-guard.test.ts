import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import type { SideEffect } from '../../src/index.ts';
import { callOf, flowOf, runtimeOf, skillOf, verdict } from '../support/runtime-of.ts';

const WRITE: SideEffect = { kind: 'write', targets: ['database'] };

suite('writes', () => {
  const write = skillOf('demo.write', ({ n }) => (n === 13 ? Promise.reject(new Error('no')) : n), {
    side_effect: WRITE,
  });
  const read = skillOf('demo.read', () => 1);

  test('at most three in one turn; a read between does not reset, a new turn does', async (t) => {
    const runtime = await runtimeOf(t, [write, read]);
    const session = await runtime.openSession();
    const go = (name: string, n = 1): Promise<string> =>
      callOf(runtime, name, { n }, { session }).then(verdict);
    assert.deepEqual(
      [
        await go('demo.write'),
        await go('demo.write'),
        await go('demo.read'),
        await go('demo.write'),
      ],
      ['ok 1', 'ok 1', 'ok 1', 'ok 1'],
    );
    assert.equal(await go('demo.write'), 'UNAUTHORISED write_budget 0');
    session.beginTurn();
    assert.equal(await go('demo.write'), 'ok 1');
  });

  test('what was refused before dispatch does not count, what failed does', async (t) => {
    const runtime = await runtimeOf(t, [write]);
    const session = await runtime.openSession();
    const go = (n: unknown): Promise<string> =>
      callOf(runtime, 'demo.write', { n: n as never }, { session }).then(verdict);
    for (let index = 0; index < 5; index++)
      assert.equal(await go('x'), 'INVALID_PARAMS structure 0');
    for (let index = 0; index < 3; index++) assert.equal(await go(13), 'EXECUTION_ERROR - 1');
    assert.equal(await go(1), 'UNAUTHORISED write_budget 0');
  });

  test('calls at once share the budget', async (t) => {
    const runtime = await runtimeOf(t, [write]);
    const session = await runtime.openSession();
    const verdicts = await Promise.all(
      Array.from({ length: 20 }, () =>
        callOf(runtime, 'demo.write', { n: 1 }, { session }).then(verdict),
      ),
    );
    assert.equal(verdicts.filter((word) => word === 'ok 1').length, 3);
  });

  test('none in a read-only session or turn', async (t) => {
    const runtime = await runtimeOf(t, [write, read]);
    const session = await runtime.openSession({ mode: 'read-only' });
    assert.equal(
      verdict(await callOf(runtime, 'demo.write', {}, { session })),
      'UNAUTHORISED read_only_turn 0',
    );
    assert.deepEqual(
      session.skills().map(({ contract }) => contract.name),
      ['demo.read'],
    );
    const other = await runtime.openSession();
    other.beginTurn({ readOnly: true });
    assert.equal(
      verdict(await callOf(runtime, 'demo.write', {}, { session: other })),
      'UNAUTHORISED read_only_turn 0',
    );
    other.beginTurn();
    assert.equal(verdict(await callOf(runtime, 'demo.write', {}, { session: other })), 'ok 1');
  });

  test('a composite that cannot make all its writes does not begin, and its compensation is never refused', async (t) => {
    const undone: unknown[] = [];
    const undo = skillOf('demo.undo', ({ n }) => void undone.push(n), { side_effect: WRITE });
    const steps = [1, 2, 13].map((n) => ({
      id: `s${n}`,
      skill: 'demo.write',
      with: { n },
      compensate: { skill: 'demo.undo', with: { n } },
    }));
    const flow = flowOf('demo.flow', { steps }, ['demo.write', 'demo.undo']);
    const runtime = await runtimeOf(t, [write, undo, flow]);
    const session = await runtime.openSession();
    const failed = await callOf(runtime, 'demo.flow', {}, { session });
    assert.match(verdict(failed), /^EXECUTION_ERROR/);
    assert.deepEqual(undone, [2, 1], 'undone in reverse, although the budget is used up');
    assert.equal(
      verdict(await callOf(runtime, 'demo.flow', {}, { session })),
      'UNAUTHORISED write_budget 0',
    );
    assert.equal(undone.length, 2);
  });

  test('a composite counts the writes of the composites in it', async (t) => {
    let runs = 0;
    const count = skillOf('demo.count', () => ++runs, { side_effect: WRITE });
    const step = (id: string, skill: string): { id: string; skill: string } => ({ id, skill });
    const two = [step('a', 'demo.count'), step('b', 'demo.count')];
    const inner = flowOf('demo.inner', { steps: two }, ['demo.count']);
    const nested = [step('a', 'demo.inner'), step('b', 'demo.inner')];
    const outer = flowOf('demo.outer', { steps: nested }, ['demo.inner']);
    const runtime = await runtimeOf(t, [count, inner, outer]);
    const envelope = await callOf(runtime, 'demo.outer');
    assert.equal(verdict(envelope), 'UNAUTHORISED write_budget 0');
    assert.equal(runs, 0);
  });
});
