import assert from 'node:assert/strict';
import { once } from 'node:events';
import { after, suite, test } from 'node:test';
import {
  FIXTURE,
  finish,
  printed,
  runCli,
  startCli,
  takenPort,
  temporaryFolder,
} from '../support/run-cli.ts';

const data = temporaryFolder();
after(data.remove);

const options = { env: { SKILLWRIGHT_LIBRARY: FIXTURE, SKILLWRIGHT_DATA_DIR: data.path } };

const INITIALIZE = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: {
    protocolVersion: '2025-06-18',
    capabilities: {},
    clientInfo: { name: 'test', version: '1' },
  },
};

interface Answer {
  readonly id: number;
  readonly result: { readonly structuredContent?: unknown };
}

suite('skillwright serve', () => {
  test('--stdio speaks only the protocol on stdout and ends with stdin', async () => {
    const child = startCli(['serve', '--stdio'], options);
    const messages = [
      INITIALIZE,
      { jsonrpc: '2.0', method: 'notifications/initialized' },
      {
        jsonrpc: '2.0',
        id: 2,
        method: 'tools/call',
        params: { name: 'demo.echo', arguments: { text: 'hi' } },
      },
    ];
    child.stdin.end(messages.map((message) => `${JSON.stringify(message)}\n`).join(''));
    const { stdout, code } = await finish(child);
    assert.equal(code, 0);
    const lines = stdout.trimEnd().split('\n');
    assert.equal(lines.length, 2);
    const answers = new Map(
      lines.map((line) => JSON.parse(line) as Answer).map((answer) => [answer.id, answer]),
    );
    assert.ok(answers.has(1));
    assert.deepEqual(answers.get(2)?.result.structuredContent, { text: 'hi' });
  });

  test('--stdio ends cleanly when it is told to stop', async (t) => {
    const child = startCli(['serve', '--stdio'], options);
    t.after(() => child.kill('SIGKILL'));
    const closed = once(child, 'close');
    child.stdin.write(`${JSON.stringify(INITIALIZE)}\n`);
    await printed(child, /\n/);
    child.kill('SIGTERM');
    assert.deepEqual(await closed, [0, null]);
  });

  test('--http says where it serves, answers there and ends cleanly on Ctrl-C', async (t) => {
    const child = startCli(['serve', '--http', '--port', '0'], options);
    t.after(() => child.kill('SIGKILL'));
    const closed = once(child, 'close');
    const { url } = JSON.parse(await printed(child, /^(.+)\n/)) as { url: string };
    const response = await fetch(url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
      },
      body: JSON.stringify(INITIALIZE),
    });
    assert.equal(response.status, 200);
    await response.text();
    child.kill('SIGINT');
    assert.deepEqual(await closed, [0, null]);
  });

  test('--http says what to do when the port is taken', async (t) => {
    const port = await takenPort(t);
    const { stdout, stderr, code } = await runCli(
      ['serve', '--http', '--port', String(port)],
      options,
    );
    assert.equal(code, 1);
    assert.equal(stdout, '');
    assert.match(stderr, new RegExp(`Port ${port} .* is in use\\. Choose another`));
  });

  for (const args of [[], ['--stdio', '--http'], ['--http', '--port', 'many']]) {
    test(`serve ${args.join(' ')} is a usage error`, async () => {
      const { stderr, code } = await runCli(['serve', ...args], options);
      assert.equal(code, 2);
      assert.match(stderr, /--stdio or --http|Send a port/);
    });
  }
});
