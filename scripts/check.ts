import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

interface Step {
  readonly name: string;
  readonly command: readonly [program: string, ...args: string[]];
}

const temporary = mkdtempSync(join(tmpdir(), 'skillwright-check-'));
process.once('exit', () => rmSync(temporary, { recursive: true, force: true }));

const TEST = ['node', '--test', '--test-reporter=spec'] as const;

/** A step that takes longer hangs. */
const LIMIT_MS = 10 * 60_000;

const STEPS: readonly Step[] = [
  { name: 'types', command: ['tsc', '-p', '.'] },
  { name: 'lint', command: ['oxlint', '--type-aware', '--deny-warnings', '.'] },
  { name: 'format', command: ['oxfmt', '--check', '.'] },
  { name: 'dead-code', command: ['knip'] },
  { name: 'unit', command: [...TEST, '--test-isolation=none', 'src/**/*.test.ts'] },
  { name: 'e2e', command: [...TEST, '--test-concurrency=2', 'test/**/*.test.ts'] },
  { name: 'build', command: ['tsc', '-p', 'tsconfig.build.json', '--outDir', temporary] },
];

const HELP = `Usage: npm test [-- --only <step>]

Runs the whole gate and ends with exit code 1 when a step fails.
Steps: ${STEPS.map(({ name }) => name).join(', ')}.
`;

process.exitCode = await main();

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: { only: { type: 'string' }, help: { type: 'boolean' } },
  });
  if (values.help === true) {
    process.stdout.write(HELP);
    return 0;
  }
  const steps = STEPS.filter(({ name }) => values.only === undefined || values.only === name);
  if (steps.length === 0) {
    process.stderr.write(`There is no step ${JSON.stringify(values.only)}.\n${HELP}`);
    return 2;
  }
  const failed: string[] = [];
  for (const step of steps) if (!(await run(step))) failed.push(step.name);
  process.stdout.write(
    failed.length === 0 ? '\nAll steps passed.\n' : `\nFailed: ${failed.join(', ')}.\n`,
  );
  return failed.length === 0 ? 0 : 1;
}

/** Runs one step; a line says how it went, and the output follows when it failed. */
async function run({ name, command }: Step): Promise<boolean> {
  process.stdout.write(`${name.padEnd(10)} `);
  const startedAt = performance.now();
  const { code, output } = await capture(command);
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
  process.stdout.write(`${code === 0 ? 'ok' : `FAILED (exit ${code})`} ${seconds} s\n`);
  const summary = output
    .split('\n')
    .filter((line) => /^ℹ (?:tests|pass|fail|cancelled|skipped|todo) /.test(line));
  if (code !== 0) process.stdout.write(`${output.trimEnd()}\n`);
  else if (summary.length > 0) process.stdout.write(`${summary.join('\n')}\n`);
  return code === 0;
}

async function capture([program, ...args]: Step['command']): Promise<{
  readonly code: number;
  readonly output: string;
}> {
  const child = spawn(program, args, {
    cwd: join(import.meta.dirname, '..'),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const stop = (signal: NodeJS.Signals): void => {
    child.kill(signal);
    process.exit(130);
  };
  process.once('SIGINT', stop).once('SIGTERM', stop);
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text) => (output += text));
  // The test runner answers this signal with the names of the files that still run.
  const limit = setTimeout(() => {
    output += `Stopped after ${LIMIT_MS / 60_000} minutes.\n`;
    child.kill('SIGTERM');
  }, LIMIT_MS);
  const code = await new Promise<number>((resolve) => {
    child.once('error', (error) => {
      output += `${program} could not be started: ${error.message}\n`;
      resolve(127);
    });
    child.once('close', (status) => resolve(status ?? 1));
  });
  clearTimeout(limit);
  process.off('SIGINT', stop).off('SIGTERM', stop);
  return { code, output };
}
