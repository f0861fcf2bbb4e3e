import assert from 'node:assert/strict';
import { renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite, test, type TestContext } from 'node:test';
import { contractOf, libraryOf, skillFiles, writeFiles } from '../../../test/support/library-of.ts';
import type { SkillSource } from '../source.ts';
import { createDirectorySource } from './directory.ts';
import { createFileSource } from './file.ts';
import { watchFiles } from './watch-files.ts';

const configure = () => ({ defaults: {}, settings: {} });

/** Watches a source; `next` resolves when a change has been told since the last one was awaited. */
async function watching(t: TestContext, source: SkillSource): Promise<() => Promise<void>> {
  await source.load();
  let told = Promise.withResolvers<void>();
  const watcher = await source.watch?.(() => told.resolve());
  t.after(() => watcher?.close());
  return async () => {
    await told.promise;
    told = Promise.withResolvers<void>();
  };
}

async function names(source: SkillSource): Promise<readonly string[]> {
  return (await source.load()).skills.map(({ contract }) => contract.name);
}

function saveAtomically(file: string, text: string): void {
  writeFileSync(`${file}.tmp`, text);
  renameSync(`${file}.tmp`, file);
}

suite('watching a folder', () => {
  test('tells of skills that come, change and go', async (t) => {
    const root = libraryOf(t, skillFiles('a.b'));
    const source = createDirectorySource(root, { configure });
    const next = await watching(t, source);
    writeFiles(root, skillFiles('c.d'));
    await next();
    assert.deepEqual(await names(source), ['a.b', 'c.d']);
    rmSync(join(root, 'a/b'), { recursive: true });
    await next();
    assert.deepEqual(await names(source), ['c.d']);
    renameSync(join(root, 'c/d'), join(root, 'c/e'));
    await next();
    assert.deepEqual(await names(source), ['c.e']);
  });

  test('tells of every save, also of those that swap the file', async (t) => {
    const root = libraryOf(t, skillFiles('a.b'));
    const source = createDirectorySource(root, { configure });
    const next = await watching(t, source);
    const file = join(root, 'a/b/schema.json');
    for (const version of ['1.1.0', '1.2.0', '1.3.0']) {
      saveAtomically(file, JSON.stringify(contractOf({ version })));
      await next();
      const { skills } = await source.load();
      assert.equal(skills[0]?.contract.version, version);
    }
  });

  test('works through a link and in a folder whose name begins with a dot', async (t) => {
    const root = join(libraryOf(t), '.hidden');
    writeFiles(root, skillFiles('a.b'));
    const link = join(libraryOf(t), 'link');
    symlinkSync(root, link);
    const source = createDirectorySource(link, { configure });
    const next = await watching(t, source);
    writeFiles(root, skillFiles('a.c'));
    await next();
    assert.deepEqual(await names(source), ['a.b', 'a.c']);
  });

  test('leaves dot files, node_modules and what links lead to aside', async (t) => {
    const elsewhere = libraryOf(t);
    const root = libraryOf(t, { ...skillFiles('a.b'), '.git/index': '', 'node_modules/x.js': '' });
    symlinkSync(elsewhere, join(root, 'linked'));
    let told = 0;
    const seen = Promise.withResolvers<void>();
    const watcher = await watchFiles([root], () => {
      told++;
      seen.resolve();
    });
    // A second watch, of just these places, tells when the first would have told; twice, for good measure.
    let control = Promise.withResolvers<void>();
    const places = ['.git', 'node_modules'].map((folder) => join(root, folder));
    const witness = await watchFiles([...places, elsewhere], () => control.resolve());
    t.after(() => Promise.all([watcher.close(), witness.close()]));
    for (const text of ['x', 'xx']) {
      for (const file of ['.git/index', 'node_modules/x.js', 'a/b/.swp', 'linked/x'])
        writeFileSync(join(root, file), text);
      await control.promise;
      control = Promise.withResolvers();
    }
    assert.equal(told, 0);
    writeFileSync(join(root, 'a/b/executor.mjs'), 'export {};');
    await seen.promise;
  });
});

test('watching a registry file tells of it and of its executors', async (t) => {
  const entry = (name: string, file: string): Record<string, unknown> =>
    contractOf({ name, description: 'd', executor: { kind: 'command', file } });
  const root = libraryOf(t, {
    'tools.json': { skills: [entry('a.b', 'run.sh')] },
    'run.sh': 'echo 1',
    'later.sh': 'echo 1',
  });
  const source = createFileSource(join(root, 'tools.json'), { configure });
  const next = await watching(t, source);
  const [before] = (await source.load()).skills;
  saveAtomically(join(root, 'run.sh'), 'echo changed');
  await next();
  assert.notEqual((await source.load()).skills[0], before);
  for (const name of ['a.c', 'a.d']) {
    saveAtomically(join(root, 'tools.json'), JSON.stringify({ skills: [entry(name, 'later.sh')] }));
    await next();
    assert.deepEqual(await names(source), [name]);
  }
  writeFileSync(join(root, 'later.sh'), 'echo changed');
  await next();
});
