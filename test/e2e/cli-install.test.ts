import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite, test, type TestContext } from 'node:test';
import { finish, temporaryFolder, type Finished } from '../support/run-cli.ts';

const RUN = join(import.meta.dirname, '../../scripts/run.mjs');

/** A project whose one dependency lies in it, so that npm needs no network. */
function project(t: TestContext): string {
  const { path, remove } = temporaryFolder();
  t.after(remove);
  const write = (file: string, value: unknown): void => {
    mkdirSync(join(path, file, '..'), { recursive: true });
    writeFileSync(join(path, file), typeof value === 'string' ? value : JSON.stringify(value));
  };
  const dependencies = { tiny: 'file:./tiny' };
  write('package.json', { name: 'project', version: '1.0.0', dependencies });
  write('tiny/package.json', {
    name: 'tiny',
    version: '1.0.0',
    type: 'module',
    exports: './index.js',
  });
  write('tiny/index.js', 'export const size = 1;');
  write('package-lock.json', {
    name: 'project',
    version: '1.0.0',
    lockfileVersion: 3,
    packages: {
      '': { name: 'project', version: '1.0.0', dependencies },
      'node_modules/tiny': { resolved: 'tiny', link: true },
      tiny: { version: '1.0.0' },
    },
  });
  write(
    'scripts/hello.mjs',
    "import { size } from 'tiny';\nconsole.log(JSON.stringify({ size, args: process.argv.slice(2), path: process.env.PATH }));\nprocess.exitCode = 7;\n",
  );
  cpSync(RUN, join(path, 'scripts/run.mjs'));
  return path;
}

function run(
  path: string,
  script = 'scripts/hello.mjs',
  env: NodeJS.ProcessEnv = {},
): Promise<Finished> {
  const child = spawn(process.execPath, ['scripts/run.mjs', script, 'a b'], {
    cwd: path,
    env: { ...process.env, ...env },
  });
  child.stdin.end();
  return finish(child);
}

suite('scripts/run.mjs', () => {
  test('installs what is missing, runs the script and keeps its exit code; the second run installs nothing', async (t) => {
    const path = project(t);
    const first = await run(path);
    assert.equal(first.code, 7, first.stderr);
    assert.match(first.stderr, /Installing dependencies \(once/);
    const {
      size,
      args,
      path: search,
    } = JSON.parse(first.stdout.split('\n').findLast((line) => line.startsWith('{')) ?? '');
    assert.deepEqual([size, args], [1, ['a b']]);
    assert.ok(search.startsWith(join(realpathSync(path), 'node_modules/.bin')), search);
    const second = await run(path);
    assert.equal(second.code, 7);
    assert.doesNotMatch(second.stderr, /Installing/);
  });

  test('installs again when the lock file has changed', async (t) => {
    const path = project(t);
    await run(path);
    for (const file of ['tiny/package.json', 'package-lock.json']) {
      const text = readFileSync(join(path, file), 'utf8');
      writeFileSync(
        join(path, file),
        text.replace(/("name":"tiny","version"|"tiny":\{"version"):"1\.0\.0"/, '$1:"1.1.0"'),
      );
    }
    assert.match((await run(path)).stderr, /Installing/);
    assert.doesNotMatch((await run(path)).stderr, /Installing/);
  });

  test('two runs at once install one after the other', async (t) => {
    const path = project(t);
    const runs = await Promise.all([run(path), run(path)]);
    assert.deepEqual(
      runs.map(({ code }) => code),
      [7, 7],
    );
    assert.equal(runs.filter(({ stderr }) => stderr.includes('Installing dependencies')).length, 1);
  });

  test('takes over from a run that was killed', async (t) => {
    const path = project(t);
    const dead = spawn(process.execPath, ['-e', '']);
    await finish(dead);
    mkdirSync(join(path, '.skillwright'));
    writeFileSync(join(path, '.skillwright/install.lock'), String(dead.pid));
    assert.equal((await run(path)).code, 7);
  });

  test('says what to do when npm fails', async (t) => {
    const path = project(t);
    for (const file of ['package.json', 'package-lock.json']) {
      const text = readFileSync(join(path, file), 'utf8');
      writeFileSync(join(path, file), text.replaceAll('file:./tiny', 'file:./gone.tgz'));
    }
    const { stderr, code } = await run(path);
    assert.equal(code, 1);
    assert.match(stderr, /"npm install" failed \(exit \d+\).*run it again/);
  });

  test('says what to do when the lock file cannot be kept to', async (t) => {
    const path = project(t);
    const file = join(path, 'package-lock.json');
    writeFileSync(
      file,
      readFileSync(file, 'utf8').replace(
        '"tiny":{"version":"1.0.0"}',
        '"tiny":{"version":"9.9.9"}',
      ),
    );
    const before = readFileSync(file, 'utf8');
    const { stderr, code } = await run(path);
    assert.equal(code, 1);
    assert.match(stderr, /is not what package-lock\.json names/);
    assert.equal(readFileSync(file, 'utf8'), before);
  });

  test('passes a signal on and ends as the script ends', async (t) => {
    const path = project(t);
    await run(path);
    writeFileSync(
      join(path, 'scripts/wait.mjs'),
      "process.on('SIGTERM', () => process.exit(42));\nconsole.log('ready');\nsetInterval(() => {}, 1000);\n",
    );
    const child = spawn(process.execPath, ['scripts/run.mjs', 'scripts/wait.mjs'], { cwd: path });
    child.stdout.once('data', () => child.kill('SIGTERM'));
    assert.equal((await finish(child)).code, 42);
  });
});
