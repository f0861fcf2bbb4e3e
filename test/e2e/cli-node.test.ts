import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite, test, type TestContext } from 'node:test';
import { BIN, finish, temporaryFolder, type Finished } from '../support/run-cli.ts';

/** Makes a process believe that it is an old Node. */
const OLD =
  'data:text/javascript,Object.defineProperty(process,"versions",{value:{...process.versions,node:"16.20.2"}})';

/** A copy of bin/ with a stand-in for the command line: it prints what reached it. */
function install(t: TestContext): string {
  const { path, remove } = temporaryFolder();
  t.after(remove);
  mkdirSync(join(path, 'bin'));
  mkdirSync(join(path, 'dist/cli'), { recursive: true });
  cpSync(BIN, join(path, 'bin/skillwright.js'));
  writeFileSync(join(path, 'package.json'), '{"type":"module"}');
  writeFileSync(
    join(path, 'dist/cli/main.js'),
    'export function main(argv) { console.log(JSON.stringify({ args: argv.slice(2), rerun: process.env.SKILLWRIGHT_RERUN })); process.exitCode = 13; }',
  );
  return path;
}

function run(path: string, ...nodeArgs: string[]): Promise<Finished> {
  const child = spawn(
    process.execPath,
    [...nodeArgs, join(path, 'bin/skillwright.js'), 'call', 'a b'],
    { cwd: path },
  );
  child.stdin.end();
  return finish(child);
}

function linkNode(path: string): void {
  const bin = join(path, 'node_modules/.bin');
  mkdirSync(bin, { recursive: true });
  symlinkSync(process.execPath, join(bin, 'node'));
}

suite('bin/skillwright.js', () => {
  test('runs the built command line with its arguments and keeps its exit code', async (t) => {
    const { stdout, code } = await run(install(t));
    assert.deepEqual(JSON.parse(stdout), { args: ['call', 'a b'] });
    assert.equal(code, 13);
  });

  test('an old Node hands over to a newer one beside the package', async (t) => {
    const path = install(t);
    linkNode(path);
    const { stdout, stderr, code } = await run(path, '--import', OLD);
    assert.deepEqual(JSON.parse(stdout), { args: ['call', 'a b'] }, stderr);
    assert.equal(code, 13);
  });

  test('an old Node looks for a newer one up the tree', async (t) => {
    const path = install(t);
    linkNode(path);
    cpSync(join(path, 'bin'), join(path, 'node_modules/skillwright/bin'), { recursive: true });
    cpSync(join(path, 'dist'), join(path, 'node_modules/skillwright/dist'), { recursive: true });
    cpSync(join(path, 'package.json'), join(path, 'node_modules/skillwright/package.json'));
    assert.equal((await run(join(path, 'node_modules/skillwright'), '--import', OLD)).code, 13);
  });

  test('an old Node without a newer one says what to install', async (t) => {
    const { stdout, stderr, code } = await run(install(t), '--import', OLD);
    assert.equal(code, 1);
    assert.equal(stdout, '');
    assert.match(stderr, /needs Node 22\.18 or newer; this is 16\.20\.2.*npm install node@24/);
  });

  test('a clone without its dependencies says what to run', async (t) => {
    const path = install(t);
    writeFileSync(join(path, 'dist/cli/main.js'), "import 'commander';\n");
    const { stderr, code } = await run(path);
    assert.equal(code, 1);
    assert.match(stderr, /commander.*\nRun "npm install"/);
  });

  test('uses no syntax and no module names that an old Node cannot read', () => {
    assert.doesNotMatch(readFileSync(BIN, 'utf8'), /\?\?=|\|\|=|&&=|^await |'node:/m);
  });
});
