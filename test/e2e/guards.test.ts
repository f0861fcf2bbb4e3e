import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite, test } from 'node:test';
import {
  createMemoryStore,
  createRuntime,
  ToolError,
  type ExecutionContext,
  type Flow,
  type Session,
  type SideEffect,
  type Skill,
} from '../../src/index.ts';
import { callOf, runtimeOf, skillOf, verdict } from '../support/runtime-of.ts';

const WRITE: SideEffect = { kind: 'write', targets: ['database'] };
const needs = (...skills: string[]): { skill: string; minVersion: string }[] =>
  skills.map((skill) => ({ skill, minVersion: '1.0.0' }));
/** A composite with a flow, as a folder with a flow.json would give it. */
function composite(name: string, flow: Flow, skills: readonly string[]): Skill {
  const { execute: _execute, ...skill } = skillOf(name, () => 1, {
    side_effect: WRITE,
    dependencies: needs(...skills),
  });
  return { ...skill, flow, contract: { ...skill.contract, executor: { kind: 'composite' } } };
}

const byText = (left: string, right: string): number => (left < right ? -1 : 1);

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
    const flow = composite('demo.flow', { steps }, ['demo.write', 'demo.undo']);
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
});

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

suite('configuration', () => {
  test('business defaults, settings and policy come from the file; a mistake in it ends the start', async (t) => {
    const root = await mkdtemp(join(tmpdir(), 'skillwright-'));
    t.after(() => rm(root, { recursive: true, force: true }));
    const registry = join(root, 'registry.json');
    const config = join(root, 'skillwright.config.json');
    await writeFile(
      join(root, 'body.mjs'),
      'export const execute = (params, { settings }) => ({ ...params, ...settings });',
    );
    await writeFile(
      registry,
      JSON.stringify({
        skills: [
          {
            name: 'demo.send',
            version: '1.0.0',
            description: 'd',
            purpose: 'p',
            side_effect: { kind: 'read' },
            rules: { none: 'x' },
            executor: { kind: 'module', file: 'body.mjs' },
            parameters: {
              type: 'object',
              properties: {
                to: { type: 'array', items: { type: 'string' } },
                n: { type: 'integer', default: 1 },
              },
            },
          },
        ],
      }),
    );
    await writeFile(
      config,
      JSON.stringify({
        store: 'memory',
        skills: {
          'demo.send': {
            defaults: { to: ['boss@example.com'], n: '5' },
            settings: { color: 'red' },
            policy: { rate_limit: { calls_per_minute: 1 } },
          },
        },
      }),
    );
    const runtime = await createRuntime({
      library: registry,
      dataDir: root,
      settings: { 'demo.send': { size: 2 } },
    });
    const envelope = await runtime.runSkill('demo.send');
    assert.deepEqual(envelope.result, { to: ['boss@example.com'], n: 5, color: 'red', size: 2 });
    assert.equal(verdict(await runtime.runSkill('demo.send')), 'RATE_LIMITED rate_limit 0');
    await runtime.close();
    for (const [text, message] of [
      ['{"skils":{}}', /did you mean skills\?/],
      ['{', /not valid JSON/],
      ['{"skills":{"demo.send":{"default":{}}}}', /did you mean defaults\?/],
      ['[]', /one JSON object/],
    ] as const) {
      await writeFile(config, text);
      await assert.rejects(createRuntime({ library: registry, dataDir: root }), message);
    }
  });

  test('what cannot be opened is said at start', async () => {
    await assert.rejects(createRuntime({}), /library folder, a registry file, or skills/);
    await assert.rejects(createRuntime({ library: '/no/such/library' }), /does not exist/);
    await assert.rejects(
      createRuntime({ skills: [], dataDir: import.meta.filename }),
      /cannot be created/,
    );
  });
});

suite('records', () => {
  test('every call has a row, refused ones too; steps hang under their call; secrets are nowhere', async (t) => {
    const canary = 'canary-Qx7-secret';
    const store = createMemoryStore();
    const leaky = skillOf(
      'demo.leaky',
      (_params, { secrets }) => {
        throw new Error(
          `connecting with ${secrets['key']} and postgres://u:${secrets['key']}@h/db failed`,
        );
      },
      { secrets: [{ name: 'key', env: 'SKILLWRIGHT_TEST_KEY' }], policy: { retries: 0 } },
    );
    const telling = skillOf('demo.telling', (_params, { secrets }) => ({ key: secrets['key'] }), {
      secrets: [{ name: 'key', env: 'SKILLWRIGHT_TEST_KEY' }],
    });
    const runtime = await runtimeOf(
      t,
      [
        leaky,
        telling,
        skillOf('demo.outer', (_params, { invoke }) => invoke('demo.inner', { n: 1 }), {
          dependencies: needs('demo.inner'),
        }),
        skillOf('demo.inner', ({ n }) => n),
      ],
      { store, secrets: { key: canary } },
    );
    const seen: unknown[] = [];
    seen.push(
      await callOf(runtime, 'demo.leaky'),
      await callOf(runtime, 'demo.telling'),
      await callOf(runtime, 'demo.inner', { [canary]: 1, n: canary }),
      await callOf(runtime, `demo.${canary}`),
    );
    const outer = await callOf(runtime, 'demo.outer');
    const tree = await runtime.trace(outer.metadata.traceId);
    assert.deepEqual(
      [tree?.skill, tree?.steps.map(({ skill, params }) => [skill, params])],
      ['demo.outer', [['demo.inner', '{"n":1}']]],
    );
    const rows = await store.calls.list();
    assert.deepEqual(
      rows.map(({ skill, code }) => `${skill} ${code}`).toSorted(byText),
      [
        'demo.[redacted] TOOL_NOT_FOUND',
        'demo.inner INVALID_PARAMS',
        'demo.inner null',
        'demo.leaky EXECUTION_ERROR',
        'demo.outer null',
        'demo.telling null',
      ].toSorted(byText),
    );
    assert.doesNotMatch(JSON.stringify([seen, rows, await store.audit.list()]), new RegExp(canary));
  });

  test('a credential that is not set is asked for by name', async (t) => {
    const runtime = await runtimeOf(t, [
      skillOf('demo.needs', (_params, { secrets }) => secrets['key'], {
        secrets: [{ name: 'key', env: 'SKILLWRIGHT_NOT_SET' }],
      }),
    ]);
    const envelope = await callOf(runtime, 'demo.needs');
    assert.equal(verdict(envelope), 'UNAUTHORISED secret_missing 1');
    assert.match(JSON.stringify(envelope), /SKILLWRIGHT_NOT_SET/);
  });

  test('a file library remembers on disk, and its audit chain holds', async (t) => {
    const dataDir = await mkdtemp(join(tmpdir(), 'skillwright-'));
    t.after(() => rm(dataDir, { recursive: true, force: true }));
    const runtime = await createRuntime({
      library: join(import.meta.dirname, '../fixtures/tool-caller'),
      dataDir,
    });
    const { metadata } = await runtime.runSkill('demo.echo', { text: 'remember me' });
    assert.equal((await runtime.trace(metadata.traceId))?.params, '{"text":"remember me"}');
    await runtime.close();
    assert.match((await readFile(join(dataDir, 'store.db'))).toString('latin1'), /remember me/);
  });
});
