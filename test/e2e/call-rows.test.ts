import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite, test } from 'node:test';
import { createMemoryStore, createRuntime } from '../../src/index.ts';
import { callOf, needs, runtimeOf, skillOf, verdict } from '../support/runtime-of.ts';

const byText = (left: string, right: string): number => (left < right ? -1 : 1);

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
