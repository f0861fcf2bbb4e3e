import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { Agent, request as httpRequest } from 'node:http';
import { createServer, type AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { benchOptions, goal, median } from './harness.ts';
import { LineClient } from './line-client.ts';
import { processCpu } from './proc.ts';

interface Subject {
  readonly label: string;
  readonly child: ChildProcess;
  request(method: string, params: unknown): Promise<unknown>;
}

interface Sample {
  readonly cpu: number;
  readonly rate: number;
}

const { json, rounds } = benchOptions();
const program = fileURLToPath(new URL('server.ts', import.meta.url));
const NAMES: Record<string, string> = {
  ours: 'Skillwright, audit in SQLite',
  raw: 'by hand, no SDK',
  v1: 'MCP SDK v1, stateful',
  v2: 'MCP SDK v2, stateful',
  handler: 'MCP SDK v2, createMcpHandler',
  fastmcp: 'fastmcp',
};
const call = { name: 'math.add-0', arguments: { a: 1, b: 2 } };

async function overStdio(kind: string, tools: number): Promise<Subject> {
  const child = spawn(process.execPath, [program, kind, 'stdio', String(tools)], {
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  const client = new LineClient(child);
  await client.initialize();
  return { label: '', child, request: (method, params) => client.request(method, params) };
}

async function overHttp(kind: string, tools: number): Promise<Subject> {
  const port = await freePort();
  const child = spawn(process.execPath, [program, kind, 'http', String(tools), String(port)], {
    stdio: ['ignore', 'ignore', process.env['DEBUG'] === undefined ? 'ignore' : 'inherit'],
  });
  const agent = new Agent({ keepAlive: true });
  let id = 0;
  const headers: Record<string, string> = {
    'Content-Type': 'application/json',
    Accept: 'application/json, text/event-stream',
  };
  const post = (message: object): Promise<string> =>
    new Promise((resolve, reject) => {
      const path = '/mcp';
      const sent = httpRequest(
        { host: '127.0.0.1', port, path, method: 'POST', agent, headers },
        (response) => {
          const session = response.headers['mcp-session-id'];
          if (typeof session === 'string') headers['Mcp-Session-Id'] = session;
          let text = '';
          response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
          response.on('end', () => resolve(text));
        },
      );
      sent.on('error', reject).end(JSON.stringify({ jsonrpc: '2.0', ...message }));
    });
  const request = (method: string, params: unknown): Promise<string> =>
    post({ id: ++id, method, params });
  const hello = {
    protocolVersion: '2025-06-18',
    capabilities: {},
    clientInfo: { name: 'b', version: '1' },
  };
  for (let attempt = 0; ; attempt++) {
    try {
      await request('initialize', hello);
      break;
    } catch (error) {
      if (attempt > 200) throw error;
      await new Promise((resolve) => setTimeout(resolve, 30));
    }
  }
  headers['MCP-Protocol-Version'] = '2025-06-18';
  await post({ method: 'notifications/initialized' });
  return { label: '', child, request };
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  return port;
}

/** So many calls with so many under way; what the server used for each, and how many a second. */
async function load(subject: Subject, calls: number, width: number): Promise<Sample> {
  const pid = subject.child.pid ?? 0;
  const before = processCpu(pid);
  const start = performance.now();
  const each = Math.ceil(calls / width);
  const lane = async (): Promise<void> => {
    for (let done = 0; done < each; done++) await subject.request('tools/call', call);
  };
  await Promise.all(Array.from({ length: width }, lane));
  const seconds = (performance.now() - start) / 1_000;
  return { cpu: (processCpu(pid) - before) / (each * width), rate: (each * width) / seconds };
}

const open = { stdio: overStdio, http: overHttp };
const costs = new Map<string, { cpu: number; rate: number }>();

async function compare(transport: 'stdio' | 'http', kinds: readonly string[], tools: number) {
  const subjects: Subject[] = [];
  for (const kind of kinds) {
    const subject = await open[transport](kind, tools);
    const reply = await subject.request('tools/call', call);
    const text = typeof reply === 'string' ? reply : JSON.stringify(reply);
    if (!/sum\D+3/.test(text)) throw new Error(`${kind} over ${transport} answered ${text}`);
    await load(subject, 600, 8);
    subjects.push({ ...subject, label: kind });
  }
  const samples = new Map<string, Sample[]>();
  for (let round = 0; round < rounds; round++) {
    for (const subject of subjects.toSorted(() => Math.random() - 0.5)) {
      const slow = subject.label === 'fastmcp' || (subject.label === 'handler' && tools > 1);
      for (const width of tools > 1 ? [16] : [1, 16]) {
        const key = `${transport} ${subject.label} ${tools} c${width}`;
        const sample = await load(subject, slow ? 100 : transport === 'stdio' ? 1_500 : 500, width);
        samples.set(key, [...(samples.get(key) ?? []), sample]);
      }
    }
  }
  for (const [key, list] of samples) {
    costs.set(key, {
      cpu: median(list.map(({ cpu }) => cpu)),
      rate: median(list.map(({ rate }) => rate)),
    });
  }
  if (tools > 1) for (const subject of subjects) await list(subject, transport, tools);
  for (const { child } of subjects) child.kill('SIGTERM');
}

async function list(subject: Subject, transport: string, tools: number): Promise<void> {
  const pid = subject.child.pid ?? 0;
  await subject.request('tools/list', {});
  const spent: number[] = [];
  for (let index = 0; index < 5; index++) {
    const before = processCpu(pid);
    await subject.request('tools/list', {});
    spent.push(processCpu(pid) - before);
  }
  costs.set(`${transport} ${subject.label} ${tools} list`, { cpu: median(spent), rate: 0 });
}

const deadline = setTimeout(() => {
  console.error('This took over 85 seconds; fewer --rounds are quicker.');
  process.exit(1);
}, 85_000);
await compare('stdio', ['ours', 'raw', 'v1', 'v2', 'fastmcp'], 1);
await compare('http', ['ours', 'raw', 'v1', 'v2', 'handler', 'fastmcp'], 1);
await compare('http', ['ours', 'raw', 'v1', 'v2', 'handler'], 1_000);
clearTimeout(deadline);
const cpu = (key: string): number => costs.get(key)?.cpu ?? Number.NaN;
if (json) console.log(JSON.stringify(Object.fromEntries(costs)));
else {
  for (const transport of ['stdio', 'http']) {
    console.log(`### ${transport}\n`);
    console.log(
      '| server | CPU µs/call c1 | c16 | ratio c16 | calls/s c1 | c16 | c16 at 1,000 tools | tools/list of 1,000, CPU ms |',
    );
    console.log('|---|---|---|---|---|---|---|---|');
    for (const kind of Object.keys(NAMES)) {
      const key = `${transport} ${kind}`;
      if (!costs.has(`${key} 1 c1`)) continue;
      const rate = (width: string): string =>
        (costs.get(`${key} 1 ${width}`)?.rate ?? 0).toFixed(0);
      const number = (value: number, digits: number): string =>
        Number.isNaN(value) ? '–' : value.toFixed(digits);
      const ratio = cpu(`${key} 1 c16`) / cpu(`${transport} raw 1 c16`);
      console.log(
        `| ${NAMES[kind]} | ${number(cpu(`${key} 1 c1`), 0)} | ${number(cpu(`${key} 1 c16`), 0)} | ${ratio.toFixed(2)}x | ${rate('c1')} | ${rate('c16')} | ${number(cpu(`${key} 1000 c16`), 0)} | ${number(cpu(`${key} 1000 list`) / 1_000, 2)} |`,
      );
    }
    console.log('');
  }
  const http = cpu('http ours 1 c16');
  const sdk = Math.min(cpu('http v1 1 c16'), cpu('http v2 1 c16'));
  console.log(goal("HTTP, times the SDK's stateful server", http / sdk, 1 / 3));
  console.log(goal('HTTP, times createMcpHandler', http / cpu('http handler 1 c16'), 1 / 10));
  console.log(goal('stdio c1, times by hand', cpu('stdio ours 1 c1') / cpu('stdio raw 1 c1'), 1.6));
  console.log(goal('HTTP at 1,000 skills, times at one', cpu('http ours 1000 c16') / http, 1.2));
}
process.exit(0);
