import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, suite, test } from 'node:test';
import type { Envelope } from '../../src/index.ts';
import { finish, startCli, temporaryFolder, type Finished } from '../support/run-cli.ts';

const work = temporaryFolder();
const library = join(work.path, 'registry.json');
const SECRET = 'tr0ub4dor-and-3';

const BODIES = {
  stray: `export const execute = async () => {
  Promise.reject(new Error('stray hunter22'));
  setTimeout(() => { throw new Error('late hunter22'); }, 1);
  await new Promise((resolve) => setTimeout(resolve, 30));
  return { ok: 1 };
};`,
  rude: `console.log('to stdout on load');
export const execute = async (_params, { secrets }) => {
  console.log('to stdout', secrets.token);
  process.stdout.write('raw to stdout\\n');
  console.error('to stderr', secrets.token);
  process.exit(0);
};`,
};

before(() => {
  const skills = Object.entries(BODIES).map(([name, body]) => {
    writeFileSync(join(work.path, `${name}.mjs`), body);
    return {
      name: `bad.${name}`,
      version: '1.0.0',
      description: 'd',
      purpose: 'p',
      side_effect: { kind: 'none' },
      rules: { none: 'a test' },
      parameters: { type: 'object', properties: {}, additionalProperties: false },
      secrets: [{ name: 'token', env: 'RUDE_TOKEN', description: 'd' }],
      examples: [{ description: 'one', input: {} }],
      executor: { kind: 'module', file: `${name}.mjs` },
    };
  });
  writeFileSync(library, JSON.stringify({ skills }));
});
after(work.remove);

function run(args: readonly string[], input = ''): Promise<Finished> {
  const env = { SKILLWRIGHT_DATA_DIR: join(work.path, 'data'), RUDE_TOKEN: SECRET };
  return finish(startCli([...args, '--library', library], { input, env }));
}

function mcpCall(name: string): string {
  const client = { name: 'test', version: '1.0.0' };
  const messages = [
    {
      id: 1,
      method: 'initialize',
      params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: client },
    },
    { method: 'notifications/initialized' },
    { id: 2, method: 'tools/call', params: { name, arguments: {} } },
  ];
  return messages.map((message) => `${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`).join('');
}

suite('an error that a skill leaves behind', () => {
  test('does not end the server, nor show itself', async () => {
    const { stdout, stderr, code } = await run(['serve', '--stdio'], mcpCall('bad.stray'));
    assert.equal(code, 0);
    assert.match(stdout, /"id":2,"result":\{"content":\[\{"type":"text","text":"\{\\"ok\\":1\}"/);
    assert.match(stderr, /left an error behind/);
    assert.doesNotMatch(stdout + stderr, /hunter22/);
  });

  test('leaves a call its envelope, and a test its report', async () => {
    const called = await run(['call', 'bad.stray']);
    assert.equal(called.code, 0);
    assert.deepEqual((JSON.parse(called.stdout) as Envelope).result, { ok: 1 });
    assert.match(called.stderr, /left an error behind/);
    const tested = await run(['test', 'bad.stray', '--json']);
    assert.equal(tested.code, 0, tested.stdout + tested.stderr);
    for (const { stdout, stderr } of [called, tested])
      assert.doesNotMatch(stdout + stderr, /hunter22/);
  });
});

suite('a skill that prints and ends the process', () => {
  test('fails alone, its prints go to stderr without secrets', async () => {
    const { stdout, stderr, code } = await run(['call', 'bad.rude']);
    const envelope = JSON.parse(stdout) as Envelope;
    assert.ok(!envelope.success);
    assert.equal(envelope.error.code, 'EXECUTION_ERROR');
    assert.equal(envelope.metadata.attempts, 1);
    assert.match(envelope.error.message, /process\.exit/);
    assert.equal(code, 14);
    for (const printed of [/to stdout on load/, /to stdout \[/, /raw to stdout/, /to stderr \[/])
      assert.match(stderr, printed);
    assert.ok(!(stdout + stderr).includes(SECRET), stderr);
  });

  test('does not end the server', async () => {
    const { stdout, stderr, code } = await run(['serve', '--stdio'], mcpCall('bad.rude'));
    assert.equal(code, 0);
    assert.match(stdout, /"id":2,"result":\{.*"isError":true/);
    for (const line of stdout.trim().split('\n')) assert.match(line, /^\{"jsonrpc"/);
    assert.ok(!(stdout + stderr).includes(SECRET));
  });

  test('fails its own test alone', async () => {
    const { stdout, code } = await run(['test', '--json']);
    assert.equal(code, 1);
    const report = JSON.parse(stdout) as { skills: { skill: string; failures: string[] }[] };
    assert.deepEqual(
      report.skills.map(({ skill, failures }) => `${skill} ${failures.length}`),
      ['bad.rude 1', 'bad.stray 0'],
    );
  });
});
