import assert from 'node:assert/strict';
import { once } from 'node:events';
import { request, type IncomingMessage } from 'node:http';
import { connect, createServer } from 'node:net';
import { test, type TestContext } from 'node:test';
import type { JsonObject } from '../../src/index.ts';
import { serveHttp, type HttpOptions } from '../../src/server/mcp/http.ts';
import { jobs, mcpRuntime } from '../support/mcp-library.ts';

const VERSION = '2026-07-28';
const ENVELOPE = {
  'io.modelcontextprotocol/protocolVersion': VERSION,
  'io.modelcontextprotocol/clientCapabilities': {},
};
const INITIALIZE = {
  jsonrpc: '2.0',
  id: 0,
  method: 'initialize',
  params: {
    protocolVersion: '2025-11-25',
    capabilities: {},
    clientInfo: { name: 'raw', version: '1' },
  },
};
const LIST = { jsonrpc: '2.0', id: 1, method: 'tools/list' };

interface Reply {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly json: JsonObject;
}

class Server {
  readonly url: string;
  constructor(url: string) {
    this.url = url;
  }

  async send(body: unknown, headers: Record<string, string> = {}, method = 'POST'): Promise<Reply> {
    const response = await fetch(this.url, {
      method,
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        ...headers,
      },
      ...(body === undefined
        ? {}
        : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    const json = text.startsWith('{') ? (JSON.parse(text) as JsonObject) : {};
    return { status: response.status, headers: response.headers, text, json };
  }

  /** A modern request. */
  modern(
    method: string,
    params: JsonObject = {},
    headers: Record<string, string> = {},
  ): Promise<Reply> {
    const name = typeof params['name'] === 'string' ? { 'mcp-name': params['name'] } : {};
    return this.send(
      { jsonrpc: '2.0', id: 7, method, params: { _meta: ENVELOPE, ...params } },
      { 'mcp-protocol-version': VERSION, 'mcp-method': method, ...name, ...headers },
    );
  }

  /** The headers of a new legacy session. */
  async session(): Promise<{ 'mcp-session-id': string; 'mcp-protocol-version': string }> {
    const { headers } = await this.send(INITIALIZE);
    const id = headers.get('mcp-session-id');
    assert.ok(id !== null);
    return { 'mcp-session-id': id, 'mcp-protocol-version': '2025-11-25' };
  }
}

async function serve(t: TestContext, options: HttpOptions = {}): Promise<Server> {
  const server = await serveHttp(await mcpRuntime(t), { port: 0, ...options });
  t.after(() => server.close());
  return new Server(server.url);
}

function errorOf({ json }: Reply): { code: number; message: string; data?: JsonObject } {
  return json['error'] as unknown as { code: number; message: string; data?: JsonObject };
}

/** A request with headers that fetch would not let pass. */
async function raw(url: string, headers: Record<string, string>): Promise<number | undefined> {
  const outgoing = request(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
  });
  outgoing.end(JSON.stringify(LIST));
  const [response] = (await once(outgoing, 'response')) as [IncomingMessage];
  response.resume();
  return response.statusCode;
}

test('refuses callers by another name and pages of other origins', async (t) => {
  const { url } = await serve(t);
  assert.equal(await raw(url, { host: 'evil.example' }), 403);
  assert.equal(await raw(url, { origin: 'https://evil.example' }), 403);
  assert.equal(await raw(url, { origin: 'null' }), 403);
  assert.notEqual(await raw(url, { origin: 'http://localhost:5173' }), 403);
});

test('lets the names pass that it was told', async (t) => {
  const { url } = await serve(t, {
    allowedHosts: ['tools.example'],
    allowedOrigins: ['app.example'],
  });
  assert.notEqual(await raw(url, { host: 'tools.example', origin: 'https://app.example' }), 403);
  assert.equal(await raw(url, {}), 403);
});

test('takes bodies up to 4 MiB and refuses larger ones, announced or not', async (t) => {
  const server = await serve(t);
  const text = 'x'.repeat(4 * 1024 * 1024 - 2_000);
  const fits = await server.modern('tools/call', { name: 'text.echo', arguments: { text } });
  assert.equal(fits.status, 200);
  const large = await server.modern('tools/call', {
    name: 'text.echo',
    arguments: { text: `${text}${'x'.repeat(4_000)}` },
  });
  assert.equal(large.status, 413);
  assert.match(errorOf(large).message, /4194304 bytes/);
  const chunked = request(server.url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
  });
  for (let i = 0; i < 5; i++) chunked.write(Buffer.alloc(1024 * 1024, 'x'));
  chunked.end();
  const [response] = (await once(chunked, 'response')) as [IncomingMessage];
  response.resume();
  assert.equal(response.statusCode, 413);
});

test('explains what is no JSON, no JSON-RPC and no JSON media type', async (t) => {
  const server = await serve(t);
  const malformed = await server.send('{"jsonrpc":');
  assert.deepEqual([malformed.status, errorOf(malformed).code], [400, -32_700]);
  const other = await server.send({ hello: 'world' });
  assert.deepEqual([other.status, errorOf(other).code], [400, -32_600]);
  assert.equal((await server.send(LIST, { 'content-type': 'text/plain' })).status, 415);
  assert.equal(
    (await server.send(LIST, { 'content-type': 'application/json; charset=utf-8' })).status,
    400,
  );
});

test('answers only at its own path and with its own methods', async (t) => {
  const server = await serve(t);
  assert.equal((await new Server(server.url.replace('/mcp', '/')).send(LIST)).status, 404);
  const put = await server.send(LIST, {}, 'PUT');
  assert.deepEqual([put.status, put.headers.get('allow')], [405, 'GET, POST, DELETE']);
});

test('serves a legacy client from initialize to DELETE', async (t) => {
  const server = await serve(t);
  const session = await server.session();
  assert.equal(
    (await server.send({ jsonrpc: '2.0', method: 'notifications/initialized' }, session)).status,
    202,
  );
  assert.deepEqual((await server.send({ jsonrpc: '2.0', id: 'p', method: 'ping' }, session)).json, {
    jsonrpc: '2.0',
    id: 'p',
    result: {},
  });
  const list = await server.send(LIST, session);
  assert.deepEqual([list.status, list.headers.get('content-type')], [200, 'application/json']);
  assert.deepEqual(Object.keys(list.json['result'] as JsonObject), ['tools']);
  assert.equal((await server.send(undefined, session, 'DELETE')).status, 200);
  const gone = await server.send(LIST, session);
  assert.deepEqual([gone.status, errorOf(gone).code], [404, -32_001]);
});

test('asks a legacy client for its session, both media types and a version it knows', async (t) => {
  const server = await serve(t);
  const session = await server.session();
  const without = await server.send(LIST);
  assert.equal(without.status, 400);
  assert.match(errorOf(without).message, /Send initialize first/);
  assert.equal((await server.send(LIST, { ...session, 'mcp-session-id': 'unknown' })).status, 404);
  assert.equal((await server.send(LIST, { ...session, accept: 'application/json' })).status, 406);
  assert.equal(
    (await server.send(LIST, { ...session, 'mcp-protocol-version': '1999-01-01' })).status,
    400,
  );
});

test('agrees on the version a legacy client asks for, else on the newest', async (t) => {
  const server = await serve(t);
  for (const [asked, agreed] of [
    ['2024-11-05', '2024-11-05'],
    ['2025-06-18', '2025-06-18'],
    ['1.0', '2025-11-25'],
    [VERSION, '2025-11-25'],
  ]) {
    const params = { ...INITIALIZE.params, protocolVersion: asked };
    const { json } = await server.send({ ...INITIALIZE, params });
    assert.equal((json['result'] as JsonObject)['protocolVersion'], agreed);
  }
});

test('serves batches of legacy clients, each message once', async (t) => {
  const server = await serve(t);
  const session = await server.session();
  const call = {
    jsonrpc: '2.0',
    id: 2,
    method: 'tools/call',
    params: { name: 'math.add', arguments: { a: 1, b: 2 } },
  };
  const { status, text } = await server.send([LIST, call], session);
  assert.equal(status, 200);
  assert.match(text, /"id":1/);
  assert.match(text, /"structuredContent":{"sum":3}/);
  assert.equal((await server.send([LIST, call])).status, 400);
  assert.equal((await server.send([], session)).status, 400);
});

test('answers both of two legacy calls with one id, and cancels by id', async (t) => {
  const server = await serve(t);
  const session = await server.session();
  const call = (a: number): JsonObject => ({
    jsonrpc: '2.0',
    id: 9,
    method: 'tools/call',
    params: { name: 'math.add', arguments: { a, b: 0 } },
  });
  const [one, two] = await Promise.all([
    server.send(call(1), session),
    server.send(call(2), session),
  ]);
  assert.match(one.text, /"sum":1/);
  assert.match(two.text, /"sum":2/);

  const started = once(jobs, 'started');
  const aborted = once(jobs, 'aborted');
  const waiting = server.send(
    {
      jsonrpc: '2.0',
      id: 9,
      method: 'tools/call',
      params: { name: 'job.wait', arguments: { id: 'http' } },
    },
    session,
  );
  await started;
  const cancel = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 9 } };
  const other = await server.session();
  assert.equal((await server.send(cancel, other)).status, 202);
  assert.equal((await server.send(cancel, session)).status, 202);
  assert.deepEqual(await aborted, ['http']);
  assert.deepEqual(
    { status: (await waiting).status, text: (await waiting).text },
    { status: 202, text: '' },
  );
});

test('a legacy call outlives its connection, a modern one does not', async (t) => {
  const server = await serve(t);
  const session = await server.session();
  const seen: string[] = [];
  const note = (id: string): unknown => seen.push(id);
  jobs.on('aborted', note);
  t.after(() => jobs.off('aborted', note));
  const params = (id: string): JsonObject => ({ name: 'job.wait', arguments: { id } });
  const leave = async (body: JsonObject, headers: Record<string, string>): Promise<void> => {
    const started = once(jobs, 'started');
    const controller = new AbortController();
    const gone = fetch(server.url, {
      method: 'POST',
      signal: controller.signal,
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        ...headers,
      },
      body: JSON.stringify(body),
    });
    await started;
    controller.abort();
    await assert.rejects(gone);
  };
  await leave({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: params('old') }, session);
  const aborted = once(jobs, 'aborted');
  await leave(
    { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { ...params('new'), _meta: ENVELOPE } },
    { 'mcp-protocol-version': VERSION, 'mcp-method': 'tools/call', 'mcp-name': 'job.wait' },
  );
  assert.deepEqual(await aborted, ['new']);
  assert.deepEqual(seen, ['new']);
  const last = once(jobs, 'aborted');
  await server.send(
    { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } },
    session,
  );
  assert.deepEqual(await last, ['old']);
});

test('streams progress as server-sent events, then the result', async (t) => {
  const server = await serve(t);
  const session = await server.session();
  const params = { name: 'job.steps', _meta: { progressToken: 'p' } };
  const streamed = await server.send(
    { jsonrpc: '2.0', id: 4, method: 'tools/call', params },
    session,
  );
  assert.equal(streamed.headers.get('content-type'), 'text/event-stream');
  const events = streamed.text.split('\n\n').filter((event) => event !== '');
  const messages = events.map((event) => {
    assert.match(event, /^event: message\ndata: {/);
    return JSON.parse(event.slice(event.indexOf('{'))) as JsonObject;
  });
  assert.deepEqual(
    messages.map(({ method, id }) => method ?? id),
    ['notifications/progress', 'notifications/progress', 'notifications/progress', 4],
  );
  const plain = await server.send(
    { jsonrpc: '2.0', id: 5, method: 'tools/call', params: { name: 'job.steps' } },
    session,
  );
  assert.equal(plain.headers.get('content-type'), 'application/json');
});

test('checks the headers of a modern request against its body', async (t) => {
  const server = await serve(t);
  const call = { name: 'math.add', arguments: { a: 1, b: 2 } };
  assert.equal((await server.modern('tools/call', call)).status, 200);
  for (const wrong of [
    { 'mcp-method': 'tools/list' },
    { 'mcp-name': 'math.sub' },
    { 'mcp-protocol-version': '2025-11-25' },
  ]) {
    const refused = await server.modern('tools/call', call, wrong);
    assert.deepEqual(
      [refused.status, errorOf(refused).code],
      [400, -32_020],
      JSON.stringify(wrong),
    );
  }
  const bare = await server.send({ ...LIST, params: { _meta: ENVELOPE } });
  assert.deepEqual([bare.status, errorOf(bare).code], [400, -32_020]);
});

test('names the versions it has to a modern client that wants another', async (t) => {
  const server = await serve(t);
  const meta = { ...ENVELOPE, 'io.modelcontextprotocol/protocolVersion': '2099-01-01' };
  const refused = await server.modern(
    'tools/list',
    { _meta: meta },
    { 'mcp-protocol-version': '2099-01-01' },
  );
  assert.deepEqual([refused.status, errorOf(refused).code], [400, -32_022]);
  assert.deepEqual(errorOf(refused).data?.['supported'], [VERSION]);
});

test('tells one modern client from another by token, else by connection', async (t) => {
  const server = await serve(t);
  const order = (headers: Record<string, string>): Promise<Reply> =>
    server.modern('tools/call', { name: 'shop.order' }, headers);
  const ann = { authorization: 'Bearer ann' };
  for (let i = 0; i < 3; i++) assert.doesNotMatch((await order(ann)).text, /isError/);
  // Three writes in a row are all a turn may have.
  assert.match((await order(ann)).text, /"isError":true/);
  assert.doesNotMatch((await order({ authorization: 'Bearer bob' })).text, /isError/);
});

test('gives one session to a client whose first requests come all at once', async (t) => {
  const server = await serve(t);
  const headers = { authorization: 'Bearer dan' };
  const orders = Array.from({ length: 5 }, () =>
    server.modern('tools/call', { name: 'shop.order' }, headers),
  );
  const refused = (await Promise.all(orders)).filter(({ text }) => text.includes('isError'));
  assert.equal(refused.length, 2);
});

test('goes on when a client leaves in the middle of its request', async (t) => {
  const server = await serve(t);
  const { hostname, port } = new URL(server.url);
  const socket = connect(Number(port), hostname);
  socket.write(
    'POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{"js',
  );
  await once(socket, 'connect');
  socket.destroy();
  await once(socket, 'close');
  assert.equal((await server.modern('tools/list')).status, 200);
});

test('begins a new turn when the client names one', async (t) => {
  const server = await serve(t);
  const order = async (turn: string): Promise<boolean> => {
    const _meta = { ...ENVELOPE, 'skillwright/turn': turn };
    const { text } = await server.modern(
      'tools/call',
      { name: 'shop.order', _meta },
      { authorization: 'Bearer cat' },
    );
    return text.includes('"isError":true');
  };
  assert.deepEqual(
    [await order('1'), await order('1'), await order('1'), await order('1')],
    [false, false, false, true],
  );
  assert.equal(await order('2'), false);
});

test('begins a new turn after a pause', async (t) => {
  const server = await serve(t, { turnPauseMs: 0 });
  const session = await server.session();
  for (let id = 1; id < 6; id++) {
    const { text } = await server.send(
      { jsonrpc: '2.0', id, method: 'tools/call', params: { name: 'shop.order' } },
      session,
    );
    assert.doesNotMatch(text, /isError/);
  }
});

test('carries a trace on from the client', async (t) => {
  const server = await serve(t);
  const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
  const _meta = { ...ENVELOPE, traceparent: `00-${traceId}-00f067aa0ba902b7-01` };
  const { json } = await server.modern('tools/call', {
    name: 'math.add',
    arguments: { a: 1, b: 1 },
    _meta,
  });
  assert.equal(
    ((json['result'] as JsonObject)['_meta'] as JsonObject)['skillwright/trace'],
    traceId,
  );
});

test('takes a free port only when asked, and says so otherwise', async (t) => {
  const taken = createServer().listen(0, '127.0.0.1');
  await once(taken, 'listening');
  t.after(() => taken.close());
  const { port } = taken.address() as { port: number };
  const runtime = await mcpRuntime(t);
  await assert.rejects(serveHttp(runtime, { port }), /is in use\. Choose another port, or 0/);
  const server = await serveHttp(runtime, { port, fallback: true });
  t.after(() => server.close());
  assert.notEqual(new URL(server.url).port, String(port));
});

test('lets running calls end before it closes', async (t) => {
  const http = await serveHttp(await mcpRuntime(t), { port: 0 });
  const server = new Server(http.url);
  const session = await server.session();
  const stream = await fetch(http.url, { headers: { accept: 'text/event-stream', ...session } });
  const second = await fetch(http.url, { headers: { accept: 'text/event-stream', ...session } });
  assert.deepEqual([stream.status, second.status], [200, 409]);
  const started = once(jobs, 'started');
  const params = { name: 'job.wait', arguments: { id: 'last' } };
  const waiting = server.send({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }, session);
  await started;
  const closed = http.close();
  assert.equal(await stream.text(), '');
  jobs.emit('finish');
  await closed;
  assert.match((await waiting).text, /finished/);
  await assert.rejects(server.send(LIST, session));
});
