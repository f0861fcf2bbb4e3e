import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createMemoryStore, createRuntime } from '../src/index.ts';
import { benchOptions, costTable, goal, measure } from './harness.ts';

const { json, rounds } = benchOptions();
const folder = mkdtempSync(join(tmpdir(), 'skillwright-bench-'));
const WORKER = `
let rest = '';
process.stdin.setEncoding('utf8').on('data', (chunk) => {
  const lines = (rest + chunk).split('\\n');
  rest = lines.pop();
  for (const line of lines) {
    const { id, params } = JSON.parse(line);
    process.stdout.write(JSON.stringify({ id, result: params }) + '\\n');
  }
});
`;
const contract = (name: string, executor: object): object => ({
  name,
  version: '1.0.0',
  description: 'Echoes.',
  purpose: 'To be measured.',
  side_effect: { kind: 'none' },
  rules: { none: 'measured' },
  parameters: { type: 'object', properties: { text: { type: 'string' } } },
  policy: { retries: 0 },
  executor,
});

writeFileSync(join(folder, 'worker.mjs'), WORKER);
writeFileSync(join(folder, 'once.sh'), 'cat\n');
writeFileSync(
  join(folder, 'registry.json'),
  JSON.stringify({
    skills: [
      contract('echo.pooled', {
        kind: 'command',
        command: [process.execPath, 'worker.mjs'],
        mode: 'pooled',
        pool_size: 1,
      }),
      contract('echo.once', { kind: 'command', command: ['sh', 'once.sh'] }),
    ],
  }),
);

const runtime = await createRuntime({
  library: join(folder, 'registry.json'),
  dataDir: folder,
  store: createMemoryStore(),
});
const session = await runtime.openSession();
const call = (toolName: string) => async () => {
  const envelope = await session.call({ toolName, params: { text: 'hello' } });
  if (!envelope.success) throw new Error(JSON.stringify(envelope));
};

const cat = spawn('cat', { stdio: ['pipe', 'pipe', 'ignore'] });
let answered: (() => void) | undefined;
cat.stdout.on('data', () => answered?.());
const echo = (): Promise<void> =>
  new Promise((resolve) => {
    answered = resolve;
    cat.stdin.write('{"id":1,"params":{"text":"hello"}}\n');
  });

try {
  const fast = await measure(
    [
      { name: 'pipe echo by cat', run: echo },
      { name: 'pooled command, mediated', run: call('echo.pooled') },
    ],
    rounds,
  );
  const slow = [];
  const began = performance.now();
  for (let index = 0; index < 100; index++) await call('echo.once')();
  slow.push({
    name: 'process a call, mediated',
    wall: ((performance.now() - began) * 1_000) / 100,
  });
  if (json) console.log(JSON.stringify([...fast, ...slow]));
  else {
    console.log(costTable('Commands', fast, 'pipe echo by cat'));
    console.log(`A process a call (sh): ${((slow[0]?.wall ?? 0) / 1_000).toFixed(2)} ms wall\n`);
    const wall = (index: number): number => fast[index]?.wall ?? Number.NaN;
    console.log(goal('pooled call, times a pipe echo (wall)', wall(1) / wall(0), 2.5));
  }
} finally {
  cat.kill();
  await runtime.close();
  rmSync(folder, { recursive: true, force: true });
}
