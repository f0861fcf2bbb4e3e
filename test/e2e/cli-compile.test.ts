import assert from 'node:assert/strict';
import { join } from 'node:path';
import { suite, test } from 'node:test';
import { DIALECT_IDS } from '../../src/index.ts';
import { runCli, type Finished } from '../support/run-cli.ts';

const library = join(import.meta.dirname, '../../skills');
const run = (...args: readonly string[]): Promise<Finished> =>
  runCli(['compile', '--library', library, ...args]);

suite('skillwright compile', () => {
  test('prints the tools alone on stdout, and on stderr what could not be said', async () => {
    const { stdout, stderr, code } = await run('--for', 'openai.strict');
    assert.equal(code, 0);
    const tools = JSON.parse(stdout) as { function: { name: string; strict: boolean } }[];
    assert.ok(tools.length >= 30);
    const create = tools.find((tool) => tool.function.name === 'task_create');
    assert.equal(create?.function.strict, true);
    assert.match(stderr, /warning task\.create KEYWORD_MOVED_TO_DESCRIPTION:maxLength \/title/);
    assert.match(stderr, /\d+ tools, 0 refused, \d+ warnings/);
  });

  test('prints those that are named, in every dialect', async () => {
    for (const dialect of [...DIALECT_IDS.slice(0, 2), 'gemini']) {
      const { stdout, code } = await run('--for', dialect, 'task.create', 'task.list', '--quiet');
      assert.equal(code, 0, dialect);
      assert.equal((JSON.parse(stdout) as unknown[]).length, 2);
    }
  });

  test('says what it knows when asked for something else', async () => {
    const unknown = await run('--for', 'antropic');
    assert.equal(unknown.code, 2);
    assert.match(unknown.stderr, /Did you mean anthropic/);
    assert.equal((await run()).code, 2);
    const missing = await run('--for', 'anthropic', 'task.creat');
    assert.equal(missing.code, 2);
    assert.match(missing.stderr, /Did you mean task\.create/);
  });
});
