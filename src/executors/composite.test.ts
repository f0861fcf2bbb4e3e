import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import * as fc from 'fast-check';
import { contextOf, failure, folderOf, skillOf } from '../../test/support/executor-fixture.ts';
import type { Json, JsonObject } from '../base/json.ts';
import type { Flow, Step } from '../contract/flow.ts';
import { ToolError } from '../contract/tool-error.ts';
import type { Skill } from '../registry/skill.ts';
import { createCompositeExecutor, writeStepCount, type CompositeContext } from './composite.ts';

type Bodies = Readonly<Record<string, (params: JsonObject) => unknown>>;

const executor = createCompositeExecutor();

function skillWith(flow: Flow, bodies: Bodies, folder?: string): Skill {
  const dependencies = Object.keys(bodies).map((skill) => ({ skill, minVersion: '1.0.0' }));
  const parameters = { type: 'object', additionalProperties: true };
  return { ...skillOf({ kind: 'composite' }, folder, { dependencies, parameters }), flow };
}

/** Runs a flow over these skills; `calls` tells what was called, compensations with a leading `undo `. */
async function start(
  flow: Flow,
  bodies: Bodies,
  given: { inputs?: JsonObject; signal?: AbortSignal; stale?: readonly string[] } = {},
) {
  const calls: string[] = [];
  const run = { calls, stale: false, result: Promise.resolve<unknown>(undefined) };
  const call = (prefix: string) => async (skill: string, params: JsonObject) => {
    calls.push(`${prefix}${skill} ${JSON.stringify(params)}`);
    return bodies[skill]?.(params);
  };
  const context: CompositeContext = {
    ...contextOf({
      ...(given.signal === undefined ? {} : { signal: given.signal }),
      invoke: call(''),
    }),
    compensate: call('undo '),
    step: async (skill, params) => ({
      value: (await call('')(skill, params)) as Json,
      stale: given.stale?.includes(skill) === true,
    }),
    markStale() {
      run.stale = true;
    },
  };
  const prepared = await executor.prepare(skillWith(flow, bodies));
  run.result = Promise.resolve(prepared.run(given.inputs ?? {}, context));
  return run;
}

function broken(code: 'UPSTREAM_ERROR' | 'NOT_FOUND' = 'UPSTREAM_ERROR') {
  return () => {
    throw new ToolError(code, 'It is down.', { details: { reason: 'down' } });
  };
}

const ok = (): string => 'ok';

test('runs the steps in order and hands outputs on', async () => {
  const flow: Flow = {
    steps: [
      { id: 'find', skill: 'region.find', with: { name: '$inputs.region' } },
      {
        id: 'sum',
        skill: 'revenue.sum',
        with: { id: '$steps.find.outputs.id', note: 'for {$inputs.region}' },
      },
      { id: 'ping', skill: 'ops.ping' },
    ],
    outputs: { total: '$steps.sum.outputs#/total', stale: '$steps.sum.stale' },
  };
  const bodies = {
    'region.find': () => ({ id: 7 }),
    'revenue.sum': () => ({ total: 12 }),
    'ops.ping': ok,
  };
  const run = await start(flow, bodies, { inputs: { region: 'North' } });
  assert.deepEqual(await run.result, { total: 12, stale: false });
  assert.deepEqual(run.calls, [
    'region.find {"name":"North"}',
    'revenue.sum {"id":7,"note":"for North"}',
    'ops.ping {}',
  ]);
  assert.equal(run.stale, false);
});

test("answers with the last step's output when the flow says nothing else, null when it was skipped", async () => {
  const steps: Step[] = [
    { id: 'a', skill: 'a.a' },
    { id: 'b', skill: 'b.b', when: '$inputs.more == true' },
  ];
  const bodies = { 'a.a': ok, 'b.b': () => [1, 2] };
  const run = await start({ steps }, bodies, { inputs: { more: true } });
  assert.deepEqual(await run.result, [1, 2]);
  const skipped = await start({ steps }, bodies);
  assert.equal(await skipped.result, null);
  assert.deepEqual(skipped.calls, ['a.a {}']);
});

test('a skipped step leaves out what refers to it', async () => {
  const flow: Flow = {
    steps: [
      { id: 'mail', skill: 'mail.send', when: "$inputs.to != null && $inputs.to != ''" },
      { id: 'log', skill: 'log.add', with: { mail: '$steps.mail.outputs.id', sent: 'yes' } },
    ],
  };
  const run = await start(flow, { 'mail.send': ok, 'log.add': ok }, { inputs: { to: '' } });
  await run.result;
  assert.deepEqual(run.calls, ['log.add {"sent":"yes"}']);
});

test('neighbouring parallel steps run together, and the next waits for all of them', async () => {
  const first = Promise.withResolvers<string>();
  const flow: Flow = {
    steps: [
      { id: 'a', skill: 'a.a', parallel: true },
      { id: 'b', skill: 'b.b', parallel: true },
      { id: 'c', skill: 'c.c', with: { a: '$steps.a.outputs', b: '$steps.b.outputs' } },
    ],
  };
  // The first can only end once the second has begun.
  const run = await start(flow, {
    'a.a': () => first.promise,
    'b.b': () => {
      first.resolve('released');
      return 'b';
    },
    'c.c': ok,
  });
  await run.result;
  assert.deepEqual(run.calls, ['a.a {}', 'b.b {}', 'c.c {"a":"released","b":"b"}']);
});

test('of parallel failures the first in step order counts, once the others have settled', async () => {
  const slow = Promise.withResolvers<never>();
  const last = Promise.withResolvers<string>();
  const flow: Flow = {
    steps: [
      { id: 'a', skill: 'a.a', parallel: true },
      { id: 'b', skill: 'b.b', parallel: true },
      {
        id: 'c',
        skill: 'c.c',
        parallel: true,
        compensate: { skill: 'c.undo', with: { id: '$steps.c.outputs' } },
      },
      { id: 'd', skill: 'd.d' },
    ],
  };
  const run = await start(flow, {
    'a.a': () => slow.promise,
    'b.b': broken('NOT_FOUND'),
    'c.c': () => last.promise,
    'd.d': ok,
    'c.undo': ok,
  });
  let settled = false;
  const failed = failure(run.result).finally(() => (settled = true));
  slow.reject(new ToolError('TIMEOUT', 'Too slow.'));
  await turn();
  assert.equal(settled, false);
  last.resolve('c-1');
  const error = await failed;
  assert.equal(error.code, 'TIMEOUT');
  assert.equal(error.message, 'Step a (a.a) failed: Too slow.');
  assert.deepEqual(run.calls.slice(3), ['undo c.undo {"id":"c-1"}']);
});

test('a step whose own skill took its fallback is stale, and stays done', async () => {
  const flow: Flow = {
    steps: [
      { id: 'old', skill: 'a.old' },
      { id: 'new', skill: 'a.new' },
    ],
    outputs: { old: '$steps.old.stale', new: '$steps.new.stale' },
  };
  const run = await start(flow, { 'a.old': ok, 'a.new': ok }, { stale: ['a.old'] });
  assert.deepEqual(await run.result, { old: true, new: false });
});

test('a fallback answers for a step that fails, and the result is stale', async () => {
  const flow: Flow = {
    steps: [
      {
        id: 'live',
        skill: 'live.get',
        with: { day: '$inputs.day' },
        fallback: { skill: 'old.get' },
      },
      { id: 'rate', skill: 'rate.get', fallback: { value: { rate: 1, note: '$inputs.day' } } },
      {
        id: 'other',
        skill: 'other.get',
        fallback: { skill: 'old.get', with: { of: '$steps.live.outputs' } },
      },
    ],
    outputs: ['$steps.live', '$steps.rate', '$steps.other'].flatMap((step) => [
      `${step}.outputs`,
      `${step}.stale`,
    ]),
  };
  const bodies = {
    'live.get': broken(),
    'rate.get': broken(),
    'other.get': () => 'other',
    'old.get': () => 'old',
  };
  const run = await start(flow, bodies, { inputs: { day: '2026-03-01' } });
  assert.deepEqual(await run.result, [
    'old',
    true,
    { rate: 1, note: '$inputs.day' },
    true,
    'other',
    false,
  ]);
  assert.deepEqual(run.calls.slice(0, 2), [
    'live.get {"day":"2026-03-01"}',
    'old.get {"day":"2026-03-01"}',
  ]);
  assert.equal(run.calls.length, 4);
  assert.equal(run.stale, true);
});

test('a fallback answers for a step that is slow, whatever the step does later', async () => {
  for (const end of ['resolve', 'reject'] as const) {
    const slow = Promise.withResolvers<unknown>();
    const flow: Flow = {
      steps: [
        {
          id: 'live',
          skill: 'live.get',
          fallback: { value: 'old', after: 1 },
          compensate: { skill: 'live.undo' },
        },
        { id: 'next', skill: 'next.do', with: { from: '$steps.live.outputs' } },
      ],
      outputs: '$steps.live.outputs',
    };
    const run = await start(flow, {
      'live.get': () => slow.promise,
      'next.do': ok,
      'live.undo': ok,
    });
    assert.equal(await run.result, 'old');
    assert.equal(run.stale, true);
    slow[end](new ToolError('TIMEOUT', 'late'));
    // An unhandled rejection would fail this test.
    await turn();
    assert.deepEqual(run.calls, ['live.get {}', 'next.do {"from":"old"}']);
  }
});

test('a step that answers in time keeps its fallback idle', async () => {
  const flow: Flow = {
    steps: [{ id: 'a', skill: 'a.a', fallback: { skill: 'b.b', after: 60_000 } }],
  };
  const run = await start(flow, { 'a.a': () => null, 'b.b': ok });
  assert.equal(await run.result, null);
  assert.deepEqual(run.calls, ['a.a {}']);
  assert.equal(run.stale, false);
});

test("when the fallback fails as well the step's own answer or failure counts", async () => {
  const fallback = { skill: 'b.b', after: 1 };
  const both = await start(
    { steps: [{ id: 'a', skill: 'a.a', fallback }] },
    { 'a.a': broken('NOT_FOUND'), 'b.b': broken() },
  );
  assert.equal((await failure(both.result)).code, 'NOT_FOUND');
  const slow = Promise.withResolvers<string>();
  const late = await start(
    { steps: [{ id: 'a', skill: 'a.a', fallback }] },
    {
      'a.a': () => slow.promise,
      'b.b': () => {
        slow.resolve('late but right');
        return broken()();
      },
    },
  );
  assert.equal(await late.result, 'late but right');
  assert.equal(late.stale, false);
});

const ORDER: Flow = {
  steps: [
    {
      id: 'reserve',
      skill: 'stock.reserve',
      with: { sku: '$inputs.sku' },
      compensate: { skill: 'stock.release' },
    },
    { id: 'note', skill: 'note.add' },
    {
      id: 'charge',
      skill: 'card.charge',
      compensate: { skill: 'card.refund', with: { id: '$steps.charge.outputs.id' } },
    },
    { id: 'never', skill: 'note.add', when: 'false', compensate: { skill: 'stock.release' } },
    { id: 'ship', skill: 'parcel.ship', compensate: { skill: 'stock.release' } },
  ],
};

const SHOP: Bodies = {
  'stock.reserve': ok,
  'stock.release': ok,
  'note.add': ok,
  'card.charge': () => ({ id: 'c-1' }),
  'card.refund': ok,
  'parcel.ship': broken(),
};

test('a failing step undoes the finished ones, last first, and keeps its own code and details', async () => {
  const run = await start(ORDER, SHOP, { inputs: { sku: 'x' } });
  const error = await failure(run.result);
  assert.deepEqual(error.toJSON(), {
    code: 'UPSTREAM_ERROR',
    message: 'Step ship (parcel.ship) failed: It is down.',
    details: {
      reason: 'down',
      step: 'ship',
      skill: 'parcel.ship',
      compensated: ['charge', 'reserve'],
    },
  });
  assert.equal(error.retryable, true);
  assert.deepEqual(run.calls.slice(-2), [
    'undo card.refund {"id":"c-1"}',
    'undo stock.release {"sku":"x"}',
  ]);
});

test('a compensation that fails is tried once, told, and stops neither the others nor the error', async () => {
  const run = await start(
    ORDER,
    { ...SHOP, 'card.refund': broken('NOT_FOUND') },
    { inputs: { sku: 'x' } },
  );
  const error = await failure(run.result);
  assert.equal(error.code, 'UPSTREAM_ERROR');
  assert.match(
    error.message,
    /It is down\. Step charge is done and card\.refund could not undo it\.$/,
  );
  assert.deepEqual(error.details?.['compensated'], ['reserve']);
  assert.deepEqual(error.details?.['compensation_failed'], [
    { step: 'charge', skill: 'card.refund', code: 'NOT_FOUND', message: 'It is down.' },
  ]);
  // Another attempt would do twice what still stands.
  assert.equal(error.retryable, false);
  assert.equal(run.calls.filter((call) => call.startsWith('undo card.refund')).length, 1);
});

test('what an inner composite could not undo is passed on', async () => {
  const inner = { step: 'x', skill: 'y.undo', code: 'TIMEOUT', message: 'late' };
  const fail = (): never => {
    throw new ToolError('UPSTREAM_ERROR', 'Step in failed.', {
      details: { step: 'in', compensated: ['z'], compensation_failed: [inner] },
    });
  };
  const run = await start(ORDER, { ...SHOP, 'parcel.ship': fail, 'card.refund': broken() });
  const error = await failure(run.result);
  assert.equal(error.details?.['step'], 'ship');
  assert.deepEqual(error.details?.['compensated'], ['reserve']);
  const open = error.details?.['compensation_failed'];
  assert(Array.isArray(open));
  assert.deepEqual([open.length, open[0]], [2, inner]);
});

test('an output that is missing at the end undoes everything as well', async () => {
  const flow = { ...ORDER, outputs: '$steps.ship.outputs.number' };
  const run = await start(flow, { ...SHOP, 'parcel.ship': ok });
  const error = await failure(run.result);
  assert.equal(error.code, 'INTERNAL_ERROR');
  assert.match(error.message, /^\$steps\.ship\.outputs\.number has no value/);
  assert.deepEqual(error.details?.['compensated'], ['ship', 'charge', 'reserve']);
});

test('a plain error of a step is coded', async () => {
  const run = await start(
    { steps: [{ id: 'a', skill: 'a.a' }] },
    {
      'a.a': () => {
        throw new RangeError('odd');
      },
    },
  );
  const error = await failure(run.result);
  assert.deepEqual([error.code, error.message], ['INTERNAL_ERROR', 'Step a (a.a) failed: odd']);
});

test('after an abort no step and no fallback starts, but what is finished is undone', async () => {
  for (const during of ['card.charge', 'parcel.ship']) {
    const controller = new AbortController();
    const abort = (): unknown => {
      controller.abort();
      return { id: 'c-2' };
    };
    const run = await start(ORDER, { ...SHOP, [during]: abort }, { signal: controller.signal });
    const error = await failure(run.result);
    assert.deepEqual([error.code, error.details?.['reason']], ['TIMEOUT', 'deadline']);
    const undone = during === 'parcel.ship' ? ['ship', 'charge', 'reserve'] : ['charge', 'reserve'];
    assert.deepEqual(error.details?.['compensated'], undone);
    assert.equal(
      run.calls.some((call) => call.startsWith('parcel.ship')),
      during === 'parcel.ship',
    );
  }
  const controller = new AbortController();
  const flow: Flow = { steps: [{ id: 'a', skill: 'a.a', fallback: { skill: 'b.b' } }] };
  const failing = (): never => {
    controller.abort();
    return broken()();
  };
  const run = await start(flow, { 'a.a': failing, 'b.b': ok }, { signal: controller.signal });
  assert.equal((await failure(run.result)).code, 'UPSTREAM_ERROR');
  assert.deepEqual(run.calls, ['a.a {}']);
});

test('whatever step fails, exactly the finished steps are undone, each once, in reverse', async () => {
  const shape = fc.record({ parallel: fc.boolean(), fails: fc.boolean() });
  await fc.assert(
    fc.asyncProperty(fc.array(shape, { minLength: 1, maxLength: 8 }), async (shapes) => {
      const steps = shapes.map(({ parallel, fails }, index) => ({
        id: `s${index}`,
        skill: fails ? 'step.fail' : 'step.ok',
        parallel,
        compensate: { skill: 'step.undo', with: { of: `s${index}` } },
      }));
      const run = await start({ steps }, { 'step.ok': ok, 'step.fail': broken(), 'step.undo': ok });
      const error = await run.result.then(
        () => undefined,
        (reason: unknown) => reason,
      );
      const failed = shapes.findIndex(({ fails }) => fails);
      assert.equal(error === undefined, failed === -1);
      if (failed === -1) return;
      assert(ToolError.is(error));
      assert.equal(error.details?.['step'], `s${failed}`);
      // Steps of the same parallel group have run, too.
      let end = failed + 1;
      while (shapes[failed]?.parallel === true && shapes[end]?.parallel === true) end++;
      const done = steps.slice(0, end).filter(({ skill }) => skill === 'step.ok');
      const undone = done.map(({ id }) => `undo step.undo {"of":"${id}"}`).toReversed();
      assert.deepEqual(run.calls.slice(end), undone);
    }),
  );
});

test('refuses a flow that cannot run', async () => {
  const skill = skillWith(
    { steps: [{ id: 'a', skill: 'a.a', with: { x: '$steps.b.outputs' } }] },
    {},
  );
  const error = await failure(executor.prepare(skill));
  assert.equal(error.code, 'INTERNAL_ERROR');
  assert.match(error.message, /Step a calls a\.a, .* there is no step b/);
});

test("takes the skill's own check", async (t) => {
  const folder = folderOf(t, { 'check.mjs': "export const check = () => 'checked';" });
  const flow: Flow = { steps: [{ id: 'a', skill: 'a.a' }] };
  const fromFile = await executor.prepare(skillWith(flow, { 'a.a': ok }, folder));
  assert.equal(Reflect.apply(fromFile.check ?? ok, undefined, []), 'checked');
  const without = await executor.prepare(skillWith(flow, { 'a.a': ok }));
  assert.equal('check' in without, false);
  assert.equal(without.stops, false);
});

test('runs composites written in code', async (t) => {
  const invoke = async (skill: string): Promise<unknown> => `from ${skill}`;
  const context = contextOf({ invoke });
  const code = "export const execute = (params, context) => context.invoke('a.a', {});";
  const folder = folderOf(t, { 'executor.mjs': code });
  const fromFile = await executor.prepare(skillOf({ kind: 'composite' }, folder));
  assert.equal(await fromFile.run({}, context), 'from a.a');
  const execute: NonNullable<Skill['execute']> = (_params, given) => given.invoke('b.b', {});
  const inCode = await executor.prepare({ ...skillOf({ kind: 'composite' }), execute });
  assert.equal(await inCode.run({}, context), 'from b.b');
});

test('counts the steps that write, conditional ones too, compensations not', () => {
  const writes: Record<string, number> = { 'note.add': 0, 'parcel.ship': 0 };
  assert.equal(
    writeStepCount(ORDER, (skill) => writes[skill] ?? 1),
    2,
  );
  assert.equal(
    writeStepCount(ORDER, () => 1),
    5,
  );
});
