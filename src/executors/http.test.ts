import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { test, type TestContext } from 'node:test';
import { contextOf, failure, skillOf } from '../../test/support/executor-fixture.ts';
import type { JsonObject } from '../base/json.ts';
import type { Contract } from '../contract/contract.ts';
import type { ExecutionContext } from '../contract/execution-context.ts';
import { RawOutput } from './executor.ts';
import { createHttpExecutor } from './http.ts';
import type { HttpSpec } from './http-request.ts';

const LOOPBACK = ['127.0.0.1'];

/** A server of the test's own; ends with it. */
async function serve(
  t: TestContext,
  listener: RequestListener,
): Promise<{ server: Server; origin: string; port: number }> {
  const server = createServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { server, port, origin: `http://127.0.0.1:${port}` };
}

/** A server that answers with what it was sent. */
function echo(t: TestContext) {
  return serve(t, async (request, response) => {
    const { method, url, headers } = request;
    response.end(JSON.stringify({ method, url, headers, body: await text(request) }));
  });
}

type Call = (params?: JsonObject, context?: Partial<ExecutionContext>) => Promise<unknown>;

async function prepare(
  t: TestContext,
  spec: Partial<HttpSpec>,
  { allowPrivate = LOOPBACK, ...contract }: Partial<Contract> & { allowPrivate?: string[] } = {},
): Promise<Call> {
  const executor = createHttpExecutor({ allowPrivate });
  t.after(() => executor.close?.());
  const whole: HttpSpec = { kind: 'http', method: 'GET', url: '', ...spec };
  const { run } = await executor.prepare(skillOf(whole, undefined, contract));
  return async (params = {}, context = {}) => run(params, contextOf(context));
}

interface Echo {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

function parsed(output: unknown): Echo {
  assert.ok(output instanceof RawOutput);
  return JSON.parse(output.text) as Echo;
}

test('puts parameters where the contract says, encoded for their place', async (t) => {
  const { origin } = await echo(t);
  const call = await prepare(t, {
    url: '{settings.base}/v1/{inputs.user.name}/{inputs.tags.0}?q={inputs.q}&fixed=a%20b&none={inputs.none}',
    query: {
      'with space': 'a&{inputs.n}',
      tag: '{inputs.tags}',
      filter: '{inputs.user}',
      gone: '{inputs.gone}',
    },
  });
  const params = {
    user: { name: 'a/b?c#d%' },
    tags: ['x y', '尺\ud800'],
    q: '1&2=3',
    n: 5,
    none: null,
  };
  const { url, method } = parsed(await call(params, { settings: { base: `${origin}/api/` } }));
  assert.equal(method, 'GET');
  assert.equal(
    url,
    '/api/v1/a%2Fb%3Fc%23d%25/x%20y?q=1%262%3D3&fixed=a%20b&with%20space=a%265&tag=x%20y&tag=%E5%B0%BA%EF%BF%BD&filter=%7B%22name%22%3A%22a%2Fb%3Fc%23d%25%22%7D',
  );
});

test('a parameter of the path must be there, and name nothing above it', async (t) => {
  const call = await prepare(t, { url: 'http://127.0.0.1:1/users/{inputs.id}/orders' });
  const missing = await failure(call());
  assert.equal(missing.code, 'INVALID_PARAMS');
  assert.match(missing.message, /parameter id is needed/);
  for (const id of ['', '.', '..'])
    assert.equal((await failure(call({ id }))).code, 'INVALID_PARAMS');
  const inherited = await prepare(t, { url: 'http://127.0.0.1:1/{inputs.__proto__}' });
  assert.match((await failure(inherited())).message, /__proto__ is needed/);
});

test('a setting that is not set is told to the operator', async (t) => {
  const call = await prepare(t, { url: '{settings.base}/x' });
  const error = await failure(call());
  assert.equal(error.code, 'INTERNAL_ERROR');
  assert.match(error.message, /settings\.base is not set/);
});

test('sends secrets, keys and ids in headers, and leaves out what is absent', async (t) => {
  const { origin } = await echo(t);
  const call = await prepare(
    t,
    {
      url: `${origin}/`,
      headers: {
        Authorization: 'Bearer {secrets.token}',
        'Idempotency-Key': '{idempotency_key}',
        'X-Trace': '{trace_id}',
        'If-Match': '{inputs.etag}',
      },
    },
    { secrets: [{ name: 'token', env: 'TOKEN' }] },
  );
  const { headers } = parsed(await call({}, { secrets: { token: 's3cret' } }));
  assert.equal(headers['authorization'], 'Bearer s3cret');
  assert.equal(headers['idempotency-key'], 'key-1');
  assert.equal(headers['x-trace'], contextOf().traceId);
  assert.equal(headers['if-match'], undefined);
  assert.equal(headers['accept'], 'application/json');
  const smuggled = await failure(
    call({ etag: 'a\r\nX-Evil: 1' }, { secrets: { token: 's3cret' } }),
  );
  assert.equal(smuggled.code, 'INVALID_PARAMS');
  assert.match(smuggled.message, /header if-match/);
  const cut = await failure(call({}, { secrets: { token: 's3cret\n' } }));
  assert.equal(cut.code, 'INTERNAL_ERROR');
  assert.doesNotMatch(cut.message, /s3cret/);
});

test('sends the parameters as JSON when the method has a body and none is given', async (t) => {
  const { origin } = await echo(t);
  for (const method of ['POST', 'PUT', 'PATCH']) {
    const call = await prepare(t, { url: `${origin}/`, method });
    const sent = parsed(await call({ title: 'Größe 尺寸' }));
    assert.equal(sent.method, method);
    assert.deepEqual(JSON.parse(sent.body), { title: 'Größe 尺寸' });
    assert.equal(sent.headers['content-type'], 'application/json');
    assert.equal(sent.headers['content-length'], String(Buffer.byteLength(sent.body)));
  }
  const remove = await prepare(t, { url: `${origin}/{inputs.id}`, method: 'delete' });
  const sent = parsed(await remove({ id: 7 }));
  assert.deepEqual([sent.method, sent.url, sent.body], ['DELETE', '/7', '']);
});

test('fills the body of the contract', async (t) => {
  const { origin } = await echo(t);
  const body = { fields: { summary: '$inputs.title', kind: 'task' }, count: '$inputs.n' };
  const call = await prepare(t, { url: `${origin}/`, method: 'POST', body });
  const sent = parsed(await call({ title: 'Tea', n: 3, other: 1 }));
  assert.deepEqual(JSON.parse(sent.body), { fields: { summary: 'Tea', kind: 'task' }, count: 3 });
});

const FAULTS: Readonly<Record<string, readonly [Partial<HttpSpec>, RegExp]>> = {
  'a parameter in the host': [
    { url: 'http://{inputs.host}/x' },
    /\{inputs\.host\} cannot stand in this part/,
  ],
  'a parameter as the whole URL': [{ url: '{inputs.url}' }, /must be http:/],
  'a parameter that could end the host': [{ url: '{settings.base}{inputs.x}' }, /must be http:/],
  'a secret in the path': [
    { url: 'http://a.test/{secrets.token}' },
    /\{secrets\.token\} cannot stand/,
  ],
  'an unknown placeholder': [{ url: 'http://a.test/{id}' }, /Use one of: \{inputs\.name\}/],
  'another protocol': [{ url: 'file:///etc/passwd' }, /must be http:/],
  'an unknown method': [{ url: 'http://a.test/', method: 'CONNECT' }, /method is CONNECT/],
  'no header name': [{ url: 'http://a.test/', headers: { 'a b': 'c' } }, /no header name/],
  'a secret that is not declared': [
    { url: 'http://a.test/', headers: { a: '{secrets.other}' } },
    /\{secrets\.other\}, which the contract does not declare/,
  ],
};
for (const [what, [spec, message]] of Object.entries(FAULTS)) {
  test(`refuses to prepare: ${what}`, async (t) => {
    const error = await failure(prepare(t, spec));
    assert.equal(error.code, 'INTERNAL_ERROR');
    assert.match(error.message, message);
  });
}

test('refuses an address with a user, a password or another protocol', async (t) => {
  const call = await prepare(t, { url: '{settings.base}/x' });
  for (const base of [
    'http://user:hunter2@127.0.0.1',
    'http://:hunter2@127.0.0.1',
    'http://user@127.0.0.1',
    'ftp://127.0.0.1',
    'no url',
  ]) {
    const error = await failure(call({}, { settings: { base } }));
    assert.equal(error.code, 'INTERNAL_ERROR');
    assert.doesNotMatch(error.message, /hunter2/);
  }
});

test('gives the whole reply as text, or the value the pointer names', async (t) => {
  const reply = { data: { 'a/b': [{ id: 7 }], none: null } };
  const { origin } = await serve(t, (_request, response) => response.end(JSON.stringify(reply)));
  const at = async (result?: string) =>
    (await prepare(t, { url: `${origin}/`, ...(result === undefined ? {} : { result }) }))();
  assert.deepEqual(await at(), new RawOutput(JSON.stringify(reply)));
  assert.deepEqual(await at('/data/a~1b/0'), { id: 7 });
  assert.equal(await at('/data/none'), null);
  const error = await failure(at('/data/items'));
  assert.equal(error.code, 'PARSE_ERROR');
  assert.match(error.message, /nothing at \/data\/items/);
});

test('a reply that is not JSON is handed on as it is', async (t) => {
  const { origin } = await serve(t, (_request, response) => response.end('<html>'));
  const call = await prepare(t, { url: `${origin}/`, result: '/data' });
  assert.deepEqual(await call(), new RawOutput('<html>'));
});

test('a reply without content is null', async (t) => {
  const { origin } = await serve(t, (_request, response) => response.writeHead(204).end());
  assert.equal(await (await prepare(t, { url: `${origin}/`, result: '/data' }))(), null);
});

test('a refusal says what is wrong and keeps the body, and no secret, to the trace', async (t) => {
  const body = JSON.stringify({ message: 'No currency XYZ for key s3cret-canary' });
  const { origin } = await serve(t, (_request, response) => response.writeHead(422).end(body));
  const call = await prepare(
    t,
    { url: `${origin}/`, headers: { 'x-key': '{secrets.key}' } },
    { secrets: [{ name: 'key', env: 'KEY' }] },
  );
  const error = await failure(call({}, { secrets: { key: 's3cret-canary' } }));
  assert.equal(error.code, 'INVALID_PARAMS');
  assert.equal(error.retryable, false);
  assert.match(error.message, /"No currency XYZ for key \[redacted\]"/);
  assert.equal(error.cause, body);
});

test('a rate limit carries the seconds to wait', async (t) => {
  const { origin } = await serve(t, (_request, response) =>
    response.writeHead(429, { 'retry-after': '7' }).end(),
  );
  const error = await failure((await prepare(t, { url: `${origin}/` }))());
  assert.equal(error.code, 'RATE_LIMITED');
  assert.deepEqual(error.details, { status: 429, retry_after: 7 });
});

test('a redirect is refused unless the contract allows it', async (t) => {
  const { origin } = await serve(t, (_request, response) =>
    response.writeHead(302, { location: '/next' }).end(),
  );
  const error = await failure((await prepare(t, { url: `${origin}/` }))());
  assert.equal(error.code, 'EXECUTION_ERROR');
  assert.equal(error.retryable, false);
  assert.deepEqual(error.details, { status: 302, reason: 'redirect' });
});

test('follows redirects within the origin as browsers do', async (t) => {
  const { origin } = await serve(t, async (request, response) => {
    const status = Number(request.url?.slice(1));
    if (status > 0) response.writeHead(status, { location: '/' }).end();
    else response.end(JSON.stringify([request.method, await text(request)]));
  });
  const redirects = 'same-origin' as const;
  for (const [status, expected] of [
    [301, ['GET', '']],
    [302, ['GET', '']],
    [303, ['GET', '']],
    [307, ['POST', '{"a":1}']],
    [308, ['POST', '{"a":1}']],
  ] as const) {
    const call = await prepare(t, { url: `${origin}/${status}`, method: 'POST', redirects });
    assert.deepEqual(await call({ a: 1 }), new RawOutput(JSON.stringify(expected)));
  }
});

test('follows three redirects and no more', async (t) => {
  const { origin } = await serve(t, (request, response) => {
    const left = Number(request.url?.slice(1));
    if (left === 0) response.end('"there"');
    else response.writeHead(302, { location: `/${left - 1}` }).end();
  });
  const from = async (left: number) =>
    (await prepare(t, { url: `${origin}/${left}`, redirects: 'same-origin' }))();
  assert.deepEqual(await from(3), new RawOutput('"there"'));
  assert.deepEqual((await failure(from(4))).details, { reason: 'redirect' });
});

test('follows no redirect to another origin, whatever it would send there', async (t) => {
  let reached = 0;
  const other = await serve(t, (_request, response) => {
    reached++;
    response.end();
  });
  const { origin } = await serve(t, (_request, response) =>
    response.writeHead(307, { location: `${other.origin}/` }).end(),
  );
  const call = await prepare(
    t,
    { url: `${origin}/`, redirects: 'same-origin', headers: { 'x-key': '{secrets.key}' } },
    { secrets: [{ name: 'key', env: 'KEY' }] },
  );
  const error = await failure(call({}, { secrets: { key: 's3cret' } }));
  assert.deepEqual(error.details, { reason: 'redirect' });
  assert.equal(reached, 0);
});

test('a private address is refused unless its host is named, however it is written', async (t) => {
  let reached = 0;
  const { port } = await serve(t, (_request, response) => {
    reached++;
    response.end('1');
  });
  const hosts = ['127.0.0.1', 'localhost', '0x7f.1', '2130706433', '[::ffff:127.0.0.1]', '[::1]'];
  for (const host of hosts) {
    const call = await prepare(
      t,
      { url: `http://${host}:${port}/` },
      { allowPrivate: ['10.0.0.1'] },
    );
    const error = await failure(call());
    assert.deepEqual(error.details, { reason: 'private_address' }, host);
    assert.equal(error.retryable, false);
    assert.match(error.message, /http\.allow/);
  }
  assert.equal(reached, 0);
  for (const [host, allowed] of [
    ['127.0.0.1', '127.0.0.1'],
    ['127.0.0.1', `127.0.0.1:${port}`],
    ['localhost', 'localhost'],
    ['LOCALHOST', `Localhost:${port}`],
  ] as const) {
    const call = await prepare(t, { url: `http://${host}:${port}/` }, { allowPrivate: [allowed] });
    assert.deepEqual(await call(), new RawOutput('1'));
  }
  const otherPort = await prepare(
    t,
    { url: `http://127.0.0.1:${port}/` },
    { allowPrivate: ['127.0.0.1:1'] },
  );
  assert.deepEqual((await failure(otherPort())).details, { reason: 'private_address' });
});

test('a network failure says which', async (t) => {
  const { server, origin, port } = await serve(t, (request) => request.socket.destroy());
  const reason = async (url: string, allowPrivate = LOOPBACK) => {
    const error = await failure((await prepare(t, { url }, { allowPrivate }))());
    assert.equal(error.code, 'UPSTREAM_ERROR');
    assert.equal(error.retryable, true);
    return error.details?.['reason'];
  };
  assert.equal(await reason(`${origin}/`), 'reset');
  assert.equal(await reason(`https://127.0.0.1:${port}/`), 'tls');
  assert.equal(await reason('http://no-such-host.invalid/', ['no-such-host.invalid']), 'dns');
  assert.equal(await reason('http://no-such-host.invalid/'), 'dns');
  server.close();
  await once(server, 'close');
  assert.equal(await reason(`${origin}/`), 'connection_refused');
});

test('a reply that is cut off is a network failure', async (t) => {
  const { origin } = await serve(t, (_request, response) => {
    response.writeHead(200, { 'content-length': '100' });
    response.write('half', () => response.destroy());
  });
  const error = await failure((await prepare(t, { url: `${origin}/` }))());
  assert.deepEqual(error.details, { reason: 'reset' });
});

test('a server that switches to another protocol is a network failure', async (t) => {
  const { server, origin } = await serve(t, () => {});
  server.on('upgrade', () => {});
  server.on('connection', (socket) => {
    socket.on('error', () => {});
    const head = 'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n';
    socket.once('data', () => socket.write(head));
  });
  const error = await failure((await prepare(t, { url: `${origin}/` }))());
  assert.deepEqual(error.details, { reason: 'reset' });
});

test('a reply that is too large is cut off', async (t) => {
  const { origin } = await serve(t, (_request, response) => {
    response.on('error', () => {});
    response.end(Buffer.alloc(17 * 1024 * 1024, 'x'));
  });
  const error = await failure((await prepare(t, { url: `${origin}/` }))());
  assert.deepEqual(error.details, { reason: 'output_too_large' });
  assert.equal(error.retryable, false);
});

test('abort ends the request, before its reply or in the middle of it', async (t) => {
  for (const begins of [false, true]) {
    const { promise: arrived, resolve } = Promise.withResolvers<IncomingMessage>();
    const { origin } = await serve(t, (request, response) => {
      if (begins) response.write('[');
      resolve(request);
    });
    const call = await prepare(t, { url: `${origin}/` });
    const controller = new AbortController();
    const running = call({}, { signal: controller.signal });
    const { socket } = await arrived;
    socket.on('error', () => {});
    const closed = new Promise((resolve) => socket.on('close', resolve));
    const reason = new Error('stopped');
    controller.abort(reason);
    await assert.rejects(running, reason);
    await closed;
    await assert.rejects(call({}, { signal: controller.signal }), reason);
  }
});

test('calls one after another share a connection', async (t) => {
  const { server, origin } = await echo(t);
  let connections = 0;
  server.on('connection', () => connections++);
  const call = await prepare(t, { url: `${origin}/` });
  for (let index = 0; index < 5; index++) await call();
  assert.equal(connections, 1);
});

test('a whole number beyond 2^53 keeps its digits behind a pointer, and bytes that are no UTF-8 are seen', async (t) => {
  const { origin } = await serve(t, ({ url }, response) => {
    response.end(url === '/n' ? '{"data":{"n":12345678901234567890}}' : Uint8Array.of(34, 255, 34));
  });
  const number = await prepare(t, { url: `${origin}/n`, result: '/data' });
  assert.deepEqual(await number(), { n: '12345678901234567890' });
  const garbled = await prepare(t, { url: `${origin}/x`, result: '/data' });
  assert.equal(((await garbled()) as RawOutput).intact, false);
});

test('a read that meets a connection closed meanwhile goes out again, a write does not', async (t) => {
  const seen = new WeakSet();
  const { origin } = await serve(t, (request, response) => {
    if (seen.has(request.socket)) request.socket.destroy();
    else response.end('1');
    seen.add(request.socket);
  });
  const read = await prepare(t, { url: `${origin}/` });
  assert.deepEqual([await read(), await read()], [new RawOutput('1'), new RawOutput('1')]);
  const write = await prepare(t, { url: `${origin}/`, method: 'POST' });
  await write();
  assert.deepEqual((await failure(write())).details, { reason: 'reset' });
});

test('opens few connections at a time; what waits for one can be aborted', async (t) => {
  const held: (() => void)[] = [];
  const { promise: full, resolve } = Promise.withResolvers<void>();
  const { server, origin } = await serve(t, (_request, response) => {
    held.push(() => response.end('1'));
    if (held.length === 32) resolve();
  });
  let connections = 0;
  server.on('connection', () => connections++);
  const call = await prepare(t, { url: `${origin}/` });
  const first = Array.from({ length: 32 }, () => call());
  await full;
  const controller = new AbortController();
  const waiting = call({}, { signal: controller.signal });
  const last = call();
  controller.abort(new Error('stopped waiting'));
  await assert.rejects(waiting, /stopped waiting/);
  assert.equal(connections, 32);
  server.on('request', (_request, response) => void response.end('1'));
  for (const release of held) release();
  for (const output of await Promise.all([...first, last]))
    assert.deepEqual(output, new RawOutput('1'));
  assert.equal(connections, 32);
});

// An idle connection that is not ended would end by itself after some seconds.
test(
  'close ends every connection, busy or idle, and what waits for one',
  { timeout: 3000 },
  async (t) => {
    const { promise: full, resolve } = Promise.withResolvers<void>();
    const closed: Promise<unknown>[] = [];
    let slow = 0;
    const { server, origin } = await serve(t, (request, response) => {
      if (request.url === '/quick') response.end('1');
      else if (++slow === 32) resolve();
    });
    server.on('connection', (socket) => closed.push(new Promise((end) => socket.on('close', end))));
    const executor = createHttpExecutor({ allowPrivate: LOOPBACK });
    const url = '{settings.base}/{inputs.path}';
    const { run } = await executor.prepare(skillOf({ kind: 'http', method: 'GET', url }));
    const call = (path: string, base = origin) => run({ path }, contextOf({ settings: { base } }));
    await call('quick');
    const idle = await serve(t, (_request, response) => response.end('1'));
    idle.server.on('connection', (socket) => closed.push(once(socket, 'close')));
    await call('quick', idle.origin);
    const running = Array.from({ length: 34 }, () => failure(call('slow')));
    await full;
    await executor.close?.();
    const late = await failure(call('quick'));
    for (const error of [late, ...(await Promise.all(running))]) {
      assert.deepEqual(error.details, { reason: 'closed' });
    }
    assert.equal(closed.length, 33);
    await Promise.all(closed);
  },
);

test('leaves no listener on the signal of a call', async (t) => {
  const { origin } = await serve(t, (request, response) =>
    response.writeHead(request.url === '/bad' ? 400 : 200).end('1'),
  );
  const call = await prepare(t, { url: `${origin}/{inputs.path}` });
  const { signal } = new AbortController();
  const listening = new Set<unknown>();
  signal.addEventListener = (_type: string, listener: unknown) => void listening.add(listener);
  signal.removeEventListener = (_type: string, listener: unknown) =>
    void listening.delete(listener);
  const running = call({ path: 'good' }, { signal });
  assert.equal(listening.size, 1);
  await running;
  await failure(call({ path: 'bad' }, { signal }));
  assert.equal(listening.size, 0);
});
