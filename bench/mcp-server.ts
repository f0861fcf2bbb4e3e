/* One server a process: node mcp-server.ts <who> <http|stdio> <number of tools> <folder for the store>. Prints its URL. */
import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { z } from 'zod';
import { compileValidator } from '../src/contract/schema/compile.ts';
import { createRuntime, defineSkill, openSqliteStore, type Runtime } from '../src/index.ts';
import { add } from './contracts.ts';

const [who = '', transport = 'http', count = '1', folder = '.'] = process.argv.slice(2);
const names = Array.from({ length: Number(count) }, (_, index) =>
  index === 0 ? add.name : `math.add${index}`,
);
const RETURNS = { type: 'object', properties: { sum: { type: 'number' } }, required: ['sum'] };

function listen(handler: RequestListener): void {
  const server = createServer(handler);
  server.listen(0, '127.0.0.1', () =>
    console.log(`http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`),
  );
}

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}

function ours(): Promise<Runtime> {
  const skills = names.map((name) =>
    defineSkill({
      name,
      version: '1.0.0',
      description: 'Adds two numbers. Use for sums. Returns the sum. Does not round.',
      purpose: 'A sum is wanted.',
      side_effect: { kind: 'read' },
      parameters: add.schema,
      returns: RETURNS,
      rules: { none: 'measured' },
      policy: { rate_limit: { calls_per_second: 1_000_000 } },
      execute: add.execute,
    }),
  );
  return createRuntime({
    skills,
    store: openSqliteStore({ file: join(folder, `${process.pid}.db`) }),
  });
}

/** The least that speaks the protocol: no SDK, no governance. */
function rawAnswer(): (message: Record<string, never>) => object | undefined {
  const validate = compileValidator(add.schema);
  const tools = names.map((name) => ({
    name,
    description: 'Adds two numbers.',
    inputSchema: add.schema,
    outputSchema: RETURNS,
  }));
  return ({ id, method, params }: Record<string, never>) => {
    const reply = (result: unknown): object => ({ jsonrpc: '2.0', id, result });
    if (id === undefined) return undefined;
    if (method === 'initialize')
      return reply({
        protocolVersion: '2025-11-25',
        capabilities: { tools: {} },
        serverInfo: { name: 'raw', version: '1.0.0' },
      });
    if (method === 'tools/list') return reply({ tools });
    const { a, b } = (params as { arguments: { a: number; b: number } }).arguments;
    if (validate({ a, b }) !== undefined) return reply({ isError: true, content: [] });
    const structuredContent = { sum: a + b };
    return reply({
      content: [{ type: 'text', text: JSON.stringify(structuredContent) }],
      structuredContent,
    });
  };
}

function raw(): void {
  const answer = rawAnswer();
  if (transport === 'stdio') {
    createInterface({ input: process.stdin }).on('line', (line) => {
      const reply = answer(JSON.parse(line) as never);
      if (reply !== undefined) process.stdout.write(`${JSON.stringify(reply)}\n`);
    });
    return;
  }
  listen(async (request, response) => {
    const reply = answer(JSON.parse(await readBody(request)) as never);
    response.writeHead(reply === undefined ? 202 : 200, {
      'content-type': 'application/json',
      'mcp-session-id': 'raw',
    });
    response.end(reply === undefined ? '' : JSON.stringify(reply));
  });
}

async function sdk(): Promise<void> {
  const { McpServer, createMcpHandler } = await import('@modelcontextprotocol/server');
  const factory = (): InstanceType<typeof McpServer> => {
    const server = new McpServer({ name: 'sdk', version: '1.0.0' });
    for (const name of names) {
      const config = {
        description: 'Adds two numbers.',
        inputSchema: z.object({ a: z.number(), b: z.number() }),
        outputSchema: z.object({ sum: z.number() }),
      };
      server.registerTool(
        name,
        config as never,
        (async ({ a, b }: { a: number; b: number }) => ({
          content: [{ type: 'text', text: JSON.stringify({ sum: a + b }) }],
          structuredContent: { sum: a + b },
        })) as never,
      );
    }
    return server;
  };
  if (transport === 'stdio') {
    const { serveStdio } = await import('@modelcontextprotocol/server/stdio');
    serveStdio(factory as never);
    return;
  }
  const { NodeStreamableHTTPServerTransport, toNodeHandler } =
    await import('@modelcontextprotocol/node');
  if (who === 'sdk-handler')
    return listen(toNodeHandler(createMcpHandler(factory as never) as never) as never);
  const sessions = new Map<string, InstanceType<typeof NodeStreamableHTTPServerTransport>>();
  listen(async (request, response) => {
    let session = sessions.get(String(request.headers['mcp-session-id']));
    if (session === undefined) {
      const made = new NodeStreamableHTTPServerTransport({
        sessionIdGenerator: randomUUID,
        enableJsonResponse: true,
        onsessioninitialized: (id: string) => void sessions.set(id, made),
      });
      await factory().connect(made as never);
      session = made;
    }
    await session.handleRequest(request, response);
  });
}

async function fastmcp(): Promise<void> {
  const { FastMCP } = await import('fastmcp');
  const server = new FastMCP({ name: 'fastmcp', version: '1.0.0' });
  for (const name of names) {
    server.addTool({
      name,
      description: 'Adds two numbers.',
      parameters: z.object({ a: z.number(), b: z.number() }) as never,
      execute: (async ({ a, b }: { a: number; b: number }) =>
        JSON.stringify({ sum: a + b })) as never,
    });
  }
  if (transport === 'stdio') return server.start({ transportType: 'stdio' });
  const probe = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => probe.once('listening', resolve));
  const { port } = probe.address() as AddressInfo;
  await new Promise((resolve) => probe.close(resolve));
  await server.start({
    transportType: 'httpStream',
    httpStream: { port, endpoint: '/mcp' } as never,
  });
  console.log(`http://127.0.0.1:${port}/mcp`);
}

if (who === 'ours' && transport === 'stdio') {
  const { serveStdio } = await import('../src/server/mcp/stdio.ts');
  await serveStdio(await ours());
} else if (who === 'ours') {
  const { serveHttp } = await import('../src/server/mcp/http.ts');
  console.log((await serveHttp(await ours(), { port: 0 })).url);
} else if (who === 'raw') raw();
else if (who === 'fastmcp') await fastmcp();
else await sdk();
