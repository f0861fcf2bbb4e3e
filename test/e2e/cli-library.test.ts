import assert from 'node:assert/strict';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, suite, test } from 'node:test';
import {
  finish,
  FIXTURE,
  runCli,
  startCli,
  temporaryFolder,
  type Finished,
} from '../support/run-cli.ts';

const work = temporaryFolder();
after(work.remove);

const env = { SKILLWRIGHT_DATA_DIR: join(work.path, 'data') };

function run(...args: readonly string[]): Promise<Finished> {
  return runCli(args, { cwd: work.path, env });
}

interface Listed {
  readonly name: string;
  readonly side_effect: { readonly targets?: readonly string[] };
}

const COMMANDS = [
  'call',
  'discover',
  'list',
  'describe',
  'serve',
  'new',
  'chat',
  'compile',
  'graph',
  'test',
];

suite('skillwright help', () => {
  test('names every command, and a version', async () => {
    const { stdout, code } = await run('--help');
    assert.equal(code, 0);
    for (const command of COMMANDS) assert.match(stdout, new RegExp(`^  ${command}\\b`, 'm'));
    assert.match((await run('--version')).stdout, /^\d+\.\d+\.\d+\n$/);
  });

  for (const command of [...COMMANDS, 'new skill']) {
    test(`shows examples of ${command}`, async () => {
      const { stdout, code } = await run(...command.split(' '), '--help');
      assert.equal(code, 0);
      assert.match(
        stdout,
        new RegExp(`Examples:\\n.*\\$ skillwright ${command.split(' ')[0]}`, 's'),
      );
      assert.match(stdout, /--library <path>/);
    });
  }

  test('a command that does not exist is a usage error with a suggestion', async () => {
    const { stdout, stderr, code } = await run('lst');
    assert.equal(code, 2);
    assert.equal(stdout, '');
    assert.match(stderr, /lst.*Did you mean list\?/s);
  });

  test('no command at all shows the help and is a usage error', async () => {
    const { stderr, code } = await run();
    assert.equal(code, 2);
    assert.match(stderr, /Usage: skillwright/);
  });
});

suite('skillwright list, describe, discover and graph', () => {
  test('list shows name, version, effect and description of each skill', async () => {
    const { stdout, code } = await run('list', '--library', FIXTURE);
    assert.equal(code, 0);
    assert.match(stdout, /^demo\.echo +1\.2\.0 +none +Returns the text/m);
    assert.match(stdout, /^demo\.save +1\.2\.0 +write /m);
  });

  test('a pipe gets no colours, in CI neither', async () => {
    const options = { env: { CI: 'true', FORCE_COLOR: '' } };
    const { stdout, stderr } = await finish(startCli(['list', '--library', FIXTURE], options));
    assert.ok(!(stdout + stderr).includes('\u001B'));
  });

  test('a command that is not there is a mistake, also when its help is asked for', async () => {
    for (const words of [['bogus'], ['bogus', '--help'], ['lisst', '-h']]) {
      const { stdout, stderr, code } = await run(...words);
      assert.deepEqual([stdout, code], ['', 2]);
      assert.match(stderr, /unknown command/);
    }
  });

  test('a data folder that cannot be made is a mistake that is told at once', async () => {
    const { stdout, code } = await runCli(['call', 'demo.echo', '{}', '--library', FIXTURE], {
      env: { SKILLWRIGHT_DATA_DIR: '/proc/nope' },
    });
    assert.equal(code, 20);
    assert.match(
      stdout,
      /data folder \/proc\/nope cannot be created.*dataDir or SKILLWRIGHT_DATA_DIR/,
    );
  });

  test('list says on stderr what is wrong with a skill that is left out', async () => {
    const library = join(work.path, 'broken');
    await run('new', 'skill', 'good.one', '--library', library);
    await run('new', 'skill', 'bad.one', '--library', library);
    writeFileSync(
      join(library, 'bad/one/schema.json'),
      '{\n  "version": "1.0.0" "purpose": "none"\n}\n',
    );
    const { stdout, stderr, code } = await run('list', '--library', library);
    assert.equal(code, 1, 'so that a build notices');
    assert.match(stdout, /good\.one/);
    assert.doesNotMatch(stdout, /bad\.one/);
    assert.match(stderr, /error bad\.one .*schema\.json:2 /);
    const { skills, problems } = JSON.parse(
      (await run('list', '--library', library, '--json')).stdout,
    );
    assert.deepEqual([skills.length, problems.length], [1, 1]);
    const called = await run('call', 'bad.one', '--library', library);
    assert.equal(called.code, 12);
    assert.match(called.stdout, /bad\.one is not in service: its files have errors/);
    assert.equal(
      (await run('test', '--library', library)).code,
      1,
      'a library with an error does not pass',
    );
  });

  test('looking at a library leaves nothing on disk', async () => {
    const dataDir = join(work.path, 'untouched');
    for (const args of [['list'], ['discover'], ['graph'], ['describe', 'demo.echo']]) {
      const looked = await runCli([...args, '--library', FIXTURE], {
        env: { SKILLWRIGHT_DATA_DIR: dataDir },
      });
      assert.equal(looked.code, 0);
    }
    assert.equal(existsSync(dataDir), false);
  });

  test('a registry file is a library as well', async () => {
    const file = join(work.path, 'registry.json');
    writeFileSync(
      join(work.path, 'shout.mjs'),
      'export const execute = ({ text }) => ({ text: text.toUpperCase() });\n',
    );
    const skill = {
      name: 'text.shout',
      version: '1.0.0',
      description: 'Returns a text in capital letters.',
      purpose: 'testing',
      side_effect: { kind: 'none' },
      parameters: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
      rules: { none: 'one parameter' },
      executor: { kind: 'module', file: 'shout.mjs' },
    };
    writeFileSync(file, JSON.stringify({ skills: [skill] }));
    const { stdout, stderr } = await run('call', 'text.shout', '{"text":"hi"}', '--library', file);
    assert.deepEqual(JSON.parse(stdout).result, { text: 'HI' }, stderr);
    const refused = await run('new', 'skill', 'text.whisper', '--library', file);
    assert.equal(refused.code, 2);
    assert.match(refused.stderr, /is a file; a new skill needs a folder/);
  });

  test('describe shows the contract and how to call it', async () => {
    const { stdout, code } = await run('describe', 'demo.echo', '--library', FIXTURE);
    assert.equal(code, 0);
    assert.match(stdout, /skillwright call demo\.echo '\{"text":"hello"\}'/);
    assert.match(stdout, /text +required +string, minLength 1, maxLength 100/);
    const contract = JSON.parse(
      (await run('describe', 'demo.echo', '--library', FIXTURE, '--json')).stdout,
    );
    assert.equal(contract.name, 'demo.echo');
  });

  test('describe of a name that is not there suggests the nearest', async () => {
    const { stderr, code } = await run('describe', 'demo.ecko', '--library', FIXTURE);
    assert.equal(code, 2);
    assert.match(stderr, /Did you mean demo\.echo/);
  });

  test('discover prints the envelope alone', async () => {
    const { stdout } = await run('discover', 'echo', '--library', FIXTURE);
    assert.equal(JSON.parse(stdout).result.tools[0].name, 'demo.echo');
  });

  test('graph shows what a skill needs and what needs it', async () => {
    const needs = await run('graph', 'demo.twice', '--library', FIXTURE);
    assert.equal(needs.code, 0);
    assert.match(needs.stdout, /demo\.twice.*\n└─ demo\.echo/);
    const impact = await run('graph', 'demo.echo', '--library', FIXTURE);
    assert.match(impact.stdout, /demo\.twice/);
    const { dependents } = JSON.parse(
      (await run('graph', 'demo.echo', '--library', FIXTURE, '--json')).stdout,
    );
    assert.deepEqual(dependents, { direct: ['demo.twice'], all: ['demo.twice'] });
  });
});

suite('skillwright new and test', () => {
  for (const kind of ['module', 'command', 'http', 'composite']) {
    test(`new ${kind} skills pass their tests at once, whatever their effect`, async () => {
      const library = join(work.path, kind);
      for (const effect of ['none', 'read', 'write']) {
        const made = await run(
          'new',
          'skill',
          `greeting.${effect}`,
          '--kind',
          kind,
          '--effect',
          effect,
          '--library',
          library,
        );
        assert.equal(made.code, 0, made.stderr);
      }
      const listed = JSON.parse((await run('list', '--library', library, '--json')).stdout);
      assert.deepEqual(listed.problems, []);
      const tested = await run('test', '--library', library, '--json');
      const { success, skills } = JSON.parse(tested.stdout);
      assert.equal(success, true, tested.stdout);
      assert.equal(tested.code, 0);
      assert.equal(skills.length, kind === 'composite' ? 6 : 3);
      for (const { tests, extremes, examples } of skills) {
        assert.equal(tests.total, 1);
        assert.ok(extremes.total >= 5);
        assert.equal(examples.total, kind === 'http' ? 0 : 1);
      }
    });
  }

  test('new never overwrites', async () => {
    const library = join(work.path, 'kept');
    await run('new', 'skill', 'note.add', '--library', library);
    const file = join(library, 'note/add/SKILL.md');
    writeFileSync(file, 'mine');
    const again = await run('new', 'skill', 'note.add', '--library', library);
    assert.equal(again.code, 2);
    assert.match(again.stderr, /exists already/);
    assert.equal(readFileSync(file, 'utf8'), 'mine');
  });

  for (const [name, suggestion] of [
    ['sayHello', ''],
    ['Task.createTask', 'task.create-task'],
    ['../evil.x', ''],
    ['a.b.c', ''],
  ] as const) {
    test(`new refuses the name ${name}`, async () => {
      const { stderr, code } = await run(
        'new',
        'skill',
        name,
        '--library',
        join(work.path, 'names'),
      );
      assert.equal(code, 2);
      assert.match(stderr, /domain\.action/);
      assert.ok(stderr.includes(suggestion));
      assert.equal(existsSync(join(work.path, 'names')), false);
    });
  }

  test('the skills of the sample library pass their tests', async () => {
    const library = join(import.meta.dirname, '../../skills');
    const listed = JSON.parse((await run('list', '--library', library, '--json')).stdout);
    assert.deepEqual(listed.problems, []);
    // What calls a service is tested where that service runs.
    const local = listed.skills.filter(
      (skill: Listed) => !skill.side_effect.targets?.includes('http'),
    );
    const names = local.map((skill: Listed) => skill.name);
    assert.ok(names.length >= 25, `${names.length} skills`);
    const { stdout, code } = await run('test', ...names, '--library', library);
    assert.equal(code, 0, stdout);
  });

  test('test fails on a wrong example, a failing test file and a skill that does not exist', async () => {
    const library = join(work.path, 'wrong');
    await run('new', 'skill', 'note.add', '--library', library);
    const schema = join(library, 'note/add/schema.json');
    writeFileSync(schema, readFileSync(schema, 'utf8').replace('"HELLO"', '"GOODBYE"'));
    writeFileSync(
      join(library, 'note/add/skill.test.ts'),
      "throw new Error('broken on purpose');\n",
    );
    const { stdout, code } = await run('test', 'note.add', '--library', library);
    assert.equal(code, 1);
    assert.match(stdout, /expected \{"text":"GOODBYE"\}, got \{"text":"HELLO"\}/);
    assert.match(stdout, /broken on purpose/);
    rmSync(join(library, 'note/add/skill.test.ts'));
    assert.equal((await run('test', 'note.ad', '--library', library)).code, 2);
  });
});
