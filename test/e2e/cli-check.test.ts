import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { chmodSync, cpSync, mkdirSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { suite, test, type TestContext } from 'node:test';
import { finish, temporaryFolder, type Finished } from '../support/run-cli.ts';

const CHECK = join(import.meta.dirname, '../../scripts/check.ts');

/** Runs the gate over an empty project whose tools are scripts that do as they are told. */
function check(
  t: TestContext,
  tools: Readonly<Record<string, string>>,
  ...args: readonly string[]
): Promise<Finished> {
  const { path, remove } = temporaryFolder();
  t.after(remove);
  const bin = join(path, 'bin');
  mkdirSync(bin);
  mkdirSync(join(path, 'scripts'));
  cpSync(CHECK, join(path, 'scripts/check.ts'));
  writeFileSync(join(path, 'package.json'), '{"type":"module"}');
  for (const [name, script] of Object.entries(tools)) {
    writeFileSync(join(bin, name), `#!/bin/sh\n${script}\n`);
    chmodSync(join(bin, name), 0o755);
  }
  const env = { ...process.env, PATH: `${bin}${delimiter}/usr/bin${delimiter}/bin` };
  const child = spawn(process.execPath, [join(path, 'scripts/check.ts'), ...args], { env });
  child.stdin.end();
  return finish(child);
}

const GOOD = {
  tsc: 'exit 0',
  oxlint: 'exit 0',
  oxfmt: 'exit 0',
  knip: 'exit 0',
  node: 'printf "✔ a test\\nℹ tests 3\\nℹ pass 3\\nℹ fail 0\\n"',
};

suite('npm test', () => {
  test('passes when every step does, and shows how many tests there were', async (t) => {
    const { stdout, code } = await check(t, GOOD);
    assert.equal(code, 0, stdout);
    for (const step of ['types', 'lint', 'format', 'dead-code', 'unit', 'e2e', 'build']) {
      assert.match(stdout, new RegExp(`^${step} +ok \\d+\\.\\d s$`, 'm'));
    }
    assert.equal(stdout.match(/^ℹ tests 3\nℹ pass 3\nℹ fail 0$/gm)?.length, 2);
    assert.match(stdout, /^All steps passed\.$/m);
  });

  test('runs all steps, shows what the failing ones said and fails', async (t) => {
    const tools = {
      ...GOOD,
      oxlint: 'echo "bad line" >&2; exit 3',
      node: 'echo "✖ broken test"; exit 1',
    };
    const { stdout, code } = await check(t, tools);
    assert.equal(code, 1);
    assert.match(stdout, /^lint +FAILED \(exit 3\) .*\nbad line$/m);
    assert.match(stdout, /^unit +FAILED \(exit 1\) .*\n✖ broken test$/m);
    assert.match(stdout, /^build +ok/m);
    assert.match(stdout, /^Failed: lint, unit, e2e\.$/m);
  });

  test('a tool that is not there is a failure', async (t) => {
    const { knip: _knip, ...tools } = GOOD;
    const { stdout, code } = await check(t, tools, '--only', 'dead-code');
    assert.equal(code, 1);
    assert.match(stdout, /knip could not be started/);
  });

  test('--only runs one step, and one that does not exist is refused', async (t) => {
    const { stdout } = await check(t, GOOD, '--only', 'unit');
    assert.match(stdout, /^unit +ok/);
    assert.doesNotMatch(stdout, /types/);
    const refused = await check(t, GOOD, '--only', 'units');
    assert.equal(refused.code, 2);
    assert.match(refused.stderr, /no step "units"[^]*Steps: types, lint/);
  });
});
