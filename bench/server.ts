// One MCP server in its own process: node server.ts <kind> stdio|http <tools> <port>
import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { z } from 'zod';
import { add } from './contracts.ts';

type Handler = (request: IncomingMessage, response: ServerResponse) => unknown;

const [kind = '', transport = '', tools = '1', port = '0'] = process.argv.slice(2);
const names = Array.from({ length: Number(tools) }, (_, index) => `math.add-${index}`);
const description = 'Adds two numbers. Use when a sum is needed. Returns the sum.';
const shape = { a: z.number(), b: z.number() };
const info = { name: 'bench', version: '1.0.0' };
const answer = async (params: unknown) => ({
  content: [{ type: 'text' as const, text: JSON.stringify(await add.execute(params as never)) }],
});

function listen(handler: Handler): void {
  createServer((request, response) => void handler(request, response)).listen(
    Number(port),
    '127.0.0.1',
  );
}

async function ours(): Promise<void> {
  const { createRuntime, defineSkill, openSqliteStore } = await import('../src/index.ts');
  const skills = names.map((name) =>
    defineSkill({
      name,
      version: '1.0.0',
      description,
      purpose: 'To be measured.',
      side_effect: { kind: 'read' },
      parameters: add.schema,
      rules: { none: 'Measured.' },
      policy: { rate_limit: { calls_per_second: 1_000_000, algorithm: 'token_bucket' } },
      execute: add.execute,
    }),
  );
  const file = join(mkdtempSync(join(tmpdir(), 'skillwright-bench-')), 'store.db');
  const runtime = await createRuntime({ skills, store: openSqliteStore({ file }) });
  if (transport === 'stdio') {
    const { serveStdio } = await import('../src/server/mcp/stdio.ts');
    await serveStdio(runtime);
  } else {
    const { serveHttp } = await import('../src/server/mcp/http.ts');
    await serveHttp(runtime, { port: Number(port) });
  }
}

async function raw(): Promise<void> {
  const { compileValidator } = await import('../src/contract/schema/compile.ts');
  const validate = compileValidator(add.schema);
  const known = new Set(names);
  const handle = async (text: string): Promise<string | undefined> => {
    const { id, method, params } = JSON.parse(text);
    if (id === undefined) return undefined;
    if (method === 'initialize') {
      const { protocolVersion } = params;
      const result = { protocolVersion, capabilities: { tools: {} }, serverInfo: info };
      return JSON.stringify({ jsonrpc: '2.0', id, result });
    }
    if (method === 'tools/list') {
      const listed = names.map((name) => ({ name, description, inputSchema: add.schema }));
      return JSON.stringify({ jsonrpc: '2.0', id, result: { tools: listed } });
    }
    if (!known.has(params.name) || validate(params.arguments) !== undefined) {
      const error = { code: -32602, message: 'Invalid' };
      return JSON.stringify({ jsonrpc: '2.0', id, error });
    }
    return JSON.stringify({ jsonrpc: '2.0', id, result: await answer(params.arguments) });
  };
  if (transport === 'stdio') {
    createInterface({ input: process.stdin }).on('line', async (line) => {
      const reply = await handle(line);
      if (reply !== undefined) process.stdout.write(`${reply}\n`);
    });
  } else {
    listen((request, response) => {
      let body = '';
      request.setEncoding('utf8').on('data', (chunk: string) => (body += chunk));
      request.on('end', async () => {
        const reply = await handle(body);
        response.writeHead(reply === undefined ? 202 : 200, { 'Content-Type': 'application/json' });
        response.end(reply);
      });
    });
  }
}

/** Keeps one transport a session, as the SDK's own examples do. */
function stateful<T extends { handleRequest: Handler }>(
  open: (remember: (id: string, transport: T) => void) => Promise<T>,
): void {
  const sessions = new Map<string, T>();
  listen(async (request, response) => {
    const id = request.headers['mcp-session-id'] as string | undefined;
    const session =
      (id === undefined ? undefined : sessions.get(id)) ??
      (await open((opened, transport_) => sessions.set(opened, transport_)));
    await session.handleRequest(request, response);
  });
}

async function sdkV1(): Promise<void> {
  const { McpServer } = await import('@modelcontextprotocol/sdk/server/mcp.js');
  const make = () => {
    const server = new McpServer(info);
    for (const name of names)
      server.registerTool(name, { description, inputSchema: shape }, answer);
    return server;
  };
  if (transport === 'stdio') {
    const { StdioServerTransport } = await import('@modelcontextprotocol/sdk/server/stdio.js');
    return make().connect(new StdioServerTransport());
  }
  const { StreamableHTTPServerTransport } =
    await import('@modelcontextprotocol/sdk/server/streamableHttp.js');
  stateful(async (remember) => {
    const opened = new StreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      enableJsonResponse: true,
      onsessioninitialized: (id) => remember(id, opened),
    });
    await make().connect(opened as never);
    return opened;
  });
}

async function sdkV2(handler: boolean): Promise<void> {
  const { McpServer, createMcpHandler } = await import('@modelcontextprotocol/server');
  const make = () => {
    const server = new McpServer(info);
    const inputSchema = z.object(shape);
    for (const name of names) server.registerTool(name, { description, inputSchema }, answer);
    return server;
  };
  if (transport === 'stdio') {
    const { StdioServerTransport } = await import('@modelcontextprotocol/server/stdio');
    return make().connect(new StdioServerTransport());
  }
  const node = await import('@modelcontextprotocol/node');
  if (handler) return listen(node.toNodeHandler(createMcpHandler(make)) as Handler);
  stateful(async (remember) => {
    const opened = new node.NodeStreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      enableJsonResponse: true,
      onsessioninitialized: (id) => remember(id, opened),
    });
    await make().connect(opened);
    return opened;
  });
}

async function fastmcp(): Promise<void> {
  const { FastMCP } = await import('fastmcp');
  const server = new FastMCP({ name: 'bench', version: '1.0.0' });
  for (const name of names) {
    const execute = async (params: unknown) => JSON.stringify(await add.execute(params as never));
    server.addTool({ name, description, parameters: z.object(shape), execute });
  }
  await server.start(
    transport === 'stdio'
      ? { transportType: 'stdio' }
      : { transportType: 'httpStream', httpStream: { port: Number(port), host: '127.0.0.1' } },
  );
}

const kinds: Record<string, () => Promise<void>> = {
  ours,
  raw,
  v1: sdkV1,
  v2: () => sdkV2(false),
  handler: () => sdkV2(true),
  fastmcp,
};
await kinds[kind]?.();
