import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { PassThrough } from 'node:stream';
import { test, type TestContext } from 'node:test';
import {
  createMcpHandler,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server';
import {
  serveStdio as serveSdkStdio,
  StdioServerTransport,
} from '@modelcontextprotocol/server/stdio';
import type { JsonObject, Runtime } from '../../src/index.ts';
import { serveHttp } from '../../src/server/mcp/http.ts';
import { SdkServers } from '../../src/server/mcp/sdk-servers.ts';
import { Service } from '../../src/server/mcp/service.ts';
import { serveStdio } from '../../src/server/mcp/stdio.ts';
import { mcpRuntime } from '../support/mcp-library.ts';

// The short way must answer as the SDK alone does: same status, same members, same error codes.

const VERSION = '2026-07-28';
const ENVELOPE: JsonObject = {
  'io.modelcontextprotocol/protocolVersion': VERSION,
  'io.modelcontextprotocol/clientCapabilities': { roots: {} },
  'io.modelcontextprotocol/clientInfo': { name: 'raw', version: '1' },
};
const INITIALIZE: JsonObject = {
  protocolVersion: '2025-06-18',
  capabilities: { roots: {} },
  clientInfo: { name: 'raw', version: '1' },
};

/** Method and parameters of requests that are right and wrong in all kinds of ways. */
const REQUESTS: readonly (readonly [method: string, params?: JsonObject])[] = [
  ['ping'],
  ['tools/list'],
  ['tools/list', {}],
  ['tools/list', { cursor: 'x' }],
  ['tools/list', { cursor: 5 }],
  ['tools/call', { name: 'math.add', arguments: { a: 1, b: 2 } }],
  ['tools/call', { name: 'math.add', arguments: { a: 'x' } }],
  ['tools/call', { name: 'text.echo', arguments: { text: 'x', more: 1 } }],
  ['tools/call', { name: 'fail.coded' }],
  ['tools/call', { name: 'no.such' }],
  ['tools/call', { name: 'math.add', arguments: [1] }],
  ['tools/call', { name: 'math.add', arguments: null }],
  ['tools/call', { arguments: {} }],
  ['tools/call', {}],
  ['tools/call'],
  ['tools/call', { name: 'job.steps', task: { ttl: 1 } }],
  ['prompts/list'],
  ['resources/list'],
  ['logging/setLevel', { level: 'info' }],
  ['server/discover'],
  ['completion/complete', {}],
  ['no/such'],
];

interface Answer {
  readonly status: number;
  readonly body: unknown;
}

type Send = (body: unknown, headers: Record<string, string>, method?: string) => Promise<Response>;

function sdk(runtime: Runtime): { servers: SdkServers; service: Service } {
  const service = new Service(runtime, {});
  return { servers: new SdkServers(service), service };
}

async function legacySdk(runtime: Runtime): Promise<Send> {
  const { servers, service } = sdk(runtime);
  const sessions = new Map<string, WebStandardStreamableHTTPServerTransport>();
  return async (body, headers, method = 'POST') => {
    let transport = sessions.get(headers['mcp-session-id'] ?? '') ?? [...sessions.values()][0];
    if (transport === undefined || (body as JsonObject)['method'] === 'initialize') {
      transport = new WebStandardStreamableHTTPServerTransport({
        sessionIdGenerator: randomUUID,
        enableJsonResponse: true,
        onsessioninitialized: (id) =>
          void sessions.set(id, transport as WebStandardStreamableHTTPServerTransport),
      });
      await (await servers.create(await service.openPeer(), 'legacy')).connect(transport);
    }
    return transport.handleRequest(toRequest(body, headers, method));
  };
}

function modernSdk(runtime: Runtime): Send {
  const { servers, service } = sdk(runtime);
  const handler = createMcpHandler(async () => servers.create(await service.openPeer(), 'modern'));
  return (body, headers, method = 'POST') => handler.fetch(toRequest(body, headers, method));
}

async function ours(t: TestContext, runtime: Runtime): Promise<Send> {
  const server = await serveHttp(runtime, { port: 0 });
  t.after(() => server.close());
  return (body, headers, method = 'POST') =>
    fetch(new Request(server.url, toRequest(body, headers, method)));
}

function toRequest(body: unknown, headers: Record<string, string>, method: string): Request {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return new Request('http://localhost/mcp', {
    method,
    headers,
    ...(method === 'POST' ? { body: text } : {}),
  });
}

async function read(response: Response): Promise<Answer> {
  const text = await response.text();
  const json = text.startsWith('event:')
    ? text.slice(text.indexOf('{'), text.lastIndexOf('}') + 1)
    : text;
  return { status: response.status, body: json === '' ? '' : normal(JSON.parse(json)) };
}

/** Without what differs from call to call, and without the wording of protocol errors. */
function normal(message: JsonObject): unknown {
  const text = JSON.stringify(message, (key, value: unknown) => {
    if (key === 'skillwright/trace') return 'trace';
    return key === 'message' && 'error' in message ? undefined : value;
  });
  return JSON.parse(text);
}

const ACCEPT = {
  accept: 'application/json, text/event-stream',
  'content-type': 'application/json',
};

test('legacy HTTP', async (t) => {
  const runtime = await mcpRuntime(t);
  for (const [label, body, headers, method] of legacyCases()) {
    const answers: Answer[] = [];
    for (const send of [await ours(t, runtime), await legacySdk(runtime)]) {
      const opening = await send(
        { jsonrpc: '2.0', id: 0, method: 'initialize', params: INITIALIZE },
        ACCEPT,
      );
      const session = { ...ACCEPT, 'mcp-session-id': opening.headers.get('mcp-session-id') ?? '' };
      answers.push(await read(opening), await read(await send(body, headers(session), method)));
    }
    assert.deepEqual(answers.slice(0, 2), answers.slice(2), label);
  }
});

function* legacyCases(): Iterable<
  [string, unknown, (session: Record<string, string>) => Record<string, string>, string?]
> {
  const same = (session: Record<string, string>): Record<string, string> => session;
  for (const [method, params] of REQUESTS) {
    const body = { jsonrpc: '2.0', id: 1, method, ...(params === undefined ? {} : { params }) };
    yield [JSON.stringify(body), body, same];
  }
  const list = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
  yield ['initialized', { jsonrpc: '2.0', method: 'notifications/initialized' }, same];
  yield ['a response', { jsonrpc: '2.0', id: 1, result: {} }, same];
  yield ['no session', list, () => ACCEPT];
  yield ['another session', list, (session) => ({ ...session, 'mcp-session-id': 'x' })];
  yield [
    'an old version',
    list,
    (session) => ({ ...session, 'mcp-protocol-version': '1999-01-01' }),
  ];
  yield ['one media type', list, (session) => ({ ...session, accept: 'application/json' })];
  yield ['text', list, (session) => ({ ...session, 'content-type': 'text/plain' })];
  yield ['no JSON', '{', same];
  yield ['PUT', list, same, 'PUT'];
  yield ['GET for JSON', list, (session) => ({ ...session, accept: 'application/json' }), 'GET'];
  yield ['DELETE', list, same, 'DELETE'];
}

test('modern HTTP', async (t) => {
  const runtime = await mcpRuntime(t);
  const [send, reference] = [await ours(t, runtime), modernSdk(runtime)];
  for (const [label, body, headers] of modernCases()) {
    assert.deepEqual(
      await read(await send(body, headers)),
      await read(await reference(body, headers)),
      label,
    );
  }
});

function* modernCases(): Iterable<[string, unknown, Record<string, string>]> {
  for (const [method, params = {}] of REQUESTS) {
    const body = { jsonrpc: '2.0', id: 1, method, params: { ...params, _meta: ENVELOPE } };
    const name = typeof params['name'] === 'string' ? { 'mcp-name': params['name'] } : {};
    yield [
      JSON.stringify(body),
      body,
      { ...ACCEPT, 'mcp-protocol-version': VERSION, 'mcp-method': method, ...name },
    ];
  }
  const headers = { ...ACCEPT, 'mcp-protocol-version': VERSION, 'mcp-method': 'tools/list' };
  const list = (meta: JsonObject): JsonObject => ({
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/list',
    params: { _meta: meta },
  });
  yield ['no header', list(ENVELOPE), ACCEPT];
  yield ['another method', list(ENVELOPE), { ...headers, 'mcp-method': 'tools/call' }];
  yield [
    'another version in the header',
    list(ENVELOPE),
    { ...headers, 'mcp-protocol-version': '2025-11-25' },
  ];
  yield ['no envelope', list({}), headers];
  for (const key of Object.keys(ENVELOPE)) {
    const { [key]: _, ...rest } = ENVELOPE;
    yield [`without ${key}`, list(rest), headers];
    yield [`${key} as a number`, list({ ...ENVELOPE, [key]: 7 }), headers];
  }
  yield [
    'a later version',
    list({ ...ENVELOPE, 'io.modelcontextprotocol/protocolVersion': '2099-01-01' }),
    { ...headers, 'mcp-protocol-version': '2099-01-01' },
  ];
  yield ['a log level', list({ ...ENVELOPE, 'io.modelcontextprotocol/logLevel': 'info' }), headers];
  yield ['a batch', [list(ENVELOPE)], headers];
  yield [
    'a notification',
    { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } },
    { ...headers, 'mcp-method': 'notifications/cancelled' },
  ];
}

for (const era of ['legacy', 'modern'] as const) {
  test(`${era} stdio`, async (t) => {
    const runtime = await mcpRuntime(t);
    const meta = era === 'modern' ? { _meta: ENVELOPE } : {};
    const opening = era === 'modern' ? ['server/discover', {}] : ['initialize', INITIALIZE];
    const lines = [
      opening as [string, JsonObject],
      ...REQUESTS,
      ['initialize', INITIALIZE] as const,
    ].map(([method, params], id) =>
      JSON.stringify({ jsonrpc: '2.0', id, method, params: { ...params, ...meta } }),
    );
    const reference = (input: PassThrough, output: PassThrough): void => {
      const { servers, service } = sdk(runtime);
      const transport = new StdioServerTransport(input, output);
      const connection = serveSdkStdio(async () => servers.create(await service.openPeer(), era), {
        transport,
      });
      t.after(() => connection.close());
    };
    const mine = (input: PassThrough, output: PassThrough): void => {
      // Closing the runtime would take it from the other.
      const kept = Object.create(runtime, { close: { value: async () => {} } }) as Runtime;
      const served = serveStdio(kept, { input, output });
      t.after(async () => {
        input.end();
        await served;
      });
    };
    const [actual, expected] = [await converse(mine, lines), await converse(reference, lines)];
    for (const [id, line] of lines.entries())
      assert.deepEqual(actual.get(id), expected.get(id), line);
  });
}

/** Sends every line, one after the other's answer, and returns the answers by id. */
async function converse(
  serve: (input: PassThrough, output: PassThrough) => void,
  lines: readonly string[],
): Promise<Map<unknown, unknown>> {
  const [input, output] = [new PassThrough(), new PassThrough()];
  const answers = new Map<unknown, unknown>();
  serve(input, output);
  const replies = output
    .setEncoding('utf8')
    .iterator({ destroyOnReturn: false }) as AsyncIterator<string>;
  for (const line of lines) {
    input.write(`${line}\n`);
    const { value } = await replies.next();
    const message = JSON.parse(value as string) as JsonObject;
    answers.set(message['id'], normal(message));
  }
  return answers;
}
