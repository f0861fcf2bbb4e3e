import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';
import { createMCPClient } from '@ai-sdk/mcp';
import { Experimental_StdioMCPTransport as StdioTransport } from '@ai-sdk/mcp/mcp-stdio';
import type { JsonObject } from '../../src/index.ts';
import { serveHttp } from '../../src/server/mcp/http.ts';
import { mcpFolder } from '../support/mcp-folder.ts';
import { mcpRuntime } from '../support/mcp-library.ts';

// Clients that others wrote, as they are installed.

const SERVER = fileURLToPath(new URL('../support/mcp-stdio-server.ts', import.meta.url));
const INSPECTOR = fileURLToPath(new URL('../../node_modules/.bin/mcp-inspector', import.meta.url));

/** Runs the MCP Inspector's command line; gives its exit code and the JSON it printed, a value a line. */
async function inspect(
  t: TestContext,
  ...args: string[]
): Promise<{ code: number; printed: JsonObject[] }> {
  const home = await mkdtemp(join(tmpdir(), 'skillwright-inspector-'));
  t.after(() => rm(home, { recursive: true, force: true }));
  const env = { ...process.env, HOME: home, MCP_CATALOG_PATH: join(home, 'catalog.json') };
  const command = [INSPECTOR, '--cli', ...args, '--format', 'json'];
  return new Promise((resolve) => {
    const child = execFile(process.execPath, command, { env }, (_, stdout) => {
      const lines = stdout.split('\n').filter((line) => line !== '');
      resolve({
        code: child.exitCode ?? -1,
        printed: lines.map((line) => JSON.parse(line) as JsonObject),
      });
    });
  });
}

async function http(t: TestContext): Promise<string> {
  const server = await serveHttp(await mcpRuntime(t), { port: 0 });
  t.after(() => server.close());
  return server.url;
}

test('MCP Inspector finds nothing wrong with the tools', async (t) => {
  const { code, printed } = await inspect(
    t,
    await http(t),
    '--transport',
    'http',
    '--method',
    'tools/list',
    '--strict',
  );
  assert.equal(code, 0);
  assert.equal((resultOf(printed)['tools'] as unknown[]).length, 8);
});

test('MCP Inspector calls a tool over stdio in the modern era', async (t) => {
  const call = [
    '--method',
    'tools/call',
    '--tool-name',
    'math.add',
    '--tool-args-json',
    '{"a":2,"b":3}',
  ];
  const { code, printed } = await inspect(
    t,
    process.execPath,
    SERVER,
    ...call,
    '--protocol-era',
    'modern',
  );
  assert.equal(code, 0);
  assert.deepEqual(resultOf(printed)['structuredContent'], { sum: 5 });
});

test('MCP Inspector sees the error of a tool', async (t) => {
  const { code, printed } = await inspect(
    t,
    process.execPath,
    SERVER,
    '--method',
    'tools/call',
    '--tool-name',
    'fail.coded',
  );
  assert.equal(code, 5);
  assert.equal(resultOf(printed)['isError'], true);
});

test('MCP Inspector verifies the digests of skills', async (t) => {
  const { runtime } = await mcpFolder(t, ['task.create', 'mail.send']);
  const server = await serveHttp(runtime, { port: 0 });
  t.after(() => server.close());
  const { code, printed } = await inspect(
    t,
    server.url,
    '--transport',
    'http',
    '--method',
    'skills/list',
    '--verify',
    '--require-digests',
  );
  assert.equal(code, 0);
  assert.deepEqual(
    printed.map(({ name, outcome }) => [name, outcome]),
    [
      ['send', 'verified'],
      ['create', 'verified'],
    ],
  );
});

function resultOf([first]: readonly JsonObject[]): JsonObject {
  return first?.['result'] as JsonObject;
}

for (const over of ['http', 'stdio'] as const) {
  test(`the AI SDK uses the tools over ${over}`, async (t) => {
    const transport =
      over === 'http'
        ? ({ type: 'http', url: await http(t) } as const)
        : new StdioTransport({ command: process.execPath, args: [SERVER] });
    const client = await createMCPClient({ transport });
    t.after(() => client.close());
    const tools = await client.tools();
    assert.equal(Object.keys(tools).length, 8);
    const options = { toolCallId: '1', messages: [], context: undefined };
    const sum = await tools['math.add']?.execute({ a: 2, b: 40 }, options);
    assert.match(JSON.stringify(sum), /"structuredContent":{"sum":42}/);
    const failed = await tools['fail.coded']?.execute({}, options);
    assert.match(JSON.stringify(failed), /"isError":true/);
    assert.match(JSON.stringify(failed), /There is no order 7/);
  });
}
