import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { contextOf, failure, folderOf, skillOf } from '../../test/support/executor-fixture.ts';
import { createModuleExecutor, loadCheck } from './module.ts';

const executor = createModuleExecutor();
const PLAIN = 'export const execute = (params: { n: number }) => params.n + 1;\n';

function prepare(t: TestContext, files: Record<string, string>, file?: string) {
  const folder = folderOf(t, files);
  return executor.prepare(
    skillOf(file === undefined ? { kind: 'module' } : { kind: 'module', file }, folder),
  );
}

test('runs a function defined in code, with its check', async () => {
  const execute = () => 'from code';
  const check = () => [];
  const prepared = await executor.prepare({ ...skillOf({ kind: 'module' }), execute, check });
  assert.equal(prepared.run({}, contextOf()), 'from code');
  assert.equal(prepared.check, check);
  assert.equal(prepared.stops, false);
});

test('runs execute of executor.ts before executor.mjs and executor.js', async (t) => {
  const js = "export const execute = () => 'js';";
  const mjs = "export const execute = () => 'mjs';";
  assert.equal(
    (await prepare(t, { 'executor.ts': PLAIN, 'executor.mjs': mjs, 'executor.js': js })).run(
      { n: 1 },
      contextOf(),
    ),
    2,
  );
  assert.equal(
    (await prepare(t, { 'executor.mjs': mjs, 'executor.js': js })).run({}, contextOf()),
    'mjs',
  );
  assert.equal((await prepare(t, { 'executor.js': js })).run({}, contextOf()), 'js');
});

test('runs the file the contract names', async (t) => {
  const files = { 'executor.ts': PLAIN, 'other.mjs': "export const execute = () => 'other';" };
  assert.equal((await prepare(t, files, 'other.mjs')).run({}, contextOf()), 'other');
});

test('runs a composite written as a module', async (t) => {
  const folder = folderOf(t, { 'executor.ts': PLAIN });
  const prepared = await executor.prepare(skillOf({ kind: 'composite' }, folder));
  assert.equal(prepared.run({ n: 41 }, contextOf()), 42);
});

test('takes the check of the module, else that of a check file', async (t) => {
  const own = `${PLAIN}export const check = () => 'own';`;
  const beside = "export const check = () => 'beside';";
  const first = await prepare(t, { 'executor.ts': own, 'check.mjs': beside });
  const second = await prepare(t, { 'executor.ts': PLAIN, 'check.mjs': beside });
  const third = await prepare(t, { 'executor.ts': PLAIN });
  const call = (check: unknown) => (check as () => unknown)();
  assert.equal(call(first.check), 'own');
  assert.equal(call(second.check), 'beside');
  assert.equal('check' in third, false);
});

test('loadCheck finds the check beside any kind of executor', async (t) => {
  const folder = folderOf(t, { 'check.ts': "export const check = (): string => 'checked';" });
  const check = await loadCheck(skillOf({ kind: 'command', command: ['true'] }, folder));
  assert.equal((check as unknown as () => unknown)(), 'checked');
  assert.equal(await loadCheck(skillOf({ kind: 'module' })), undefined);
});

test('reads an edited file again and an unchanged one not', async (t) => {
  const folder = folderOf(t, {
    'executor.mjs': 'const born = {}; export const execute = () => born;',
  });
  const run = async () =>
    (await executor.prepare(skillOf({ kind: 'module' }, folder))).run({}, contextOf());
  const before = await run();
  assert.equal(await run(), before);
  writeFileSync(join(folder, 'executor.mjs'), "export const execute = () => 'edited';");
  assert.equal(await run(), 'edited');
});

test('reads what the body imports from its folder again, and what lies elsewhere once', async (t) => {
  const library = folderOf(t);
  const folder = join(library, 'a/b');
  const write = (path: string, text: string): void => {
    mkdirSync(dirname(join(library, path)), { recursive: true });
    writeFileSync(join(library, path), text);
  };
  write('shared/count.mjs', 'export const loaded = { count: 0 }; loaded.count++;');
  write('a/b/lib/one.mjs', "import { two } from '../two.mjs'; export const one = `1 ${two}`;");
  write('a/b/two.mjs', "export const two = 'old';");
  write(
    'a/b/executor.mjs',
    `import { loaded } from '../../shared/count.mjs';
     export const execute = async () => {
       const { one } = await import('./lib/one.mjs');
       return \`\${one} \${loaded.count++}\`;
     };`,
  );
  const run = async (): Promise<unknown> =>
    (await executor.prepare(skillOf({ kind: 'module' }, folder))).run({}, contextOf());
  assert.equal(await run(), '1 old 1');
  write('a/b/two.mjs', "export const two = 'newer';");
  assert.equal(await run(), '1 newer 2');
  write('a/b/lib/one.mjs', "export const one = 'other';");
  assert.equal(await run(), 'other 3');
});

test('names the file and the export that is missing', async (t) => {
  const wrong = {
    'executor.mjs': 'export default function execute() {}',
  };
  const none = await failure(prepare(t, wrong));
  assert.equal(none.code, 'INTERNAL_ERROR');
  assert.match(none.message, /executor\.mjs of probe\.run .*export async function execute\(/);
  const notCallable = await failure(
    prepare(t, { 'executor.mjs': 'export const execute = () => 1; export const check = 1;' }),
  );
  assert.match(notCallable.message, /no function named check/);
  const emptyCheck = await failure(prepare(t, { 'executor.ts': PLAIN, 'check.mjs': '' }));
  assert.match(emptyCheck.message, /check\.mjs .*export async function check\(/);
});

test('says what to add when there is no file', async (t) => {
  assert.match((await failure(prepare(t, {}))).message, /no executor\.ts, \.mjs or \.js/);
  assert.match((await failure(prepare(t, {}, 'gone.ts'))).message, /no gone\.ts in its folder/);
});

test('tells why a module does not load, without where the library is', async (t) => {
  const broken = await failure(prepare(t, { 'executor.mjs': "import './gone.mjs';" }));
  assert.equal(broken.code, 'INTERNAL_ERROR');
  assert.match(broken.message, /executor\.mjs of probe\.run cannot be loaded: .*gone\.mjs/);
  assert.doesNotMatch(broken.message, /skillwright-/);
  const throwing = await failure(prepare(t, { 'executor.ts': "throw new Error('no database');" }));
  assert.match(throwing.message, /no database/);
  const missing = await failure(prepare(t, { 'executor.ts': "import 'not-installed-anywhere';" }));
  assert.match(missing.message, /not-installed-anywhere/);
  assert.doesNotMatch(missing.message, /jiti/);
});

const BEYOND = {
  enum: "enum Color { Red = 'red' }\nexport const execute = (): string => Color.Red;",
  'parameter property':
    "class Point { constructor(readonly x: string) {} }\nexport const execute = (): string => new Point('red').x;",
  decorator:
    "function mark(target: unknown): void {}\n@mark class Marked {}\nexport const execute = (): string => (new Marked() ? 'red' : '');",
  'import without extension':
    "import { red } from './colors';\nexport const execute = (): string => red;",
  'type imported as a value':
    "import { red, Color } from './colors.ts';\nexport const execute = (): Color => red;",
};
const COLORS = "export type Color = string;\nexport const red: Color = 'red';";

for (const [what, text] of Object.entries(BEYOND)) {
  test(`loads TypeScript that Node cannot strip: ${what}`, async (t) => {
    const { run } = await prepare(t, { 'executor.ts': text, 'colors.ts': COLORS });
    assert.equal(run({}, contextOf()), 'red');
  });
}

test('loads TypeScript under node_modules', async (t) => {
  const folder = join(folderOf(t), 'node_modules', 'skill-red');
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'executor.ts'), PLAIN);
  const { run } = await executor.prepare(skillOf({ kind: 'module' }, folder));
  assert.equal(run({ n: 1 }, contextOf()), 2);
});

test('reads edited TypeScript that Node cannot strip again, and an unchanged one not', async (t) => {
  const text =
    "enum A { B = 'first' }\nconst born = {};\nexport const execute = () => [A.B, born];";
  const folder = folderOf(t, { 'executor.ts': text });
  const run = async (): Promise<[string, object]> =>
    (await executor.prepare(skillOf({ kind: 'module' }, folder))).run({}, contextOf()) as [
      string,
      object,
    ];
  const [, born] = await run();
  assert.equal((await run())[1], born);
  writeFileSync(join(folder, 'executor.ts'), text.replace('first', 'second'));
  assert.equal((await run())[0], 'second');
});

test('without jiti says to install it', (t) => {
  const folder = folderOf(t, {
    'executor.ts': BEYOND.enum,
    'hide-jiti.mjs': `import { registerHooks } from 'node:module';
registerHooks({
  resolve(specifier, context, next) {
    if (specifier === 'jiti') throw new Error('not found');
    return next(specifier, context);
  },
});`,
  });
  const script = `
    import { createModuleExecutor } from ${JSON.stringify(new URL('module.ts', import.meta.url).href)};
    const contract = { name: 'probe.run', executor: { kind: 'module' } };
    createModuleExecutor()
      .prepare({ contract, folder: ${JSON.stringify(folder)} })
      .catch((error) => console.log(JSON.stringify(error)));`;
  const { stdout } = spawnSync(
    process.execPath,
    ['--import', join(folder, 'hide-jiti.mjs'), '--input-type=module', '--eval', script],
    { encoding: 'utf8' },
  );
  const error = JSON.parse(stdout) as { code: string; message: string; details: unknown };
  assert.equal(error.code, 'INTERNAL_ERROR');
  assert.match(error.message, /executor\.ts of probe\.run .*npm install jiti/);
  assert.deepEqual(error.details, { reason: 'jiti_missing' });
});
