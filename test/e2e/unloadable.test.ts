import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { createRuntime } from '../../src/index.ts';
import { callOf, verdict } from '../support/runtime-of.ts';

const BODIES: Readonly<Record<string, string>> = {
  syntax: 'export const execute = ({n} => 1;',
  throws: "throw new Error('while loading');",
  nothing: 'export const other = 1;',
};

test('a body that cannot be loaded is INTERNAL_ERROR at once, every time, and ends nothing', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'skillwright-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
  const skills = Object.keys(BODIES).map((name) => ({
    name: `bad.${name}`,
    version: '1.0.0',
    description: 'd',
    purpose: 'p',
    side_effect: { kind: 'read' },
    rules: { none: 'a test' },
    parameters: { type: 'object', properties: {} },
    executor: { kind: 'module', file: `${name}.mjs` },
  }));
  for (const [name, body] of Object.entries(BODIES)) {
    await writeFile(join(folder, `${name}.mjs`), body);
  }
  const library = join(folder, 'registry.json');
  await writeFile(library, JSON.stringify({ skills }));
  const runtime = await createRuntime({ library, dataDir: folder });
  for (const { name } of skills) {
    for (let call = 0; call < 2; call++) {
      const envelope = await callOf(runtime, name);
      assert.equal(verdict(envelope), 'INTERNAL_ERROR - 0', name);
      assert.ok(envelope.metadata.duration < 2_000);
    }
    const validation = await runtime.validateSkill(name, {});
    assert.equal(validation.valid, false);
  }
  await runtime.close();
});
