import type { Readable, Writable } from 'node:stream';
import type { Runtime } from '../../runtime/runtime.ts';
import { LineReader } from './line-reader.ts';
import type { Body } from './protocol.ts';
import { Service, type ServiceOptions } from './service.ts';
import { StdioConnection } from './stdio-connection.ts';
import { guardStdout } from '../../base/guard-stdout.ts';

/** How to serve over stdio. */
export interface StdioOptions extends ServiceOptions {
  /** Default: stdin. */
  readonly input?: Readable;
  /** Default: stdout, on which nothing else may print from then on. */
  readonly output?: Writable;
}

const MAX_MESSAGE_BYTES = 10 * 1024 * 1024;
const NEWLINE = Buffer.from('\n');

/**
 * Serves a runtime to one MCP client over stdin and stdout, in both protocol eras. Resolves when the
 * input has ended, everything begun is answered and the runtime is closed.
 */
export async function serveStdio(runtime: Runtime, options: StdioOptions = {}): Promise<void> {
  const { input = process.stdin, output = process.stdout } = options;
  const guard = output === process.stdout ? guardStdout() : undefined;
  const write = (message: Body): void => {
    const line = typeof message === 'string' ? `${message}\n` : Buffer.concat([message, NEWLINE]);
    if (guard === undefined ? output.write(line) : guard.write(line)) return;
    // A client that does not read is not read from either.
    input.pause();
    output.once('drain', () => input.resume());
  };
  const service = new Service(runtime, options);
  const connection = new StdioConnection(service, await service.openPeer(), write);
  const reader = new LineReader(MAX_MESSAGE_BYTES, {
    line: (text) => connection.receive(text),
    tooLong: () =>
      connection.refuse(`a message has over ${MAX_MESSAGE_BYTES} bytes. Send less at once.`),
  });
  // A client that reads no more wants nothing any more; one that only sends no more still waits.
  output.on('error', () => {
    connection.cancel();
    input.destroy();
  });
  input.on('data', (chunk: Buffer) => reader.push(chunk));
  await new Promise<void>((resolve) => {
    for (const event of ['end', 'close', 'error']) input.once(event, () => resolve());
  });
  reader.end();
  await connection.close();
  await runtime.close();
  guard?.release();
}
