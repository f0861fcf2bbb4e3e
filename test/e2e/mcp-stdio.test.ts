import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { PassThrough } from 'node:stream';
import { test, type TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';
import type { JsonObject } from '../../src/index.ts';
import { serveStdio } from '../../src/server/mcp/stdio.ts';
import { jobs, mcpRuntime } from '../support/mcp-library.ts';

const INITIALIZE = {
  jsonrpc: '2.0',
  id: 0,
  method: 'initialize',
  params: {
    protocolVersion: '2025-11-25',
    capabilities: {},
    clientInfo: { name: 'raw', version: '1' },
  },
};
const PING = { jsonrpc: '2.0', id: 'ping', method: 'ping' };

class Client {
  readonly input = new PassThrough();
  readonly #output = new PassThrough();
  readonly #messages: JsonObject[] = [];
  /** Every chunk the server wrote. */
  readonly chunks: string[] = [];
  readonly served: Promise<void>;
  #wake = (): void => {};

  constructor(runtime: Parameters<typeof serveStdio>[0]) {
    this.#output.setEncoding('utf8').on('data', (chunk: string) => {
      this.chunks.push(chunk);
      for (const line of chunk.split('\n').slice(0, -1))
        this.#messages.push(JSON.parse(line) as JsonObject);
      this.#wake();
    });
    this.served = serveStdio(runtime, { input: this.input, output: this.#output });
  }

  send(...messages: unknown[]): void {
    this.input.write(messages.map((message) => `${JSON.stringify(message)}\n`).join(''));
  }

  async next(): Promise<JsonObject> {
    while (this.#messages.length === 0) {
      await new Promise<void>((resolve) => (this.#wake = resolve));
    }
    return this.#messages.shift() as JsonObject;
  }
}

async function start(t: TestContext): Promise<Client> {
  const client = new Client(await mcpRuntime(t));
  t.after(async () => {
    client.input.end();
    await client.served;
  });
  return client;
}

function call(id: number, name: string, args: JsonObject = {}): JsonObject {
  return { jsonrpc: '2.0', id, method: 'tools/call', params: { name, arguments: args } };
}

test('reads messages in any chunks and line ends, and writes whole lines', async (t) => {
  const client = await start(t);
  const bytes = Buffer.from(
    `${JSON.stringify(INITIALIZE)}\r\n\n${JSON.stringify(call(1, 'text.echo', { text: 'ü' }))}\n${JSON.stringify(PING)}\n`,
  );
  for (const byte of bytes) client.input.write(Buffer.of(byte));
  const ids = new Set([
    (await client.next())['id'],
    (await client.next())['id'],
    (await client.next())['id'],
  ]);
  assert.deepEqual(ids, new Set([0, 1, 'ping']));
  for (const chunk of client.chunks) assert.match(chunk, /^(?:{.*}\n)+$/);
});

test('explains lines that are no message, and goes on', async (t) => {
  const client = await start(t);
  client.input.write('hello\n');
  client.send(
    [PING],
    { jsonrpc: '2.0', id: 5, method: 7 },
    { jsonrpc: '2.0', id: 6, result: {} },
    PING,
  );
  const seen = [await client.next(), await client.next(), await client.next(), await client.next()];
  assert.deepEqual(
    seen.map(({ id, error }) => [id, (error as JsonObject | undefined)?.['code']]),
    [
      [null, -32_700],
      [null, -32_600],
      [5, -32_600],
      ['ping', undefined],
    ],
  );
});

test('refuses a message over 10 MiB and goes on', async (t) => {
  const client = await start(t);
  client.send(call(1, 'text.echo', { text: 'x'.repeat(11 * 1024 * 1024) }), PING);
  assert.match(JSON.stringify(await client.next()), /"id":null.*over 10485760 bytes/);
  assert.equal((await client.next())['id'], 'ping');
});

test('drops keys that would become a prototype', async (t) => {
  const client = await start(t);
  client.input.write(
    '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"math.add","arguments":{"a":1,"b":2,"__proto__":{"c":3}}}}\n',
  );
  assert.match(JSON.stringify(await client.next()), /"structuredContent":{"sum":3}/);
});

test('answers what was begun when the input ends, then closes the runtime', async (t) => {
  const client = new Client(await mcpRuntime(t));
  const started = once(jobs, 'started');
  client.send(INITIALIZE, call(1, 'job.wait', { id: 'end' }));
  await started;
  client.send({ jsonrpc: '2.0', id: 2, method: 'resources/list' });
  client.input.end(JSON.stringify(PING));
  jobs.emit('finish');
  await client.served;
  const ids = [];
  for (let i = 0; i < 4; i++) ids.push((await client.next())['id']);
  assert.deepEqual(new Set(ids), new Set([0, 1, 2, 'ping']));
});

test('stops what runs when nobody reads any more', async (t) => {
  const input = new PassThrough();
  const output = new PassThrough();
  const served = serveStdio(await mcpRuntime(t), { input, output });
  const started = once(jobs, 'started');
  const aborted = once(jobs, 'aborted');
  input.write(`${JSON.stringify(call(1, 'job.wait', { id: 'gone' }))}\n`);
  await started;
  output.destroy(new Error('EPIPE'));
  assert.deepEqual(await aborted, ['gone']);
  await served;
});

test('keeps stdout for the protocol, whatever a skill prints', async () => {
  const script = fileURLToPath(new URL('../support/mcp-noisy-server.ts', import.meta.url));
  const child = spawn(process.execPath, [script], { stdio: ['pipe', 'pipe', 'pipe'] });
  const texts = { stdout: '', stderr: '' };
  child.stdout.setEncoding('utf8').on('data', (text: string) => (texts.stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (texts.stderr += text));
  const exit = once(child, 'close');
  child.stdin.end(`${JSON.stringify(INITIALIZE)}\n${JSON.stringify(call(1, 'noise.make'))}\n`);
  assert.deepEqual(await exit, [0, null]);
  const lines = texts.stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as JsonObject);
  assert.deepEqual(
    lines.map(({ id }) => id),
    [0, 1],
  );
  for (const word of ['logged', 'written', 'informed'])
    assert.match(texts.stderr, new RegExp(word));
});
