import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Json } from '../../base/json.ts';
import { readBody } from './http-body.ts';
import { HttpClients, type HttpSession } from './http-clients.ts';
import { readMessage, isRequestId, type Notification, type Request } from './message.ts';
import type { Peer } from './peer.ts';
import {
  errorBody,
  LEGACY_VERSIONS,
  MODERN_VERSION,
  notification,
  reply,
  RPC,
  type Body,
  type Era,
} from './protocol.ts';
import type { Received, SdkHttp } from './sdk-http.ts';
import type { Service } from './service.ts';
import { SseStream } from './sse-stream.ts';
import { callTool, readToolCall, type ToolCall } from './tool-call.ts';

const MAX_BODY_BYTES = 4 * 1024 * 1024;

/** Serves MCP requests over HTTP, whichever client and era they come from. */
export class HttpEndpoint {
  readonly #service: Service;
  readonly #clients: HttpClients;
  readonly #open = new Set<Promise<void>>();
  readonly #stopListening: () => void;
  #sdk: Promise<SdkHttp> | undefined;

  /** Clients unheard of for `idleMs` are forgotten. */
  constructor(service: Service, idleMs: number) {
    this.#service = service;
    this.#clients = new HttpClients(service, idleMs);
    this.#stopListening = service.runtime.onChange(() => {
      this.#changed().catch(() => {});
    });
  }

  /** Answers one request. Rejects when the client goes away before it is read. */
  async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method } = request;
    if (method === 'POST') return this.#post(request, response);
    if (method === 'GET') return this.#get(request, response);
    if (method === 'DELETE') return this.#delete(request, response);
    refuse(response, 405, 'Method not allowed.', { Allow: 'GET, POST, DELETE' });
  }

  /** Lets what runs end, then ends every stream. */
  async close(): Promise<void> {
    this.#stopListening();
    for (const { stream } of this.#clients.sessions()) stream?.end();
    const sdk = await this.#sdk;
    await sdk?.close();
    await Promise.all(this.#open);
    this.#clients.close();
  }

  async #post(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const type = request.headers['content-type'] ?? '';
    if (!/^application\/json\s*(?:;|$)/i.test(type)) {
      const why = 'Unsupported Media Type: Content-Type must be application/json';
      return refuse(response, 415, why);
    }
    const text = await readBody(request, MAX_BODY_BYTES);
    if (text === undefined) {
      const why = `Payload Too Large: Request body must not exceed ${MAX_BODY_BYTES} bytes`;
      return refuse(response, 413, why);
    }
    let value: Json;
    try {
      value = JSON.parse(text) as Json;
    } catch {
      const body = errorBody(RPC.parseError, 'Parse error: Invalid JSON');
      return send(response, 400, reply(null, body));
    }
    const work = this.#dispatch({ request, response, value });
    this.#open.add(work);
    await work.finally(() => this.#open.delete(work));
  }

  /** Takes the short way where body and headers agree on it; everything else is the SDK's. */
  async #dispatch(received: Received): Promise<void> {
    const { request, value } = received;
    const message = readMessage(value);
    const era = message === undefined ? undefined : agreedEra(message, request);
    if (message !== undefined && era === 'legacy') return this.#legacy(received, message);
    if (message?.id !== undefined && era === 'modern') {
      return this.#serve(received, message, await this.#clients.modern(request));
    }
    const sdk = await this.#loadSdk();
    const peer = sdk.needsSession(received)
      ? this.#session(request, received.response)?.peer
      : await this.#clients.modern(request);
    if (peer !== undefined) await sdk.serve(received, peer);
  }

  async #legacy(received: Received, message: Request | Notification): Promise<void> {
    const { request, response } = received;
    const { accept = '' } = request.headers;
    if (!accept.includes('application/json') || !accept.includes('text/event-stream')) {
      const why = 'Not Acceptable: Client must accept both application/json and text/event-stream';
      return refuse(response, 406, why);
    }
    if (message.id !== undefined && message.method === 'initialize') {
      return this.#initialize(received, message);
    }
    const session = this.#session(request, response);
    if (session === undefined) return;
    if (message.id !== undefined) return this.#serve(received, message, session.peer);
    const { requestId } = message.params;
    if (message.method === 'notifications/cancelled' && isRequestId(requestId)) {
      session.peer.cancel(requestId);
    }
    response.writeHead(202).end();
  }

  async #initialize(received: Received, message: Request): Promise<void> {
    const body = this.#service.initialize(message);
    if (body === undefined) {
      const peer = await this.#clients.modern(received.request);
      return (await this.#loadSdk()).serve(received, peer);
    }
    const session = await this.#clients.begin();
    send(received.response, 200, reply(message.id, body), { 'Mcp-Session-Id': session.id });
  }

  async #serve(received: Received, message: Request, peer: Peer): Promise<void> {
    const call = message.method === 'tools/call' ? readToolCall(message) : undefined;
    if (call !== undefined) return this.#call(received.response, call, peer);
    const body = this.#service.answer(message, peer);
    if (body === undefined) return (await this.#loadSdk()).serve(received, peer);
    send(received.response, 200, reply(message.id, body));
  }

  async #call(response: ServerResponse, call: ToolCall, peer: Peer): Promise<void> {
    const controller = new AbortController();
    // Before 2026 a lost connection said nothing about the call: clients cancel with a message.
    if (call.era === 'modern') {
      response.once('close', () => {
        if (!response.writableFinished) controller.abort();
      });
    }
    let stream: SseStream | undefined;
    const onProgress = (params: object): void => {
      if (response.destroyed) return;
      stream ??= new SseStream(response);
      stream.send(notification('notifications/progress', params));
    };
    const { lists } = this.#service;
    const body = await callTool(call, { peer, lists, controller, onProgress });
    if (stream !== undefined) {
      if (body !== undefined) stream.send(reply(call.id, body));
      stream.end();
    } else if (body === undefined) response.writeHead(202).end();
    else send(response, 200, reply(call.id, body));
  }

  #get(request: IncomingMessage, response: ServerResponse): void {
    if (request.headers['mcp-protocol-version'] === MODERN_VERSION) {
      const why = 'Method not allowed. Listen with a POST of subscriptions/listen.';
      return refuse(response, 405, why, { Allow: 'POST' });
    }
    if (request.headers.accept?.includes('text/event-stream') !== true) {
      return refuse(response, 406, 'Not Acceptable: Client must accept text/event-stream');
    }
    const session = this.#session(request, response);
    if (session === undefined) return;
    if (session.stream !== undefined) {
      return refuse(response, 409, 'Conflict: Only one SSE stream is allowed per session');
    }
    session.stream = new SseStream(response, () => (session.stream = undefined));
  }

  #delete(request: IncomingMessage, response: ServerResponse): void {
    const session = this.#session(request, response);
    if (session === undefined) return;
    this.#clients.end(session);
    response.writeHead(200).end();
  }

  /** The session a legacy request belongs to; undefined when it was refused for having none. */
  #session(request: IncomingMessage, response: ServerResponse): HttpSession | undefined {
    const id = request.headers['mcp-session-id'];
    if (typeof id !== 'string') {
      const why =
        'Bad Request: Mcp-Session-Id header is required. Send initialize first and repeat the id it gives.';
      refuse(response, 400, why);
      return undefined;
    }
    const session = this.#clients.find(id);
    if (session === undefined) {
      const body = errorBody(RPC.sessionNotFound, 'Session not found. Send initialize again.');
      send(response, 404, reply(null, body));
      return undefined;
    }
    const version = request.headers['mcp-protocol-version'];
    if (version === undefined || LEGACY_VERSIONS.includes(String(version))) return session;
    const why = `Bad Request: Unsupported protocol version (supported versions: ${LEGACY_VERSIONS.join(', ')})`;
    refuse(response, 400, why);
    return undefined;
  }

  #loadSdk(): Promise<SdkHttp> {
    // Loaded on demand: most servers never need it, and it takes longer to load than everything else.
    return (this.#sdk ??= import('./sdk-http.ts').then(
      ({ SdkHttp }) => new SdkHttp(this.#service),
    ));
  }

  async #changed(): Promise<void> {
    this.#tell('notifications/tools/list_changed');
    const sdk = await this.#sdk;
    if ((await sdk?.changed()) === true) this.#tell('notifications/resources/list_changed');
  }

  #tell(method: string): void {
    for (const { stream } of this.#clients.sessions()) stream?.send(notification(method));
  }
}

/** Refuses a request in the SDK's words. */
function refuse(response: ServerResponse, status: number, why: string, headers: object = {}): void {
  send(response, status, reply(null, errorBody(RPC.server, why)), headers);
}

function send(response: ServerResponse, status: number, message: Body, headers: object = {}): void {
  const length = Buffer.byteLength(message);
  const all = { 'Content-Type': 'application/json', 'Content-Length': length, ...headers };
  if (!response.destroyed) response.writeHead(status, all).end(message);
}

/** The era of a request whose headers say the same as its body. */
function agreedEra(
  { era, method, params }: Request | Notification,
  { headers }: IncomingMessage,
): Era | undefined {
  const version = headers['mcp-protocol-version'];
  if (era === 'legacy') {
    return version === undefined || LEGACY_VERSIONS.includes(String(version)) ? era : undefined;
  }
  const named = method !== 'tools/call' || headers['mcp-name'] === params['name'];
  return version === MODERN_VERSION && headers['mcp-method'] === method && named ? era : undefined;
}
