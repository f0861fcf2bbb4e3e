import { spawn, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { order } from './contracts.ts';
import { benchOptions, goal, median } from './harness.ts';
import { LineClient } from './line-client.ts';
import { peakMemory, treeCpu } from './proc.ts';

interface Start {
  readonly cpu: number;
  readonly wall: number;
  readonly memory: number;
}

const root = fileURLToPath(new URL('..', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'skillwright-bench-'));
const { json, rounds } = benchOptions();

/** A library as it lies on disk: SKILL.md, schema.json and executor.ts for each skill. */
function writeLibrary(count: number): string {
  const library = join(folder, `library-${count}`);
  for (let index = 0; index < count; index++) {
    const domain = `area-${index % 20}`;
    const name = `action-${index}`;
    const path = join(library, domain, name);
    mkdirSync(path, { recursive: true });
    writeFileSync(
      join(path, 'SKILL.md'),
      `---\nname: ${name}\ndescription: "Does thing ${index}. Use when thing ${index} is needed. Returns a total. Does not write."\nlicense: Apache-2.0\nmetadata:\n  skillwright.id: "${domain}.${name}"\n---\n\nNothing to add.\n`,
    );
    const schema = {
      version: '1.0.0',
      title: `Thing ${index}`,
      purpose: 'Measured.',
      side_effect: { kind: 'none' },
      parameters: order.schema,
      rules: { none: 'Measured.' },
      examples: [{ description: 'One', input: order.params }],
    };
    writeFileSync(join(path, 'schema.json'), JSON.stringify(schema));
    writeFileSync(
      join(path, 'executor.ts'),
      'export const execute = async () => ({ total: 12 });\n',
    );
  }
  return library;
}

/** The package as npm would install it. */
function build(): string {
  const home = join(folder, 'package');
  mkdirSync(home);
  const tsc = join(root, 'node_modules/.bin/tsc');
  const { status, stdout } = spawnSync(
    tsc,
    ['-p', join(root, 'tsconfig.build.json'), '--outDir', join(home, 'dist')],
    { encoding: 'utf8' },
  );
  if (status !== 0) throw new Error(`The build failed:\n${stdout}`);
  cpSync(join(root, 'bin'), join(home, 'bin'), { recursive: true });
  cpSync(join(root, 'package.json'), join(home, 'package.json'));
  symlinkSync(join(root, 'node_modules'), join(home, 'node_modules'));
  return join(home, 'bin/skillwright.js');
}

async function start(program: string, library: string): Promise<Start> {
  const begun = performance.now();
  const child = spawn(process.execPath, [program, 'serve', '--stdio', '--library', library], {
    stdio: ['pipe', 'pipe', 'inherit'],
    env: { ...process.env, SKILLWRIGHT_DATA_DIR: join(folder, 'data') },
  });
  const client = new LineClient(child);
  await client.initialize();
  const listed = await client.request('tools/list', {});
  const wall = performance.now() - begun;
  const cpu = treeCpu(child.pid ?? 0) / 1_000;
  const memory = peakMemory(child.pid ?? 0);
  const bytes = JSON.stringify(listed).length;
  if (bytes < 1_000) throw new Error(`The list is short: ${JSON.stringify(listed)}`);
  await client.close();
  return { cpu, wall, memory };
}

const built = build();
const source = join(root, 'bin/skillwright.js');
const thousand = writeLibrary(1_000);
const one = writeLibrary(1);
const cases = [
  { name: 'built, 1 skill', program: built, library: one },
  { name: 'built, 1,000 skills', program: built, library: thousand },
  { name: 'from source, 1,000 skills', program: source, library: thousand },
];
const samples = new Map(cases.map(({ name }) => [name, [] as Start[]]));
for (const { program, library } of cases) await start(program, library);
for (let round = 0; round < rounds; round++) {
  for (const { name, program, library } of cases.toSorted(() => Math.random() - 0.5)) {
    samples.get(name)?.push(await start(program, library));
  }
}
const results = [...samples].map(([name, starts]) => ({
  name,
  cpu: median(starts.map(({ cpu }) => cpu)),
  wall: median(starts.map(({ wall }) => wall)),
  memory: median(starts.map(({ memory }) => memory)),
}));
if (json) console.log(JSON.stringify(results));
else {
  console.log('### Start to the first tools/list over stdio\n');
  console.log('| case | CPU ms | wall ms | RSS MB (peak) |\n|---|---|---|---|');
  for (const { name, cpu, wall, memory } of results) {
    console.log(`| ${name} | ${cpu.toFixed(0)} | ${wall.toFixed(0)} | ${memory.toFixed(0)} |`);
  }
  const measured = results[1] ?? { cpu: Number.NaN, memory: Number.NaN };
  console.log(`\n${goal('CPU ms to the first list of 1,000 skills', measured.cpu, 350)}`);
  console.log(goal('peak RSS in MB with 1,000 skills', measured.memory, 90));
}
rmSync(folder, { recursive: true, force: true });
