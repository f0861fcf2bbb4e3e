import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import type { TestContext } from 'node:test';
import type { JsonObject } from '../../src/index.ts';

/** What the server answers to one request. */
export interface Turn {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** A whole reply. */
  readonly body?: JsonObject;
  /** Server-sent events; with `cut` the connection breaks behind them. */
  readonly events?: readonly (readonly [event: string | undefined, data: JsonObject | string])[];
  readonly cut?: boolean;
  /** Never answers, or never ends when there are events. */
  readonly hang?: boolean;
  /** Breaks the connection before any answer. */
  readonly drop?: boolean;
}

/** A vendor's server on loopback that answers as it is told, and refuses what the vendor would refuse. */
export interface ScriptedServer {
  readonly url: string;
  /** Bodies of the requests so far. */
  readonly requests: readonly JsonObject[];
  /** Resolves when the next request has arrived. */
  arrived(): Promise<void>;
}

/**
 * Serves these turns, one a request; `refuse` says why a body is none that the vendor would take, which is
 * answered with 400 before any turn is used. One request too many is a 500 that names the fault.
 */
export async function scriptedServer(
  t: TestContext,
  turns: readonly Turn[],
  refuse: (body: JsonObject) => string | undefined = () => undefined,
): Promise<ScriptedServer> {
  const requests: JsonObject[] = [];
  const left = [...turns];
  let heard = Promise.withResolvers<void>();
  const server = createServer(async (request, response) => {
    const body = JSON.parse(await text(request)) as JsonObject;
    requests.push(body);
    heard.resolve();
    heard = Promise.withResolvers<void>();
    const why = refuse(body);
    if (why !== undefined)
      return json(response, 400, { error: { type: 'invalid_request_error', message: why } });
    const turn = left.shift();
    if (turn === undefined)
      return json(response, 500, { error: { message: 'the script is at its end' } });
    if (turn.events !== undefined) return stream(response, turn);
    if (turn.drop === true) return void response.destroy();
    if (turn.hang === true) return;
    json(response, turn.status ?? 200, turn.body ?? {}, turn.headers);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, requests, arrived: () => heard.promise };
}

function json(
  response: ServerResponse,
  status: number,
  body: JsonObject,
  headers: Readonly<Record<string, string>> = {},
): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(JSON.stringify(body));
}

function stream(response: ServerResponse, { events = [], cut = false, hang = false }: Turn): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  for (const [event, data] of events) {
    const line = typeof data === 'string' ? data : JSON.stringify(data);
    response.write(`${event === undefined ? '' : `event: ${event}\n`}data: ${line}\n\n`);
  }
  // Behind what was written, so that the client has it first.
  if (cut) response.write('', () => setImmediate(() => response.destroy()));
  else if (!hang) response.end();
}
