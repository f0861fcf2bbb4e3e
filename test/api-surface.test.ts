import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, suite, test } from 'node:test';
import * as entry from '../src/index.ts';
import { finish, temporaryFolder, type Finished } from './support/run-cli.ts';

const root = join(import.meta.dirname, '..');

/** What programs build on. A name that goes away breaks them: that is a major version. */
const VALUES = [
  'CallCollector',
  'DIALECT_IDS',
  'ERROR_CODES',
  'ToolError',
  'aiSdkModel',
  'aiSdkTools',
  'anthropicModel',
  'anthropicTools',
  'compile',
  'createMemoryStore',
  'createRuntime',
  'decodeCall',
  'defineSkill',
  'langchainTools',
  'normalise',
  'openSqliteStore',
  'openaiAgentsTools',
  'openaiChatModel',
  'openaiResponsesModel',
  'repairHistory',
  'runAgent',
];

const TYPES = [
  'AgentEvent',
  'AgentOptions',
  'AgentResult',
  'AgentSession',
  'AgentState',
  'Approval',
  'BreakerPolicy',
  'CallControl',
  'CallDelta',
  'CallMetadata',
  'CallOptions',
  'CallRequest',
  'Caller',
  'Check',
  'CompileOptions',
  'CompileWarning',
  'Compiled',
  'Condition',
  'Contract',
  'Decision',
  'DeclaredError',
  'DecodeFailure',
  'DecodePlan',
  'Decoded',
  'Dependency',
  'DiscoverEnvelope',
  'DiscoverRequest',
  'Dispatch',
  'DispatchOptions',
  'DispatchedCall',
  'Envelope',
  'ErrorCode',
  'Example',
  'Execute',
  'ExecutionContext',
  'ExecutorSpec',
  'Fallback',
  'Finish',
  'Flow',
  'Json',
  'JsonObject',
  'Model',
  'ModelReply',
  'ModelRequest',
  'NameTable',
  'Operand',
  'PendingCall',
  'Policy',
  'PreviewedCall',
  'Problem',
  'Progress',
  'RateLimit',
  'ReadCall',
  'Refusal',
  'Rule',
  'Runtime',
  'RuntimeOptions',
  'SecretDeclaration',
  'SerialisedError',
  'Session',
  'SessionOptions',
  'SideEffect',
  'Skill',
  'Snapshot',
  'SqliteStoreOptions',
  'Step',
  'StepFallback',
  'Store',
  'ToolCall',
  'ToolDescription',
  'ToolErrorOptions',
  'ToolsOptions',
  'TraceNode',
  'TurnOptions',
  'Validation',
  'Violation',
];

test('the entry exports these names and no others', () => {
  assert.deepEqual(Object.keys(entry).sort(), VALUES);
  const source = readFileSync(join(root, 'src/index.ts'), 'utf8');
  const names = [...source.matchAll(/^export (type )?\{([^}]*)\}/gm)].flatMap(
    ([, allTypes, list = '']) =>
      list
        .split(',')
        .map((item) => item.trim())
        .filter((item) => (allTypes === undefined ? item.startsWith('type ') : item !== ''))
        .map((item) => item.replace(/^type /, '')),
  );
  assert.deepEqual(names.sort(), TYPES);
});

suite('the built package', () => {
  const { path, remove } = temporaryFolder();
  const installed = join(path, 'node_modules/skillwright');

  before(() => {
    mkdirSync(installed, { recursive: true });
    const tsc = join(root, 'node_modules/.bin/tsc');
    const built = spawnSync(tsc, [
      '-p',
      join(root, 'tsconfig.build.json'),
      '--outDir',
      join(installed, 'dist'),
    ]);
    assert.equal(built.status, 0, String(built.stdout));
    for (const file of ['bin', 'package.json'])
      cpSync(join(root, file), join(installed, file), { recursive: true });
    symlinkSync(join(root, 'node_modules'), join(installed, 'node_modules'));
  });
  after(remove);

  function node(...args: readonly string[]): Promise<Finished> {
    const child = spawn(process.execPath, args, { cwd: path });
    child.stdin.end();
    return finish(child);
  }

  test('is found by its name, with every value', async () => {
    writeFileSync(
      join(path, 'use.mjs'),
      "import * as entry from 'skillwright';\nconsole.log(JSON.stringify(Object.keys(entry).sort()));\n",
    );
    const { stdout, stderr } = await node('use.mjs');
    assert.deepEqual(JSON.parse(stdout), VALUES, stderr);
  });

  test('type-checks in a strict program', () => {
    writeFileSync(
      join(path, 'use.ts'),
      "import { createRuntime, type Envelope, type Runtime } from 'skillwright';\nconst runtime: Runtime = await createRuntime({ library: './skills' });\nconst envelope: Envelope = await runtime.runSkill('a.b', { c: 1 });\n// @ts-expect-error a name is a text\nawait runtime.runSkill(5);\nexport { envelope };\n",
    );
    const options = {
      module: 'nodenext',
      target: 'es2024',
      lib: ['es2025', 'esnext.disposable'],
      strict: true,
      noEmit: true,
      types: ['node'],
      typeRoots: [join(root, 'node_modules/@types')],
    };
    writeFileSync(
      join(path, 'tsconfig.json'),
      JSON.stringify({ compilerOptions: options, files: ['use.ts'] }),
    );
    writeFileSync(join(path, 'package.json'), '{"type":"module"}');
    const checked = spawnSync(join(root, 'node_modules/.bin/tsc'), ['-p', path]);
    assert.equal(checked.status, 0, String(checked.stdout));
  });

  test('runs its command line from what was built', async () => {
    const { stdout, stderr, code } = await node(
      join(installed, 'bin/skillwright.js'),
      'list',
      '--library',
      join(root, 'test/fixtures/tool-caller'),
    );
    assert.equal(code, 0, stderr);
    assert.match(stdout, /demo\.echo/);
  });

  test('exports nothing that does not exist', () => {
    const { exports, bin } = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8'));
    const targets =
      JSON.stringify([exports, bin]).match(/(?<=")(?:\.\/|bin\/)[^"]+(?="[,}])/g) ?? [];
    assert.ok(targets.length >= 4);
    for (const target of targets)
      assert.ok(readFileSync(join(installed, target), 'utf8').length > 0);
  });
});
