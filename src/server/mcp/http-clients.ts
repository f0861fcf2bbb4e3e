import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { IdleMap, type Busy } from './idle-map.ts';
import type { Peer } from './peer.ts';
import type { Service } from './service.ts';
import type { SseStream } from './sse-stream.ts';

/** A legacy client between its `initialize` and its end. */
export class HttpSession implements Busy {
  readonly id = randomUUID();
  readonly peer: Peer;
  /** Its open GET, on which it hears of changes. */
  stream: SseStream | undefined;

  constructor(peer: Peer) {
    this.peer = peer;
  }

  get busy(): boolean {
    return this.stream !== undefined || this.peer.busy;
  }
}

/** Who is talking: legacy clients by their session id, modern ones by their token, else their connection. */
export class HttpClients {
  readonly #service: Service;
  readonly #sessions: IdleMap<HttpSession>;
  readonly #byToken: IdleMap<Peer>;
  readonly #byConnection = new WeakMap<object, Peer>();

  constructor(service: Service, idleMs: number) {
    this.#service = service;
    this.#byToken = new IdleMap(idleMs);
    this.#sessions = new IdleMap(idleMs, (session) => {
      session.stream?.end();
      session.peer.cancel();
    });
  }

  /** Begins the session of a legacy client. */
  async begin(): Promise<HttpSession> {
    const session = new HttpSession(await this.#service.openPeer());
    this.#sessions.set(session.id, session);
    return session;
  }

  /** The session with that id, unless it was ended or forgotten. */
  find(id: string): HttpSession | undefined {
    return this.#sessions.get(id);
  }

  /** Ends a session: its calls are cancelled and its stream is closed. */
  end(session: HttpSession): void {
    this.#sessions.delete(session.id);
  }

  /** Every legacy client. */
  sessions(): readonly HttpSession[] {
    return this.#sessions.values();
  }

  /** The modern client behind a request. Its token tells it from others; it proves nothing here. */
  async modern({ headers, socket }: IncomingMessage): Promise<Peer> {
    const token = headers.authorization;
    const known = (): Peer | undefined =>
      token === undefined ? this.#byConnection.get(socket) : this.#byToken.get(token);
    const peer = known();
    if (peer !== undefined) return peer;
    const opened = await this.#service.openPeer();
    // Of several first requests at once all must get the same session.
    const other = known();
    if (other !== undefined) return other;
    if (token === undefined) this.#byConnection.set(socket, opened);
    else this.#byToken.set(token, opened);
    return opened;
  }

  /** Ends everybody. */
  close(): void {
    this.#sessions.close();
    this.#byToken.close();
  }
}
