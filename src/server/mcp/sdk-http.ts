import { AsyncLocalStorage } from 'node:async_hooks';
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import {
  classifyInboundRequest,
  createMcpHandler,
  type McpHttpHandler,
} from '@modelcontextprotocol/server';
import type { Json } from '../../base/json.ts';
import type { Peer } from './peer.ts';
import { SdkServers } from './sdk-servers.ts';
import type { Service } from './service.ts';

/** A request read so far. */
export interface Received {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** Its body, parsed. */
  readonly value: Json;
}

/** The SDK's own HTTP handler, for the requests the short way leaves to it. */
export class SdkHttp {
  readonly #servers: SdkServers;
  readonly #handler: McpHttpHandler;
  readonly #peer = new AsyncLocalStorage<Peer>();

  constructor(service: Service) {
    this.#servers = new SdkServers(service);
    this.#handler = createMcpHandler(({ era }) =>
      this.#servers.create(this.#peer.getStore() as Peer, era),
    );
  }

  /** True when the request belongs to the session of a legacy client. */
  needsSession({ request, value }: Received): boolean {
    const { headers } = request;
    const outcome = classifyInboundRequest({
      httpMethod: 'POST',
      body: value,
      ...optional('protocolVersionHeader', headers['mcp-protocol-version']),
      ...optional('mcpMethodHeader', headers['mcp-method']),
      ...optional('mcpNameHeader', headers['mcp-name']),
    });
    return outcome.kind === 'legacy' && outcome.reason !== 'initialize';
  }

  /** Answers a request on behalf of `peer`. */
  async serve({ request, response, value }: Received, peer: Peer): Promise<void> {
    const gone = new AbortController();
    response.once('close', () => gone.abort());
    const web = new Request(`http://localhost${request.url}`, {
      method: 'POST',
      headers: webHeaders(request.headers),
      body: JSON.stringify(value),
      signal: gone.signal,
    });
    const answer = await this.#peer.run(peer, () =>
      this.#handler.fetch(web, { parsedBody: value }),
    );
    response.writeHead(answer.status, Object.fromEntries(answer.headers));
    if (answer.body === null) return void response.end();
    // A client that leaves in the middle is no failure.
    await pipeline(Readable.fromWeb(answer.body), response).catch(() => {});
  }

  /** Tells subscribed modern clients that the tools have changed; true when the resources have, too. */
  async changed(): Promise<boolean> {
    this.#handler.notify.toolsChanged();
    const changed = await this.#servers.reload();
    if (changed) this.#handler.notify.resourcesChanged();
    return changed;
  }

  close(): Promise<void> {
    return this.#handler.close();
  }
}

function optional<K extends string>(
  key: K,
  value: string | string[] | undefined,
): { [P in K]?: string } {
  return (typeof value === 'string' ? { [key]: value } : {}) as { [P in K]?: string };
}

function webHeaders(headers: IncomingHttpHeaders): Headers {
  const web = new Headers();
  for (const [name, value] of Object.entries(headers)) {
    for (const one of [value ?? []].flat()) web.append(name, one);
  }
  return web;
}
