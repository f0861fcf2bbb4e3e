import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { finish, startCli, temporaryFolder } from '../support/run-cli.ts';

const work = temporaryFolder();
after(work.remove);

const BODY = `export const execute = async () => {
  Promise.reject(new Error('stray hunter22'));
  setTimeout(() => { throw new Error('late hunter22'); }, 1);
  await new Promise((resolve) => setTimeout(resolve, 30));
  return { ok: 1 };
};`;

test('an error that a skill leaves behind does not end the server, nor show itself', async () => {
  const skill = {
    name: 'bad.stray',
    version: '1.0.0',
    description: 'd',
    purpose: 'p',
    side_effect: { kind: 'none' },
    rules: { none: 'a test' },
    parameters: { type: 'object', properties: {} },
    executor: { kind: 'module', file: 'body.mjs' },
  };
  const library = join(work.path, 'registry.json');
  writeFileSync(library, JSON.stringify({ skills: [skill] }));
  writeFileSync(join(work.path, 'body.mjs'), BODY);
  const client = { name: 'test', version: '1.0.0' };
  const messages = [
    {
      id: 1,
      method: 'initialize',
      params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: client },
    },
    { method: 'notifications/initialized' },
    { id: 2, method: 'tools/call', params: { name: 'bad.stray', arguments: {} } },
  ];
  const input = messages.map((message) => `${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  const env = { SKILLWRIGHT_DATA_DIR: join(work.path, 'data') };
  const args = ['serve', '--stdio', '--library', library];
  const { stdout, stderr, code } = await finish(startCli(args, { input: input.join(''), env }));
  assert.equal(code, 0);
  assert.match(stdout, /"id":2,"result":\{"content":\[\{"type":"text","text":"\{\\"ok\\":1\}"/);
  assert.match(stderr, /serving goes on/);
  assert.doesNotMatch(stdout + stderr, /hunter22/);
});
