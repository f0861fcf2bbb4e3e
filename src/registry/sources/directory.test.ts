import assert from 'node:assert/strict';
import {
  chmodSync,
  mkdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { suite, test } from 'node:test';
import { libraryOf, skillFiles, writeFiles } from '../../../test/support/library-of.ts';
import { resolveDependencies } from '../dependencies.ts';
import type { Skill } from '../skill.ts';
import type { Loaded, SkillSettings, SkillSource } from '../source.ts';
import { createDirectorySource } from './directory.ts';

const NOTHING: SkillSettings = { defaults: {}, settings: {} };
const BROKEN = join(import.meta.dirname, '../../../test/fixtures/broken');

function sourceOf(root: string, settings: Record<string, SkillSettings> = {}): SkillSource {
  return createDirectorySource(root, { configure: (name) => settings[name] ?? NOTHING });
}

function names({ skills }: Loaded): readonly string[] {
  return skills.map(({ contract }) => contract.name);
}

/** The one problem of a library that has one. */
function told({ problems }: Loaded): string {
  assert.equal(problems.length, 1, JSON.stringify(problems, null, 2));
  const [problem] = problems;
  return `${problem?.severity} ${problem?.skill}: ${problem?.message}`;
}

suite('a library of folders', () => {
  test('gives each skill with what its files say', async (t) => {
    const root = libraryOf(t, {
      ...skillFiles('task.create', { tags: ['task'] }),
      ...skillFiles('task.close', {
        executor: { kind: 'http', method: 'GET', url: 'https://a.b' },
      }),
    });
    const { skills, problems } = await sourceOf(root).load();
    assert.deepEqual(problems, []);
    const [close, create] = skills;
    assert.deepEqual([close?.contract.name, create?.contract.name], ['task.close', 'task.create']);
    assert.equal(create?.contract.description, 'Does create.');
    assert.deepEqual(create.contract.tags, ['task']);
    assert.deepEqual(create.contract.executor, { kind: 'module', file: 'executor.mjs' });
    assert.equal(create.folder, join(root, 'task/create'));
    assert.equal(create.guidance, 'Call it.');
    assert.equal(close?.contract.executor.kind, 'http');
  });

  test('passes over dot folders, node_modules, files and folders without a skill', async (t) => {
    const files = skillFiles('task.create');
    const root = libraryOf(t, {
      ...files,
      'task/notes/todo.txt': 'Nothing.',
      'README.md': '# Library',
      'skillwright.config.json': {},
      ...Object.fromEntries(
        ['.git', 'node_modules', 'task/.draft'].flatMap((folder) =>
          Object.entries(files).map(([path, text]) => [`${folder}/${path}`, text]),
        ),
      ),
    });
    const loaded = await sourceOf(root).load();
    assert.deepEqual(names(loaded), ['task.create']);
    assert.deepEqual(loaded.problems, []);
  });

  test('tolerates byte order marks and a lower-case skill.md', async (t) => {
    const { 'task/create/SKILL.md': guide, ...files } = skillFiles('task.create');
    const marked = Object.entries({ ...files, 'task/create/skill.md': guide }).map(
      ([path, text]) =>
        [path, `\uFEFF${typeof text === 'string' ? text : JSON.stringify(text)}`] as const,
    );
    const loaded = await sourceOf(libraryOf(t, Object.fromEntries(marked))).load();
    assert.deepEqual(loaded.problems, []);
    assert.deepEqual(names(loaded), ['task.create']);
  });

  const bodies: readonly (readonly [
    string,
    Record<string, unknown>,
    Skill['contract']['executor'],
  ])[] = [
    ['executor.ts', {}, { kind: 'module', file: 'executor.ts' }],
    ['executor.js', {}, { kind: 'module', file: 'executor.js' }],
    ['executor.py', {}, { kind: 'command', file: 'executor.py' }],
    ['executor.sh', {}, { kind: 'command', file: 'executor.sh' }],
    ['executor', {}, { kind: 'command', file: 'executor' }],
    ['executor.mjs', { kind: 'command' }, { kind: 'command', file: 'executor.mjs' }],
    ['executor.mjs', { kind: 'composite' }, { kind: 'composite', file: 'executor.mjs' }],
    [
      'lib/run.rb',
      { kind: 'command', file: 'lib/run.rb' },
      { kind: 'command', file: 'lib/run.rb' },
    ],
  ];
  for (const [file, given, executor] of bodies)
    test(`${file} with executor ${JSON.stringify(given)} runs as ${executor.kind}`, async (t) => {
      const contract = 'kind' in given ? { executor: given } : {};
      const files = skillFiles('a.b', contract, { 'executor.mjs': undefined, [file]: 'body' });
      const { skills, problems } = await sourceOf(libraryOf(t, files)).load();
      assert.deepEqual(problems, []);
      assert.deepEqual(skills[0]?.contract.executor, executor);
    });

  test('a flow is read and checked', async (t) => {
    const flow = { steps: [{ id: 'only', skill: 'a.c', with: { text: '$inputs.text' } }] };
    const contract = { dependencies: [{ skill: 'a.c', minVersion: '1.0.0' }] };
    const files = skillFiles('a.b', contract, { 'executor.mjs': undefined, 'flow.json': flow });
    const { skills, problems } = await sourceOf(libraryOf(t, files)).load();
    assert.deepEqual(problems, []);
    assert.deepEqual(skills[0]?.flow, flow);
    assert.deepEqual(skills[0].contract.executor, { kind: 'composite', file: 'flow.json' });
  });
});

suite('a broken library', () => {
  const expected: Readonly<Record<string, readonly [RegExp, file?: string, line?: number]>> = {
    'order.bad-flow': [
      /calls order\.find, .* or did you mean order\.fine.*no parameter ide\./,
      'flow.json',
    ],
    'order.bad-flow-json': [/^It is not valid JSON at line 2, column 13/, 'flow.json', 2],
    'order.bad-json': [/^It is not valid JSON at line 4, column 29: Unex/, 'schema.json', 4],
    'order.bad-schema': [/^parameters\.properties\.id\.type cannot be used/, 'schema.json', 11],
    'order.lost-body': [/^The executor main\.mjs does not exist\. Add it, or correct/],
    'order.lost-dependency': [/order\.fin is not in the library/],
    'order.misnamed': [
      /^name is "order\.named", but the folders say order\.misnamed/,
      'schema.json',
    ],
    'order.no-body': [/^executor is missing: add executor\.ts/, 'schema.json'],
    'order.no-contract': [/^There is a SKILL\.md but no schema\.json\. Add the contract/],
    'order.no-effect': [/^side_effect is missing/, 'schema.json'],
    'order.no-guide': [/^There is a schema\.json but no SKILL\.md\. Add one/],
    'order.two-bodies': [/^There are several executors \(executor\.mjs, executor\.py\)\. Keep/],
    stray: [/^A schema\.json lies one folder too high\. Move the skill/],
  };

  test('serves what is sound and says of the rest what is wrong and where', async () => {
    const loaded = await sourceOf(BROKEN).load();
    const { kept, problems } = resolveDependencies(loaded.skills);
    assert.deepEqual(names({ skills: kept, problems: [] }), ['order.fine']);
    const found = [...loaded.problems, ...problems];
    assert.deepEqual(found.map(({ skill }) => skill).sort(), Object.keys(expected).sort());
    for (const { skill, severity, message, file, line } of found) {
      const [text, name, at] = expected[skill] ?? [/^$/];
      assert.match(message, text);
      assert.match(message, /[.?]$/);
      assert.equal(severity, 'error');
      if (name !== undefined) assert.equal(file, join(BROKEN, skill.replace('.', '/'), name));
      if (at !== undefined) assert.equal(line, at);
    }
  });

  test('warns of a SKILL.md with another name, and serves it', async (t) => {
    const guide = '---\nname: make\ndescription: Makes.\n---\n';
    const loaded = await sourceOf(
      libraryOf(t, skillFiles('a.b', {}, { 'SKILL.md': guide })),
    ).load();
    assert.match(
      told(loaded),
      /^warning a\.b: Its name is "make", its folder's b\. Make them equal/,
    );
    assert.deepEqual(names(loaded), ['a.b']);
  });

  test('a file that is too large, no file or not to be read leaves one skill out', async (t) => {
    const root = libraryOf(t, { ...skillFiles('a.b'), ...skillFiles('a.c') });
    truncateSync(join(root, 'a/b/SKILL.md'), 2 * 1024 * 1024);
    const large = await sourceOf(root).load();
    assert.match(
      told(large),
      /^error a\.b: It cannot be read: .*SKILL\.md has over 1 MiB; make it/,
    );
    assert.deepEqual(names(large), ['a.c']);
    rmSync(join(root, 'a/b/SKILL.md'));
    writeFiles(root, { 'a/b/SKILL.md/inner.txt': 'x' });
    assert.match(told(await sourceOf(root).load()), /SKILL\.md is not a file/);
  });

  test('a folder that may not be read is a problem of its own', async (t) => {
    if (process.getuid?.() === 0) return t.skip('root may read everything');
    const root = libraryOf(t, { ...skillFiles('a.b'), ...skillFiles('c.d') });
    chmodSync(join(root, 'a'), 0o000);
    try {
      const loaded = await sourceOf(root).load();
      assert.match(told(loaded), /^error a: The folder cannot be read/);
      assert.deepEqual(names(loaded), ['c.d']);
    } finally {
      chmodSync(join(root, 'a'), 0o700);
    }
  });

  test('a library that is gone rejects, so that the last reading stays', async (t) => {
    const root = libraryOf(t);
    await assert.rejects(sourceOf(join(root, 'none')).load(), /ENOENT/);
  });
});

suite('links', () => {
  test('those inside the library are followed, whichever way it is reached', async (t) => {
    const root = libraryOf(t, { ...skillFiles('a.b'), '_shared/body.mjs': 'export {}' });
    symlinkSync('b', join(root, 'a/c'));
    rmSync(join(root, 'a/b/executor.mjs'));
    symlinkSync('../../_shared/body.mjs', join(root, 'a/b/executor.mjs'));
    const other = join(libraryOf(t), 'link');
    symlinkSync(root, other);
    for (const path of [root, other]) {
      const loaded = await sourceOf(path).load();
      assert.deepEqual(names(loaded), ['a.b', 'a.c']);
      assert.match(told(loaded), /^warning a\.c: Its name is "b", its folder's c/);
    }
  });

  const outside: Readonly<Record<string, (root: string, elsewhere: string) => void>> = {
    'a domain': (root, elsewhere) => symlinkSync(join(elsewhere, 'x'), join(root, 'x')),
    'a skill': (root, elsewhere) => symlinkSync(join(elsewhere, 'x/y'), join(root, 'a/y')),
    'a contract': (root, elsewhere) => replace(root, elsewhere, 'schema.json'),
    'a SKILL.md': (root, elsewhere) => replace(root, elsewhere, 'SKILL.md'),
    'an executor': (root, elsewhere) => replace(root, elsewhere, 'executor.mjs'),
    'a folder of the skill': (root, elsewhere) =>
      symlinkSync(elsewhere, join(root, 'a/b/references')),
    'a link to nowhere': (root) => symlinkSync('nowhere', join(root, 'a/b/data.txt')),
  };
  for (const [what, make] of Object.entries(outside))
    test(`${what} that leads out is refused`, async (t) => {
      const root = libraryOf(t, skillFiles('a.b'));
      make(root, libraryOf(t, skillFiles('x.y')));
      assert.match(
        told(await sourceOf(root).load()),
        /^error .* link that leads out of the library/,
      );
    });

  test('a link in a circle is passed over', async (t) => {
    const root = libraryOf(t, skillFiles('a.b'));
    symlinkSync('c', join(root, 'a/c'));
    assert.deepEqual(names(await sourceOf(root).load()), ['a.b']);
  });

  for (const file of ['../c/executor.mjs', '../../../etc/hosts', '/etc/hosts'])
    test(`executor.file ${file} is refused`, async (t) => {
      const contract = { executor: { kind: 'command', file } };
      const root = libraryOf(t, { ...skillFiles('a.b', contract), 'a/c/executor.mjs': '' });
      assert.match(
        told(await sourceOf(root).load()),
        /lies outside the skill's folder\. Copy it in/,
      );
    });

  test("executor.file through a linked folder is the skill's only inside the library", async (t) => {
    const root = libraryOf(
      t,
      skillFiles('a.b', { executor: { kind: 'command', file: 'lib/run' } }),
    );
    const lib = libraryOf(t, { run: '' });
    writeFiles(root, { 'a/b/lib/keep': '' });
    symlinkSync(join(lib, 'run'), join(root, 'a/b/lib/run'));
    assert.match(told(await sourceOf(root).load()), /lib\/run is a link that leads out/);
  });
});

suite('reading again', () => {
  test('an unchanged skill stays the same object, a changed one does not', async (t) => {
    const root = libraryOf(t, { ...skillFiles('a.b'), ...skillFiles('a.c') });
    const source = sourceOf(root);
    const before = await source.load();
    const again = await source.load();
    assert.deepEqual(names(again), ['a.b', 'a.c']);
    for (const [index, skill] of again.skills.entries()) assert.equal(skill, before.skills[index]);
    writeFileSync(join(root, 'a/c/executor.mjs'), 'export const execute = () => ({ more: 1 });\n');
    const after = await source.load();
    assert.equal(after.skills[0], before.skills[0]);
    assert.notEqual(after.skills[1], before.skills[1]);
    const helper = join(root, 'a/b/lib/deep/helper.mjs');
    mkdirSync(dirname(helper), { recursive: true });
    writeFileSync(helper, 'export const n = 1;\n');
    const [first] = (await source.load()).skills;
    assert.equal((await source.load()).skills[0], first);
    writeFileSync(helper, 'export const n = 22;\n');
    const edited = await source.load();
    assert.notEqual(edited.skills[0], first);
    assert.equal(edited.skills[1], after.skills[1]);
  });

  test('a file swapped for one of the same size and time is seen', async (t) => {
    const root = libraryOf(t, skillFiles('a.b'));
    const source = sourceOf(root);
    const file = join(root, 'a/b/executor.mjs');
    utimesSync(file, 1, 1);
    const [before] = (await source.load()).skills;
    writeFileSync(`${file}.new`, 'export const execute = () => ({});\n');
    utimesSync(`${file}.new`, 1, 1);
    renameSync(`${file}.new`, file);
    const [after] = (await source.load()).skills;
    assert.notEqual(after, before);
  });

  test('problems stay, come and go with their files', async (t) => {
    const root = libraryOf(t, { ...skillFiles('a.b', { version: 'x' }), ...skillFiles('a.c') });
    const source = sourceOf(root);
    await source.load();
    assert.match(told(await source.load()), /a\.b: version must be/);
    writeFiles(root, skillFiles('a.b'));
    rmSync(join(root, 'a/c'), { recursive: true });
    const mended = await source.load();
    assert.deepEqual([names(mended), mended.problems], [['a.b'], []]);
  });

  test('other settings make another skill', async (t) => {
    const settings: Record<string, SkillSettings> = {};
    const source = sourceOf(libraryOf(t, skillFiles('a.b')), settings);
    const [before] = (await source.load()).skills;
    settings['a.b'] = { defaults: { text: 'x' }, settings: { base: 1 }, policy: { retries: 1 } };
    const [after] = (await source.load()).skills;
    assert.notEqual(after, before);
    assert.deepEqual(
      [after?.defaults, after?.settings, after?.contract.policy],
      [{ text: 'x' }, { base: 1 }, { retries: 1 }],
    );
  });
});

test('many skills do not hold the process up', async (t) => {
  const files = Array.from({ length: 150 }, (_, index) => skillFiles(`a.b${index}`));
  const source = sourceOf(libraryOf(t, Object.assign({}, ...files) as Record<string, unknown>));
  let turns = 0;
  let loading = true;
  const count = (): void => {
    turns++;
    if (loading) setImmediate(count);
  };
  setImmediate(count);
  const { skills } = await source.load();
  loading = false;
  assert.equal(skills.length, 150);
  assert.ok(turns >= 2, `others got ${turns} turns`);
});

function replace(root: string, elsewhere: string, file: string): void {
  rmSync(join(root, 'a/b', file));
  symlinkSync(join(elsewhere, 'x/y', file), join(root, 'a/b', file));
}
