import { isPlainObject, type Json, type JsonObject } from '../../base/json.ts';
import { isRequestId, readMessage, type Notification, type Request } from './message.ts';
import type { Peer } from './peer.ts';
import { errorBody, notification, reply, RPC, type Body, type Era } from './protocol.ts';
import type { SdkStdio } from './sdk-stdio.ts';
import type { Service } from './service.ts';
import { callTool, readToolCall, type ToolCall } from './tool-call.ts';

/** The conversation with the one client of a stdio server, message by message. */
export class StdioConnection {
  readonly #service: Service;
  readonly #peer: Peer;
  readonly #write: (message: Body) => void;
  readonly #stopListening: () => void;
  /** Settled by the first message that is not a probe, as in the SDK. */
  #era: Era | undefined;
  #initialized = false;
  #open = 0;
  #onIdle: (() => void) | undefined;
  /** Replies of calls that ended in this turn of the event loop, a line each; empty for a cancelled one. */
  #answers: string[] = [];
  #sdk: Promise<SdkStdio> | undefined;

  constructor(service: Service, peer: Peer, write: (message: Body) => void) {
    this.#service = service;
    this.#peer = peer;
    this.#write = write;
    this.#stopListening = service.runtime.onChange(() => this.#changed());
  }

  /** Takes one line of the client. */
  receive(text: string): void {
    let value: Json;
    try {
      value = JSON.parse(text) as Json;
    } catch {
      const why = 'Parse error: a line is not JSON. Send one JSON-RPC message a line.';
      return this.#write(reply(null, errorBody(RPC.parseError, why)));
    }
    const message = readMessage(value);
    if (message === undefined) this.#refuse(value);
    else if (message.id === undefined) this.#notified(message);
    else this.#requested(message);
  }

  /** Refuses a message that was too long to be read. */
  refuse(why: string): void {
    this.#write(reply(null, errorBody(RPC.invalidRequest, `Invalid Request: ${why}`)));
  }

  /** Cancels every call. */
  cancel(): void {
    this.#peer.cancel();
  }

  /** Waits until everything begun is answered. */
  async close(): Promise<void> {
    if (this.#open > 0) await new Promise<void>((resolve) => (this.#onIdle = resolve));
    await (await this.#sdk)?.close();
    this.#stopListening();
  }

  #requested(given: Request): void {
    const era = this.#settle(given);
    if (era === undefined || (era === 'modern' && given.era !== 'modern')) {
      return this.#delegate(given.raw);
    }
    // On a settled connection an envelope of the other era means nothing.
    const request = { ...given, era };
    const call = request.method === 'tools/call' ? readToolCall(request) : undefined;
    if (call !== undefined) return void this.#call(call);
    const body = this.#service.answer(request, this.#peer) ?? this.#service.initialize(request);
    if (body === undefined) this.#delegate(given.raw);
    else this.#write(reply(request.id, body));
  }

  async #call(call: ToolCall): Promise<void> {
    this.#open++;
    const body = await callTool(call, {
      peer: this.#peer,
      lists: this.#service.lists,
      controller: new AbortController(),
      onProgress: (params) => this.#write(notification('notifications/progress', params)),
    });
    // Answers of one turn go out in one piece: a write of its own costs as much as the call.
    if (this.#answers.length === 0) process.nextTick(() => this.#flush());
    this.#answers.push(body === undefined ? '' : `${reply(call.id, body).toString()}\n`);
  }

  #flush(): void {
    const answers = this.#answers;
    this.#answers = [];
    const lines = answers.join('');
    // The last line's end comes with the write.
    if (lines !== '') this.#write(lines.slice(0, -1));
    this.#open -= answers.length;
    if (this.#open === 0) this.#onIdle?.();
  }

  #notified(message: Notification): void {
    const era = this.#settle(message);
    const { requestId } = message.params;
    if (message.method === 'notifications/initialized') this.#initialized = era === 'legacy';
    if (message.method !== 'notifications/cancelled' || !isRequestId(requestId)) return;
    if (!this.#peer.cancel(requestId) && this.#sdk !== undefined) this.#delegate(message.raw);
  }

  /** The era this message is served in; the first one that is not a probe settles the connection. */
  #settle({ era, method }: Request | Notification): Era | undefined {
    const probe = method === 'server/discover' && era === 'modern';
    if (this.#era === undefined && !probe) this.#era = era;
    return this.#era ?? era;
  }

  /** A response answers nothing we asked; anything else that is no request gets told so. */
  #refuse(value: Json): void {
    const message = isPlainObject(value) ? value : {};
    if ('result' in message || 'error' in message) return;
    const why = Array.isArray(value)
      ? 'batches are not served over stdio. Send each message on a line of its own.'
      : 'this is no JSON-RPC 2.0 message. Send {"jsonrpc":"2.0","id":1,"method":"tools/list"} or the like.';
    const body = errorBody(RPC.invalidRequest, `Invalid Request: ${why}`);
    this.#write(reply(isRequestId(message['id']) ? message['id'] : null, body));
  }

  #delegate(message: JsonObject): void {
    // Loaded on demand: most connections never need it, and it takes longer to load than everything else.
    this.#sdk ??= import('./sdk-stdio.ts').then(
      ({ SdkStdio }) => new SdkStdio(this.#service, this.#peer, this.#write),
    );
    const era = this.#era;
    void this.#sdk.then((sdk) => sdk.receive(message, era));
  }

  #changed(): void {
    const era = this.#era;
    if (era === 'legacy' && this.#initialized) {
      this.#write(notification('notifications/tools/list_changed'));
    }
    void this.#sdk?.then((sdk) => sdk.changed(era));
  }
}
