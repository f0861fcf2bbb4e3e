import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { benchOptions, goal, median } from './harness.ts';

const { json, rounds } = benchOptions();
const TICK_US = 1_000_000 / Number(execFileSync('getconf', ['CLK_TCK'], { encoding: 'utf8' }));
const folder = mkdtempSync(join(tmpdir(), 'skillwright-bench-'));
const META = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': {},
  'io.modelcontextprotocol/clientInfo': { name: 'bench', version: '1.0.0' },
};
const CALL = { name: 'math.add', arguments: { a: 1, b: 2 } };

/** A server that answers one message at a time or many. */
interface Peer {
  readonly name: string;
  readonly pid: number;
  send(method: string, params: object): Promise<string>;
  close(): void;
}

interface Figure {
  readonly name: string;
  readonly cpu: number;
  readonly rate: number;
}

function cpuUs(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  return (Number(fields[11]) + Number(fields[12])) * TICK_US;
}

const children: ChildProcess[] = [];

function launch(who: string, transport: string, count: number): ChildProcess {
  const script = join(import.meta.dirname, 'mcp-server.ts');
  const child = spawn(process.execPath, [script, who, transport, String(count), folder], {
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  children.push(child);
  return child;
}

const agent = new Agent({ keepAlive: true, maxSockets: 64 });

function post(
  url: string,
  headers: Record<string, string>,
  message: object,
): Promise<{ text: string; session: string | undefined }> {
  return new Promise((resolve, reject) => {
    const body = JSON.stringify(message);
    const sent = request(
      url,
      {
        method: 'POST',
        agent,
        headers: {
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
          'content-length': Buffer.byteLength(body),
          ...headers,
        },
      },
      (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('end', () =>
          resolve({
            text: Buffer.concat(chunks).toString(),
            session: response.headers['mcp-session-id'] as string | undefined,
          }),
        );
      },
    );
    sent.on('error', reject);
    sent.end(body);
  });
}

async function overHttp(name: string, who: string, count = 1): Promise<Peer> {
  const child = launch(who, 'http', count);
  const url = await new Promise<string>((resolve) => {
    createInterface({ input: child.stdout as never }).on('line', (line) => {
      if (line.startsWith('http')) resolve(line);
    });
  });
  let id = 0;
  const modern = name.endsWith('2026-07-28') || who === 'sdk-handler';
  let headers: Record<string, string> = {};
  if (!modern) {
    const opened = await post(
      url,
      {},
      {
        jsonrpc: '2.0',
        id: 0,
        method: 'initialize',
        params: {
          protocolVersion: '2025-11-25',
          capabilities: {},
          clientInfo: { name: 'bench', version: '1.0.0' },
        },
      },
    );
    headers = {
      'mcp-protocol-version': '2025-11-25',
      ...(opened.session === undefined ? {} : { 'mcp-session-id': opened.session }),
    };
    await post(url, headers, { jsonrpc: '2.0', method: 'notifications/initialized' });
  }
  const send = async (method: string, params: object): Promise<string> => {
    const own = modern
      ? {
          'mcp-protocol-version': '2026-07-28',
          'mcp-method': method,
          ...('name' in params ? { 'mcp-name': String(params.name) } : {}),
        }
      : headers;
    const { text } = await post(url, own, {
      jsonrpc: '2.0',
      id: ++id,
      method,
      params: modern ? { ...params, _meta: META } : params,
    });
    return text;
  };
  return { name, pid: child.pid as number, send, close: () => void child.kill('SIGKILL') };
}

async function overStdio(name: string, who: string): Promise<Peer> {
  const child = launch(who, 'stdio', 1);
  const waiting = new Map<number, (text: string) => void>();
  createInterface({ input: child.stdout as never }).on('line', (line) => {
    const id = Number(/"id":(\d+)/.exec(line)?.[1]);
    waiting.get(id)?.(line);
    waiting.delete(id);
  });
  let id = 0;
  const send = (method: string, params: object): Promise<string> =>
    new Promise((resolve) => {
      waiting.set(++id, resolve);
      child.stdin?.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`);
    });
  await send('initialize', {
    protocolVersion: '2025-11-25',
    capabilities: {},
    clientInfo: { name: 'bench', version: '1.0.0' },
  });
  child.stdin?.write(
    `${JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' })}\n`,
  );
  return { name, pid: child.pid as number, send, close: () => void child.kill('SIGKILL') };
}

async function drive(
  peer: Peer,
  calls: number,
  at: number,
  method = 'tools/call',
): Promise<Figure> {
  const params = method === 'tools/call' ? CALL : {};
  const before = cpuUs(peer.pid);
  const began = performance.now();
  let left = calls;
  const lane = async (): Promise<void> => {
    while (left-- > 0) {
      const text = await peer.send(method, params);
      if (!text.includes(method === 'tools/call' ? '3' : '"tools"') || text.includes('"error"'))
        throw new Error(`${peer.name}: ${text.slice(0, 300)}`);
    }
  };
  await Promise.all(Array.from({ length: at }, lane));
  return {
    name: peer.name,
    cpu: (cpuUs(peer.pid) - before) / calls,
    rate: calls / ((performance.now() - began) / 1_000),
  };
}

async function compare(
  peers: readonly Peer[],
  calls: number,
  at: number,
  method?: string,
): Promise<readonly Figure[]> {
  for (const peer of peers) await drive(peer, Math.min(calls, 500), at, method);
  const samples = new Map(peers.map(({ name }) => [name, [] as Figure[]]));
  for (let round = 0; round < rounds; round++) {
    const order = peers
      .map((peer) => ({ peer, at: Math.random() }))
      .toSorted((left, right) => left.at - right.at);
    for (const { peer } of order)
      samples.get(peer.name)?.push(await drive(peer, calls, at, method));
  }
  for (const peer of peers) peer.close();
  return [...samples].map(([name, figures]) => ({
    name,
    cpu: median(figures.map(({ cpu }) => cpu)),
    rate: median(figures.map(({ rate }) => rate)),
  }));
}

const report: Record<string, readonly Figure[]> = {};
try {
  report['HTTP, 16 at once'] = await compare(
    [
      await overHttp('ours', 'ours'),
      await overHttp('ours, 2026-07-28', 'ours'),
      await overHttp('raw, no SDK', 'raw'),
      await overHttp('SDK v2 stateful', 'sdk-stateful'),
      await overHttp('SDK v2 createMcpHandler', 'sdk-handler'),
      await overHttp('fastmcp', 'fastmcp'),
    ],
    1_500,
    16,
  );
  report['stdio, one at a time'] = await compare(
    [
      await overStdio('ours', 'ours'),
      await overStdio('raw, no SDK', 'raw'),
      await overStdio('SDK v2', 'sdk-stateful'),
      await overStdio('fastmcp', 'fastmcp'),
    ],
    2_000,
    1,
  );
  report['HTTP by number of tools'] = await compare(
    [
      await overHttp('ours, 1 skill', 'ours', 1),
      await overHttp('ours, 1,000 skills', 'ours', 1_000),
    ],
    2_000,
    4,
  );
  report['tools/list of 1,000'] = await compare(
    [await overHttp('ours', 'ours', 1_000), await overHttp('raw, no SDK', 'raw', 1_000)],
    100,
    1,
    'tools/list',
  );
  if (json) console.log(JSON.stringify(report));
  else {
    for (const [title, figures] of Object.entries(report)) {
      console.log(`### ${title}\n\n| | server CPU µs per call | calls/s |\n|---|---|---|`);
      for (const { name, cpu, rate } of figures)
        console.log(`| ${name} | ${cpu.toFixed(0)} | ${rate.toFixed(0)} |`);
      console.log('');
    }
    const cpu = (title: string, name: string): number =>
      report[title]?.find((figure) => figure.name === name)?.cpu ?? Number.NaN;
    console.log(
      goal(
        'HTTP, times the SDK stateful server',
        cpu('HTTP, 16 at once', 'ours') / cpu('HTTP, 16 at once', 'SDK v2 stateful'),
        1 / 3,
      ),
    );
    console.log(
      goal(
        'HTTP, times createMcpHandler',
        cpu('HTTP, 16 at once', 'ours, 2026-07-28') /
          cpu('HTTP, 16 at once', 'SDK v2 createMcpHandler'),
        1 / 10,
      ),
    );
    console.log(
      goal(
        'stdio, times raw',
        cpu('stdio, one at a time', 'ours') / cpu('stdio, one at a time', 'raw, no SDK'),
        1.6,
      ),
    );
    console.log(
      goal(
        '1,000 skills, times 1',
        cpu('HTTP by number of tools', 'ours, 1,000 skills') /
          cpu('HTTP by number of tools', 'ours, 1 skill'),
        1.2,
      ),
    );
  }
} finally {
  for (const child of children) child.kill('SIGKILL');
  rmSync(folder, { recursive: true, force: true });
}
process.exit(0);
