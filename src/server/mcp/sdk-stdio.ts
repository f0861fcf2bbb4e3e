import type { JSONRPCMessage, McpServer, Transport } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { isPlainObject, type JsonObject } from '../../base/json.ts';
import { isRequestId, type RequestId } from './message.ts';
import type { Peer } from './peer.ts';
import { META, MODERN_VERSION, type Era } from './protocol.ts';
import { SdkServers } from './sdk-servers.ts';
import type { Service } from './service.ts';

type Wire = Transport & { onmessage: NonNullable<Transport['onmessage']> };

/** The SDK's own server for one stdio connection, for the messages the short way leaves to it. */
export class SdkStdio {
  readonly #servers: SdkServers;
  readonly #wire: Wire;
  readonly #connection: { close(): Promise<void> };
  readonly #unanswered = new Set<RequestId>();
  #server: McpServer | undefined;
  #pinned = false;
  #onIdle: (() => void) | undefined;

  /** `write` takes each message the SDK sends. */
  constructor(service: Service, peer: Peer, write: (message: string) => void) {
    this.#servers = new SdkServers(service);
    this.#wire = {
      start: async () => {},
      send: async (message) => {
        write(JSON.stringify(message));
        if ('id' in message && !('method' in message)) this.#settle(message.id);
      },
      close: async () => {},
      onmessage: () => {},
    };
    const create = async ({ era }: { readonly era: Era }): Promise<McpServer> =>
      (this.#server = await this.#servers.create(peer, era));
    this.#connection = serveStdio(create, { transport: this.#wire });
  }

  /** Hands a message over; `era` is the one the connection has settled on. */
  receive(message: JsonObject, era: Era | undefined): void {
    if (era !== undefined && !this.#pinned) {
      this.#pinned = true;
      this.#deliver(opening(era));
    }
    if (message['method'] === 'notifications/cancelled') {
      const { params } = message;
      if (isPlainObject(params)) this.#settle(params['requestId']);
    } else if (isRequestId(message['id']) && message['method'] !== 'subscriptions/listen') {
      this.#unanswered.add(message['id']);
    }
    this.#deliver(message);
  }

  /** Tells a modern client that subscribed; a legacy client is told without the SDK. */
  async changed(era: Era | undefined): Promise<void> {
    if (era === 'modern') await this.#server?.server.sendToolListChanged().catch(() => {});
    await this.#servers.reload();
  }

  /** Waits until every request is answered, then ends the connection. */
  async close(): Promise<void> {
    if (this.#unanswered.size > 0) await new Promise<void>((resolve) => (this.#onIdle = resolve));
    await this.#connection.close();
  }

  #deliver(message: JsonObject): void {
    this.#wire.onmessage(message as unknown as JSONRPCMessage);
  }

  #settle(id: unknown): void {
    if (isRequestId(id)) this.#unanswered.delete(id);
    if (this.#unanswered.size === 0) this.#onIdle?.();
  }
}

/** A notification nobody listens to, which tells the SDK what the connection has settled on before it came in. */
function opening(era: Era): JsonObject {
  if (era === 'legacy') return { jsonrpc: '2.0', method: 'notifications/initialized' };
  const envelope = { [META.protocolVersion]: MODERN_VERSION, [META.clientCapabilities]: {} };
  return { jsonrpc: '2.0', method: 'notifications/opening', params: { _meta: envelope } };
}
