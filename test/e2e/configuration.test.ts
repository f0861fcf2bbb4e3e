import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite, test } from 'node:test';
import { createRuntime } from '../../src/index.ts';
import { verdict } from '../support/runtime-of.ts';

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
