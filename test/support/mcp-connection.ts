import type { TestContext } from 'node:test';
import { PassThrough } from 'node:stream';
import {
  Client,
  ReadBuffer,
  serializeMessage,
  StreamableHTTPClientTransport,
  type Transport,
} from '@modelcontextprotocol/client';
import type { Runtime } from '../../src/index.ts';
import { serveHttp } from '../../src/server/mcp/http.ts';
import { serveStdio } from '../../src/server/mcp/stdio.ts';

/** The ways a client can reach a server. */
export const WAYS = [
  { era: 'legacy', over: 'stdio' },
  { era: 'modern', over: 'stdio' },
  { era: 'legacy', over: 'http' },
  { era: 'modern', over: 'http' },
] as const;

export type Way = (typeof WAYS)[number];

/** An SDK client connected to a server of `runtime` in one of the ways; both end with the test. */
export async function connect(
  t: TestContext,
  runtime: Runtime,
  { era, over }: Way,
): Promise<Client> {
  const mode = era === 'legacy' ? 'legacy' : { pin: '2026-07-28' };
  const client = new Client({ name: 'test', version: '1.0.0' }, { versionNegotiation: { mode } });
  t.after(() => client.close());
  if (over === 'stdio') await client.connect(stdio(t, runtime));
  else {
    const { transport, listening } = await http(t, runtime);
    await client.connect(transport);
    // A legacy client opens its stream for changes by itself, some time after it has connected.
    if (era === 'legacy') await listening;
  }
  return client;
}

async function http(
  t: TestContext,
  runtime: Runtime,
): Promise<{ transport: Transport; listening: Promise<void> }> {
  const server = await serveHttp(runtime, { port: 0 });
  t.after(() => server.close());
  const { promise: listening, resolve } = Promise.withResolvers<void>();
  const transport = new StreamableHTTPClientTransport(new URL(server.url), {
    fetch: async (url, init) => {
      const response = await fetch(url, init);
      if (init?.method === 'GET') resolve();
      return response;
    },
  });
  return { transport, listening };
}

function stdio(t: TestContext, runtime: Runtime): Transport {
  const pipes = { input: new PassThrough(), output: new PassThrough() };
  const served = serveStdio(runtime, pipes);
  t.after(async () => {
    pipes.input.end();
    await served;
  });
  return new PipeTransport(pipes);
}

/** The client's end of a stdio server in this process. */
class PipeTransport implements Transport {
  readonly #pipes: { readonly input: PassThrough; readonly output: PassThrough };
  readonly #buffer = new ReadBuffer();
  onmessage?: Transport['onmessage'];
  onclose?: Transport['onclose'];
  onerror?: Transport['onerror'];

  constructor(pipes: { readonly input: PassThrough; readonly output: PassThrough }) {
    this.#pipes = pipes;
  }

  async start(): Promise<void> {
    this.#pipes.output.on('data', (chunk: Buffer) => {
      this.#buffer.append(chunk);
      for (
        let next = this.#buffer.readMessage();
        next !== null;
        next = this.#buffer.readMessage()
      ) {
        this.onmessage?.(next);
      }
    });
  }

  async send(message: Parameters<Transport['send']>[0]): Promise<void> {
    this.#pipes.input.write(serializeMessage(message));
  }

  async close(): Promise<void> {
    this.#pipes.input.end();
    this.onclose?.();
  }
}
