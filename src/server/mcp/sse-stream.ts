import type { ServerResponse } from 'node:http';

const KEEP_ALIVE_MS = 15_000;
const HEADERS = {
  'Content-Type': 'text/event-stream',
  'Cache-Control': 'no-cache, no-transform',
  Connection: 'keep-alive',
  'X-Accel-Buffering': 'no',
};

/** A reply as a stream of server-sent events, one JSON-RPC message each. */
export class SseStream {
  readonly #response: ServerResponse;
  readonly #timer: NodeJS.Timeout;

  /** Sends the headers at once; `onClose` runs when the stream has ended, whoever ended it. */
  constructor(response: ServerResponse, onClose: () => void = () => {}) {
    this.#response = response;
    this.#timer = setInterval(() => this.#write(': keepalive\n\n'), KEEP_ALIVE_MS).unref();
    response.once('close', () => {
      clearInterval(this.#timer);
      onClose();
    });
    response.writeHead(200, HEADERS).flushHeaders();
  }

  /** Sends one message. */
  send(message: string | Buffer): void {
    this.#write(`event: message\ndata: ${message.toString()}\n\n`);
  }

  /** Ends the stream. */
  end(): void {
    this.#response.end();
  }

  #write(text: string): void {
    if (!this.#response.destroyed) this.#response.write(text);
  }
}
