import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite, test } from 'node:test';
import type { DialectCase } from '../../scripts/dialects/case.ts';
import { checkCase } from '../../scripts/dialects/check-case.ts';
import { finish, temporaryFolder } from '../support/run-cli.ts';
import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';

const root = join(import.meta.dirname, '../..');
const read = (file: string): readonly DialectCase[] =>
  readFileSync(file, 'utf8')
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as DialectCase);

suite('cases of what vendors refuse and models send', () => {
  for (const given of read(join(root, 'test/fixtures/dialect-cases.jsonl'))) {
    test(`${given.kind} ${given.target} ${given.id}`, () => {
      assert.deepEqual(checkCase(given), { faults: [], remarks: [], dangerous: false });
    });
  }

  test('failures reported in public', (t) => {
    const file = join(root, '../shared/data/dialects/cases.jsonl');
    if (!existsSync(file)) return t.diagnostic(`not run: there is no ${file}`);
    const cases = read(file);
    const failed = cases.filter((given) => checkCase(given).faults.length > 0);
    assert.deepEqual(
      failed.map(({ id }) => id),
      [],
    );
    assert.ok(cases.length > 0);
  });
});

suite('npm run cases:dialects', () => {
  const run = (...args: readonly string[]) => {
    const child = spawn(process.execPath, [join(root, 'scripts/cases-dialects.ts'), ...args]);
    child.stdin.end();
    return finish(child);
  };

  test('prints a line a case and the totals, and fails when one does', async (t) => {
    const work = temporaryFolder();
    t.after(work.remove);
    const file = join(work.path, 'cases.jsonl');
    const [good] = read(join(root, 'test/fixtures/dialect-cases.jsonl'));
    const wrong = { ...good, id: 'wrong', expected: { outcome: 'ok', args: { title: 'other' } } };
    const odd = { ...good, id: 'odd', expected: { ...good?.expected, nobody_knows: 7 } };
    const lines = [good, wrong, odd].map((given) => JSON.stringify(given));
    writeFileSync(file, `${lines.join('\n')}\nno JSON\n`);
    const { stdout, code } = await run(file);
    assert.equal(code, 1);
    assert.match(stdout, /^ok +call openai\.chat double-encoded$/m);
    assert.match(stdout, /^FAILED call openai\.chat wrong\n +gives \{"title":"x"\}\n +DANGEROUS$/m);
    assert.match(stdout, /unknown expectation nobody_knows/);
    assert.match(stdout, /^FAILED not JSON - line 4/m);
    assert.match(stdout, /1 of 4 passed, 1 dangerous/);
  });

  test('says what to name when there is no file', async () => {
    assert.equal((await run()).code, 2);
    const missing = await run('/no/such/file');
    assert.deepEqual([missing.code, /cannot be read/.test(missing.stderr)], [2, true]);
  });
});
