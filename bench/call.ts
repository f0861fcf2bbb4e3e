import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { tool as langchainTool } from '@langchain/core/tools';
import { createTool } from '@mastra/core/tools';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { CallToolRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { RunContext, tool as openaiTool } from '@openai/agents';
import { z } from 'zod';
import { compileValidator } from '../src/contract/schema/compile.ts';
import {
  createMemoryStore,
  createRuntime,
  defineSkill,
  openSqliteStore,
  type Store,
} from '../src/index.ts';
import { add, order, type BenchTool } from './contracts.ts';
import { benchOptions, costTable, goal, measure, type Contestant } from './harness.ts';

const { json, rounds } = benchOptions();
const folder = mkdtempSync(join(tmpdir(), 'skillwright-bench-'));
const OURS = 'Skillwright, full mediation';

async function ours(tool: BenchTool, store: Store): Promise<() => unknown> {
  const skill = defineSkill({
    name: tool.name,
    version: '1.0.0',
    description: 'For measuring.',
    purpose: 'To be measured.',
    side_effect: { kind: 'read' },
    parameters: tool.schema,
    rules: { none: 'measured' },
    policy: { rate_limit: { calls_per_second: 1_000_000, algorithm: 'token_bucket' } },
    execute: tool.execute,
  });
  const runtime = await createRuntime({ skills: [skill], store });
  const session = await runtime.openSession();
  const request = { toolName: tool.name, params: tool.params };
  const first = await session.call(request);
  if (!first.success) throw new Error(JSON.stringify(first));
  return () => session.call(request);
}

/** Off by name: no row is put together. */
function forgetful(): Store {
  const { record: _record, ...store } = createMemoryStore();
  return store;
}

async function mcpInMemory(tool: BenchTool): Promise<() => unknown> {
  const server = new Server({ name: 'bench', version: '1.0.0' }, { capabilities: { tools: {} } });
  server.setRequestHandler(CallToolRequestSchema, async ({ params }) => ({
    content: [
      { type: 'text', text: JSON.stringify(await tool.execute(params.arguments as never)) },
    ],
  }));
  const client = new Client({ name: 'bench', version: '1.0.0' });
  const [left, right] = InMemoryTransport.createLinkedPair();
  await Promise.all([server.connect(left), client.connect(right)]);
  return () => client.callTool({ name: tool.name, arguments: tool.params });
}

async function contestants(tool: BenchTool): Promise<Contestant[]> {
  const validate = compileValidator(tool.schema);
  const zodSchema = z.fromJSONSchema(tool.schema as never) as never;
  const name = tool.name.replace('.', '_');
  const langchain = langchainTool(tool.execute as never, {
    name,
    description: 'd',
    schema: tool.schema as never,
  });
  const mastra = createTool({
    id: name,
    description: 'd',
    inputSchema: zodSchema,
    execute: tool.execute as never,
  });
  const agents = openaiTool({
    name,
    description: 'd',
    parameters: tool.schema as never,
    strict: false,
    execute: tool.execute as never,
  });
  const text = JSON.stringify(tool.params);
  const context = new RunContext({});
  return [
    { name: 'function', run: () => tool.execute(tool.params) },
    {
      name: 'validator + function',
      run: () => {
        if (validate(tool.params) !== undefined) throw new Error('invalid');
        return tool.execute(tool.params);
      },
    },
    { name: `${OURS}, audit off`, run: await ours(tool, forgetful()) },
    { name: `${OURS}, audit in memory`, run: await ours(tool, createMemoryStore()) },
    {
      name: `${OURS}, audit in SQLite`,
      run: await ours(tool, openSqliteStore({ file: join(folder, `${name}.db`) })),
    },
    { name: '@langchain/core tool.invoke', run: () => langchain.invoke(tool.params as never) },
    {
      name: '@mastra/core tool.execute',
      run: () =>
        (mastra.execute as (params: unknown, context: unknown) => unknown)(tool.params, {}),
    },
    { name: '@openai/agents tool.invoke', run: () => agents.invoke(context as never, text) },
    { name: 'MCP SDK v1 in memory', run: await mcpInMemory(tool) },
  ];
}

const report: unknown[] = [];
for (const tool of [add, order]) {
  const costs = await measure(await contestants(tool), rounds);
  report.push({ tool: tool.name, costs });
  if (json) continue;
  console.log(
    costTable(tool === add ? 'Two numbers' : 'Twelve parameters', costs, 'validator + function'),
  );
  const main = (name: string): number =>
    costs.find((cost) => cost.name === name)?.main ?? Number.NaN;
  if (tool === add) continue;
  const base = main('validator + function');
  console.log(goal('audit off, times validator + function', main(`${OURS}, audit off`) / base, 3));
  console.log(
    goal(
      'audit in SQLite on the main thread, times validator + function',
      main(`${OURS}, audit in SQLite`) / base,
      8,
    ),
  );
  console.log(
    goal(
      'audit in SQLite, times LangChain',
      main(`${OURS}, audit in SQLite`) / main('@langchain/core tool.invoke'),
      1 / 8,
    ),
  );
  console.log(
    goal(
      'audit in SQLite, times @openai/agents',
      main(`${OURS}, audit in SQLite`) / main('@openai/agents tool.invoke'),
      1,
    ),
  );
}
if (json) console.log(JSON.stringify(report));
rmSync(folder, { recursive: true, force: true });
process.exit(0);
