import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { after, before, suite, test } from 'node:test';
import { DIALECT_IDS, type Envelope } from '../../src/index.ts';
import { finish, startCli, temporaryFolder, type Finished } from '../support/run-cli.ts';

const root = join(import.meta.dirname, '../..');
const pages = [
  'README.md',
  'README.zh-CN.md',
  'docs/writing-skills.md',
  'docs/mcp.md',
  'docs/agents.md',
  'docs/dialects.md',
  'docs/reasons.md',
];
const text = (page: string): string => readFileSync(join(root, page), 'utf8');

/** The files a page shows: fenced blocks whose first line names a path. */
function filesOf(page: string): ReadonlyMap<string, string> {
  const blocks = text(page).matchAll(/^```\w+ (\S+)\n(.*?)^```$/gms);
  return new Map(Array.from(blocks, ([, path = '', body = '']) => [path, body] as const));
}

suite('what the pages show', () => {
  const work = temporaryFolder();
  after(work.remove);
  const run = (...args: readonly string[]): Promise<Finished> =>
    finish(
      startCli(args, {
        cwd: work.path,
        input: '',
        env: { SKILLWRIGHT_DATA_DIR: join(work.path, 'data') },
      }),
    );

  before(() => {
    mkdirSync(join(work.path, 'node_modules'));
    symlinkSync(join(root, 'node_modules/zod'), join(work.path, 'node_modules/zod'));
    symlinkSync(root, join(work.path, 'node_modules/skillwright'));
    for (const page of ['README.md', 'docs/writing-skills.md']) {
      for (const [path, body] of filesOf(page)) {
        mkdirSync(dirname(join(work.path, path)), { recursive: true });
        writeFileSync(join(work.path, path), body);
      }
    }
  });

  test('is a library without problems whose skills pass their test', async () => {
    const listed = await run('list', '--json');
    const { skills, problems } = JSON.parse(listed.stdout) as {
      skills: unknown[];
      problems: unknown[];
    };
    assert.deepEqual(problems, []);
    assert.equal(skills.length, 6);
    const tested = await run('test');
    assert.equal(tested.code, 0, tested.stdout);
  });

  test('runs: a flow with steps side by side, a condition, and undoing', async () => {
    const { stdout, code } = await run('call', 'note.remember', '{"text":"call Ann"}');
    assert.equal(code, 0, stdout);
    const { result } = JSON.parse(stdout) as Envelope;
    assert.equal((result as { before: number }).before, 0);
    const notes = readFileSync(join(work.path, 'data/notes.jsonl'), 'utf8').trim().split('\n');
    assert.deepEqual(
      notes.map((line) => (JSON.parse(line) as { text: string }).text),
      ['CALL ANN (0 before)', 'call Ann'],
    );
    const missing = await run('call', 'note.remove', '{"id":"x"}');
    assert.equal(missing.code, 16);
  });

  test('the program in code runs', () => {
    mkdirSync(join(work.path, 'skills'), { recursive: true });
    const tsx = filesOf('README.md').get('example.ts');
    assert.ok(tsx !== undefined);
    assert.equal(filesOf('README.zh-CN.md').get('example.ts')?.includes('createRuntime'), true);
    const file = join(work.path, 'example.ts');
    writeFileSync(file, `${tsx}\nconsole.log(JSON.stringify(envelope));\n`);
    const resolver = join(root, 'src/cli/resolve-self.ts');
    const { stdout, stderr } = spawnSync(process.execPath, ['--import', resolver, file], {
      cwd: work.path,
      encoding: 'utf8',
    });
    assert.match(stdout, /"success":true,"result":\{"sum":3\}/, stderr);
  });
});

test('every reason the library gives is in the table, and no other', () => {
  const table = new Set(
    Array.from(text('docs/reasons.md').matchAll(/^\| `(\w+)`/gm), ([, name]) => name),
  );
  const given = new Set<string | undefined>();
  for (const entry of readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })) {
    if (!entry.endsWith('.ts') || entry.endsWith('.test.ts')) continue;
    const source = readFileSync(join(root, 'src', entry), 'utf8');
    for (const [, name] of source.matchAll(/reason: '(\w+)'/g)) given.add(name);
  }
  assert.deepEqual(
    [...given].filter((name) => !table.has(name)),
    [],
  );
  const sources = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })
    .filter((entry) => entry.endsWith('.ts') && !entry.endsWith('.test.ts'))
    .map((entry) => readFileSync(join(root, 'src', entry), 'utf8'))
    .join('\n');
  assert.deepEqual(
    [...table].filter((name) => !sources.includes(`'${name}'`)),
    [],
  );
});

test('every dialect and every warning of the compiler is in its table', () => {
  const page = text('docs/dialects.md');
  for (const id of DIALECT_IDS) assert.ok(page.includes(`\`${id}\``), id);
  const named = (pattern: RegExp): ReadonlySet<string | undefined> =>
    new Set(
      readdirSync(join(root, 'src/adapters'), { encoding: 'utf8' })
        .filter((entry) => /^(?:compile|emi|tool-|strict|root).*(?<!\.test)\.ts$/.test(entry))
        .flatMap((entry) => [
          ...readFileSync(join(root, 'src/adapters', entry), 'utf8').matchAll(pattern),
        ])
        .map(([, code]) => code),
    );
  const codes = named(/(?:lose\(|code: )['`]([A-Z][A-Z_]+)/g);
  assert.ok(codes.size >= 10, [...codes].join(' '));
  for (const code of codes) assert.ok(page.includes(`\`${code}`), code);
});

test('links of the pages lead somewhere', () => {
  for (const page of pages) {
    for (const [, target = ''] of text(page).matchAll(/\]\((?!https?:)([^)#]+)[^)]*\)/g))
      assert.ok(existsSync(join(root, dirname(page), target)), `${page}: ${target}`);
  }
});
