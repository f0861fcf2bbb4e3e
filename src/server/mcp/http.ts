import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Runtime } from '../../runtime/runtime.ts';
import { HttpEndpoint } from './http-endpoint.ts';
import { createGuard, LOOPBACK } from './http-guard.ts';
import { errorBody, reply, RPC } from './protocol.ts';
import { Service, type ServiceOptions } from './service.ts';

/** How to serve over HTTP. */
export interface HttpOptions extends ServiceOptions {
  /** 0 takes a free one. Default 3920. */
  readonly port?: number;
  /** Take a free port when `port` is in use. */
  readonly fallback?: boolean;
  /** Address to listen on. Default 127.0.0.1. */
  readonly host?: string;
  /** Hostnames clients may call the server by, without port. Default: those of this machine for itself when listening there, else any. */
  readonly allowedHosts?: readonly string[];
  /** Hostnames of the pages that may call the server. Default: those of this machine for itself. */
  readonly allowedOrigins?: readonly string[];
  /** ms after which a client that was not heard of is forgotten. Default 30 minutes. */
  readonly idleMs?: number;
}

/** A server that listens. */
export interface HttpServer {
  /** Where clients connect. */
  readonly url: string;
  /** Stops listening, lets running calls end and closes every connection; the runtime stays open. */
  close(): Promise<void>;
}

const PATH = '/mcp';

/**
 * Serves a runtime to MCP clients over streamable HTTP, in both protocol eras. Rejects when the port
 * is in use, saying what to do.
 */
export async function serveHttp(runtime: Runtime, options: HttpOptions = {}): Promise<HttpServer> {
  const { port = 3920, host = '127.0.0.1', idleMs = 30 * 60_000 } = options;
  const local = LOOPBACK.includes(host) || host === '::1';
  const guard = createGuard({
    allowedHosts: options.allowedHosts ?? (local ? LOOPBACK : undefined),
    allowedOrigins: options.allowedOrigins ?? LOOPBACK,
  });
  const endpoint = new HttpEndpoint(new Service(runtime, options), idleMs);
  const server = createServer((request, response) => {
    const path = request.url?.split('?', 1)[0];
    const refused = guard(request);
    if (refused !== undefined) return refuse(response, 403, refused);
    if (path !== PATH) return refuse(response, 404, `Not found. MCP is served at ${PATH}.`);
    endpoint.handle(request, response).catch(() => fail(response));
  });
  // A modern client is known by its connection: it must not be lost while the model thinks.
  server.keepAliveTimeout = 120_000;
  await listen(server, port, host).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EADDRINUSE') throw error;
    if (options.fallback === true) return listen(server, 0, host);
    const advice = 'Choose another port, or 0 for a free one.';
    throw new Error(`Port ${port} of ${host} is in use. ${advice}`, { cause: error });
  });
  return {
    url: urlOf(server.address() as AddressInfo),
    async close() {
      const closed = once(server, 'close');
      server.close();
      await endpoint.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

async function listen(server: Server, port: number, host: string): Promise<void> {
  server.listen(port, host);
  await once(server, 'listening');
}

function urlOf({ address, family, port }: AddressInfo): string {
  const any = address === '0.0.0.0' || address === '::';
  const name = any ? 'localhost' : family === 'IPv6' ? `[${address}]` : address;
  return `http://${name}:${port}${PATH}`;
}

function refuse(response: ServerResponse, status: number, why: string): void {
  const headers = { 'Content-Type': 'application/json' };
  response.writeHead(status, headers).end(reply(null, errorBody(RPC.server, why)));
}

/** What went wrong was not written for the client. */
function fail(response: ServerResponse): void {
  if (response.headersSent) return void response.destroy();
  const headers = { 'Content-Type': 'application/json' };
  response.writeHead(500, headers).end(reply(null, errorBody(RPC.internalError, 'Internal error')));
}
