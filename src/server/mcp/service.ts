import type { Runtime } from '../../runtime/runtime.ts';
import { areAbilities, isImplementation, type Request } from './message.ts';
import { Peer } from './peer.ts';
import {
  capabilities,
  LEGACY_VERSIONS,
  MODERN_VERSION,
  resultBody,
  SERVER_INFO,
  type Body,
} from './protocol.ts';
import { ToolLists } from './tool-list.ts';

/** How a server treats its clients. */
export interface ServiceOptions {
  /** ms without a call after which the next begins a new turn, unless the client names turns. Default 30000. */
  readonly turnPauseMs?: number;
}

/** What all clients of one server share. */
export class Service {
  readonly runtime: Runtime;
  readonly lists = new ToolLists();
  readonly #turnPauseMs: number;

  constructor(runtime: Runtime, { turnPauseMs = 30_000 }: ServiceOptions) {
    this.runtime = runtime;
    this.#turnPauseMs = turnPauseMs;
  }

  /** What the server can do. */
  get capabilities(): object {
    return capabilities(this.runtime.libraryRoot !== undefined);
  }

  /** Opens a session for a client. */
  async openPeer(): Promise<Peer> {
    return new Peer(await this.runtime.openSession(), this.#turnPauseMs);
  }

  /** The reply, after its id, to a request that needs no call; undefined when the SDK has to answer. */
  answer({ method, params, era }: Request, peer: Peer): Body | undefined {
    if (era === undefined) return undefined;
    switch (method) {
      case 'tools/list': {
        const { cursor } = params;
        const plain = cursor === undefined || typeof cursor === 'string';
        return plain ? this.lists.of(peer.session).body(era) : undefined;
      }
      case 'ping':
        return era === 'legacy' ? resultBody(era, {}, false) : undefined;
      case 'server/discover':
        return era === 'modern' ? this.#discover() : undefined;
      default:
        return undefined;
    }
  }

  /** The reply, after its id, to the `initialize` of a legacy client; undefined when the SDK has to answer. */
  initialize({ method, params, era }: Request): Body | undefined {
    const { protocolVersion: wanted, capabilities: abilities, clientInfo } = params;
    if (method !== 'initialize' || era !== 'legacy' || typeof wanted !== 'string') return undefined;
    if (!areAbilities(abilities) || !isImplementation(clientInfo)) return undefined;
    const protocolVersion = LEGACY_VERSIONS.includes(wanted) ? wanted : LEGACY_VERSIONS[0];
    const result = { protocolVersion, capabilities: this.capabilities, serverInfo: SERVER_INFO };
    return resultBody('legacy', result, false);
  }

  #discover(): Body {
    const result = { supportedVersions: [MODERN_VERSION], capabilities: this.capabilities };
    return resultBody('modern', result, true);
  }
}
