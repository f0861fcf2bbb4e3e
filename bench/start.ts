import { execFileSync, spawn } from 'node:child_process';
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { benchOptions, goal, median } from './harness.ts';

const ROOT = join(import.meta.dirname, '..');
const TICKS_PER_SECOND = Number(execFileSync('getconf', ['CLK_TCK'], { encoding: 'utf8' }));
const { json, rounds } = benchOptions();
const folder = mkdtempSync(join(tmpdir(), 'skillwright-bench-'));

/** What a start costs to the first list of tools. */
interface Start {
  readonly cpu: number;
  readonly wall: number;
  readonly rss: number;
}

function writeLibrary(count: number): string {
  const library = join(folder, `skills-${count}`);
  for (let index = 0; index < count; index++) {
    const path = join(library, `domain${index % 40}`, `action${index}`);
    mkdirSync(path, { recursive: true });
    const properties = Object.fromEntries(
      Array.from({ length: 8 }, (_, parameter) => [
        `p${parameter}`,
        { type: 'string', description: `Parameter ${parameter}, for example "x".`, maxLength: 100 },
      ]),
    );
    const contract = {
      version: '1.0.0',
      purpose: 'To be listed.',
      side_effect: { kind: 'read', targets: ['database'] },
      parameters: { type: 'object', properties, required: ['p0'], additionalProperties: false },
      rules: { none: 'measured' },
      examples: [{ description: 'One', input: { p0: 'x' } }],
      queries: ['list me', '列出我'],
    };
    writeFileSync(join(path, 'schema.json'), JSON.stringify(contract, null, 2));
    writeFileSync(
      join(path, 'SKILL.md'),
      `---\nname: action${index}\ndescription: "Skill ${index}. Use for measuring. Returns nothing. Changes nothing."\n---\n\nGuidance.\n`,
    );
    writeFileSync(join(path, 'executor.mjs'), 'export const execute = () => ({});\n');
  }
  return library;
}

/** The package as it is published, with the dependencies of this checkout. */
function buildPackage(): string {
  const target = join(folder, 'package');
  execFileSync(join(ROOT, 'node_modules/.bin/tsc'), [
    '-p',
    join(ROOT, 'tsconfig.build.json'),
    '--outDir',
    join(target, 'dist'),
  ]);
  cpSync(join(ROOT, 'package.json'), join(target, 'package.json'));
  cpSync(join(ROOT, 'bin'), join(target, 'bin'), { recursive: true });
  symlinkSync(join(ROOT, 'node_modules'), join(target, 'node_modules'));
  return join(target, 'bin/skillwright.js');
}

async function start(bin: string, library: string): Promise<Start> {
  const began = performance.now();
  const child = spawn(process.execPath, [bin, 'serve', '--stdio', '--library', library], {
    stdio: ['pipe', 'pipe', 'ignore'],
    env: { ...process.env, SKILLWRIGHT_DATA_DIR: join(folder, 'data') },
  });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const send = (message: object): void =>
    void child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  send({
    id: 1,
    method: 'initialize',
    params: {
      protocolVersion: '2025-11-25',
      capabilities: {},
      clientInfo: { name: 'bench', version: '1.0.0' },
    },
  });
  await lines.next();
  send({ method: 'notifications/initialized' });
  send({ id: 2, method: 'tools/list' });
  const { value } = (await lines.next()) as { value: string };
  const wall = performance.now() - began;
  const fields = readFileSync(`/proc/${child.pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  const cpu = ((Number(fields[11]) + Number(fields[12])) * 1_000) / TICKS_PER_SECOND;
  const rss =
    Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))?.[1]) / 1_024;
  if (!value.includes('"tools"')) throw new Error(value.slice(0, 300));
  child.stdin.end();
  await new Promise((resolve) => child.once('exit', resolve));
  return { cpu, wall, rss };
}

try {
  const built = buildPackage();
  const rows: (Start & { readonly name: string })[] = [];
  for (const [name, bin, count] of [
    ['published package, 1,000 skills', built, 1_000],
    ['published package, 10 skills', built, 10],
    ['from source, 1,000 skills', join(ROOT, 'bin/skillwright.js'), 1_000],
  ] as const) {
    const library = writeLibrary(count);
    const starts: Start[] = [];
    // The first start fills the compile cache, as the first use after an installation does.
    await start(bin, library);
    for (let round = 0; round < rounds; round++) starts.push(await start(bin, library));
    rows.push({
      name,
      cpu: median(starts.map(({ cpu }) => cpu)),
      wall: median(starts.map(({ wall }) => wall)),
      rss: median(starts.map(({ rss }) => rss)),
    });
  }
  if (json) console.log(JSON.stringify(rows));
  else {
    console.log(
      '### Start to the first tools/list over stdio\n\n| | CPU ms | wall ms | RSS MiB |\n|---|---|---|---|',
    );
    for (const { name, cpu, wall, rss } of rows)
      console.log(`| ${name} | ${cpu.toFixed(0)} | ${wall.toFixed(0)} | ${rss.toFixed(0)} |`);
    console.log(
      `\n${goal('CPU ms, published package, 1,000 skills', rows[0]?.cpu ?? Number.NaN, 350)}`,
    );
    console.log(goal('RSS MiB, published package, 1,000 skills', rows[0]?.rss ?? Number.NaN, 90));
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
