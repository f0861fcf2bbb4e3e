import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';

/** The least MCP client there is: JSON lines to a child's stdin, answers by their id. */
export class LineClient {
  readonly #child: ChildProcess;
  readonly #waiting = new Map<number, (message: unknown) => void>();
  #id = 0;
  #rest = '';

  constructor(child: ChildProcess) {
    this.#child = child;
    child.stdout?.setEncoding('utf8').on('data', (chunk: string) => this.#take(chunk));
    child.on('exit', (code) => {
      if (this.#waiting.size === 0) return;
      throw new Error(`The server ended with ${code} before it answered.`);
    });
  }

  /** Resolves with the whole answer. */
  request(method: string, params: unknown): Promise<unknown> {
    const id = ++this.#id;
    return new Promise((resolve) => {
      this.#waiting.set(id, resolve);
      this.#send({ jsonrpc: '2.0', id, method, params });
    });
  }

  /** Says hello. */
  async initialize(): Promise<void> {
    const clientInfo = { name: 'bench', version: '1.0.0' };
    await this.request('initialize', {
      protocolVersion: '2025-06-18',
      capabilities: {},
      clientInfo,
    });
    this.#send({ jsonrpc: '2.0', method: 'notifications/initialized' });
  }

  /** Ends the input and waits for the server to go. */
  async close(): Promise<void> {
    const gone = once(this.#child, 'exit');
    this.#child.stdin?.end();
    const timer = setTimeout(() => this.#child.kill('SIGKILL'), 3_000);
    await gone;
    clearTimeout(timer);
  }

  #send(message: unknown): void {
    this.#child.stdin?.write(`${JSON.stringify(message)}\n`);
  }

  #take(chunk: string): void {
    const lines = (this.#rest + chunk).split('\n');
    this.#rest = lines.pop() ?? '';
    for (const line of lines) {
      if (line === '') continue;
      const message = JSON.parse(line) as { id?: number };
      if (message.id === undefined) continue;
      this.#waiting.get(message.id)?.(message);
      this.#waiting.delete(message.id);
    }
  }
}
