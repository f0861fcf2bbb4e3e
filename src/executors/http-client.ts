import { lookup } from 'node:dns';
import http, {
  type ClientRequest,
  type IncomingHttpHeaders,
  type IncomingMessage,
} from 'node:http';
import https from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import { ToolError } from '../contract/tool-error.ts';

import { RawOutput } from './executor.ts';
import type { HttpRequest } from './http-request.ts';
import { MAX_OUTPUT, tooMuchOutput } from './output-limit.ts';
import { closedFailure } from './closed-failure.ts';
import { networkFailure } from './network-failure.ts';
import { isPrivateAddress } from './private-address.ts';

/** Which hosts a client may reach. */
export interface HttpClientOptions {
  /** `host` or `host:port` that may be a private address. */
  readonly allowPrivate?: readonly string[];
}

/** How one request may run. */
export interface SendOptions {
  readonly signal: AbortSignal;
  /** Follows up to three redirects within the origin; refuses every redirect when absent. */
  readonly sameOriginRedirects?: boolean;
}

/** What an endpoint answered. */
export interface HttpReply {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly output: RawOutput;
}

const MAX_REDIRECTS = 3;
const REDIRECTS = new Set([301, 302, 303, 307, 308]);
// Unused connections go before a server's usual 5 s, so that few requests meet a closed one.
const AGENT = {
  keepAlive: true,
  maxSockets: 32,
  maxTotalSockets: 256,
  maxFreeSockets: 16,
  timeout: 4000,
};

/**
 * Sends requests to the public internet and to private hosts that are named; the address connected to
 * is the one that was checked. Keeps connections alive between requests.
 */
export class HttpClient {
  readonly #allowed: ReadonlySet<string>;
  readonly #http = new http.Agent(AGENT);
  readonly #https = new https.Agent(AGENT);
  readonly #open = new Set<() => void>();
  #closed = false;

  constructor({ allowPrivate = [] }: HttpClientOptions = {}) {
    this.#allowed = new Set(allowPrivate.map((host) => host.toLowerCase()));
  }

  /**
   * Sends a request and reads the whole reply, whatever its status. Rejects with a ToolError when
   * there is none, and with the signal's reason when it is aborted.
   */
  async send(
    request: HttpRequest,
    { signal, sameOriginRedirects = false }: SendOptions,
  ): Promise<HttpReply> {
    let next = request;
    for (let hop = 0; ; hop++) {
      const reply = await this.#exchange(next, signal);
      if (!sameOriginRedirects || !REDIRECTS.has(reply.status)) return reply;
      if (hop === MAX_REDIRECTS) {
        throw redirectFailure(`redirects more than ${MAX_REDIRECTS} times`);
      }
      next = redirected(next, reply);
    }
  }

  /** Ends every request under way and every connection; what comes after is refused. */
  close(): void {
    this.#closed = true;
    for (const stop of this.#open) stop();
    this.#http.destroy();
    this.#https.destroy();
  }

  async #exchange(request: HttpRequest, signal: AbortSignal): Promise<HttpReply> {
    signal.throwIfAborted();
    if (this.#closed) throw closedFailure();
    const outgoing = this.#start(request);
    const reply = Promise.withResolvers<HttpReply>();
    // A request that waits for a connection tells nothing of its own end, so it is settled here.
    const stop = (): void => {
      reply.reject(closedFailure());
      outgoing.destroy();
    };
    signal.addEventListener('abort', stop, { once: true });
    this.#open.add(stop);
    readReply(outgoing, reply);
    outgoing.end(request.body);
    try {
      return await reply.promise;
    } catch (error) {
      signal.throwIfAborted();
      const failure = ToolError.is(error) ? error : networkFailure(error);
      // A connection the server has closed meanwhile tells nothing of the request; reads go again on a new one.
      const stale = outgoing.reusedSocket && /^(?:GET|HEAD)$/.test(request.method);
      if (stale && failure.details?.['reason'] === 'reset') return this.#exchange(request, signal);
      throw failure;
    } finally {
      signal.removeEventListener('abort', stop);
      this.#open.delete(stop);
    }
  }

  #start({ url, method, headers }: HttpRequest): ClientRequest {
    const secure = url.protocol === 'https:';
    const host = url.hostname.replace(/^\[|\]$/g, '');
    const port = url.port === '' ? (secure ? 443 : 80) : url.port;
    const allowed = [host, url.hostname, `${url.hostname}:${port}`].some((name) =>
      this.#allowed.has(name),
    );
    // A literal address is never looked up.
    if (!allowed && isIP(host) !== 0 && isPrivateAddress(host)) throw privateFailure(host);
    return (secure ? https : http).request(url, {
      method,
      headers,
      agent: secure ? this.#https : this.#http,
      ...(allowed ? {} : { lookup: lookUpPublic }),
    });
  }
}

function readReply(
  outgoing: ClientRequest,
  { resolve, reject }: PromiseWithResolvers<HttpReply>,
): void {
  outgoing.on('error', reject);
  // Cut off in the middle, or a protocol upgrade nobody asked for: neither is always an error.
  outgoing.once('close', () =>
    reject(Object.assign(new Error('No reply.'), { code: 'ECONNRESET' })),
  );
  outgoing.once('response', (incoming: IncomingMessage) => {
    const chunks: Buffer[] = [];
    let size = 0;
    incoming.on('error', reject);
    incoming.on('data', (chunk: Buffer) => {
      chunks.push(chunk);
      size += chunk.length;
      if (size <= MAX_OUTPUT) return;
      reject(tooMuchOutput());
      outgoing.destroy();
    });
    incoming.once('end', () => {
      const { statusCode: status = 0, headers } = incoming;
      resolve({ status, headers, output: RawOutput.from(Buffer.concat(chunks)) });
    });
  });
}

/** The request a redirect asks for, as browsers make it (Fetch standard, HTTP-redirect fetch). */
function redirected(request: HttpRequest, { status, headers }: HttpReply): HttpRequest {
  const url = URL.parse(headers.location ?? '', request.url.href);
  if (
    url === null ||
    url.origin !== request.url.origin ||
    url.username !== '' ||
    url.password !== ''
  ) {
    throw redirectFailure('redirects to another origin');
  }
  const { method } = request;
  const becomesGet = status === 303 ? method !== 'HEAD' : status < 303 && method === 'POST';
  if (!becomesGet) return { ...request, url };
  const { 'content-type': _type, 'content-length': _length, ...kept } = request.headers;
  return { method: 'GET', url, headers: kept, body: undefined };
}

const lookUpPublic: LookupFunction = (hostname, options, callback) => {
  lookup(hostname, { ...options, all: true }, (error, addresses) => {
    if (error !== null) return callback(error, []);
    const open = addresses.filter(({ address }) => !isPrivateAddress(address));
    const [first] = open;
    if (first === undefined) return callback(privateFailure(hostname), []);
    if (options.all === true) callback(null, open);
    else callback(null, first.address, first.family);
  });
};

function privateFailure(host: string): ToolError {
  return new ToolError(
    'EXECUTION_ERROR',
    `${host} is not an address of the public internet, and is refused. To allow it, add "${host}" to http.allow in skillwright.config.json.`,
    {
      details: { reason: 'private_address' },
      retryable: false,
    },
  );
}

function redirectFailure(what: string): ToolError {
  return new ToolError(
    'EXECUTION_ERROR',
    `The service ${what}, which is not followed. Set executor.url to the final address.`,
    {
      details: { reason: 'redirect' },
      retryable: false,
    },
  );
}
