import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { TestContext } from 'node:test';

const root = join(import.meta.dirname, '../..');

/** The command line's entry, as npm would link it. */
export const BIN = join(root, 'bin/skillwright.js');

/** A library with one skill for every way a call can end. */
export const FIXTURE = join(root, 'test/fixtures/tool-caller');

/** How a command line ended. */
export interface Finished {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
  /** ms from start to end of the process. */
  readonly duration: number;
}

/** What a command line runs with. */
export interface CliOptions {
  readonly input?: string;
  readonly cwd?: string;
  readonly env?: NodeJS.ProcessEnv;
}

/** A new empty folder under the system's temporary one; `remove` takes it away. */
export function temporaryFolder(): { readonly path: string; readonly remove: () => void } {
  const path = mkdtempSync(join(tmpdir(), 'skillwright-e2e-'));
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) };
}

/** Starts `skillwright` in a process of its own, free of what surrounds the tests. */
export function startCli(
  args: readonly string[],
  options: CliOptions = {},
): ChildProcessWithoutNullStreams {
  const {
    NODE_TEST_CONTEXT: _context,
    NODE_OPTIONS: _options,
    SKILLWRIGHT_LIBRARY: _library,
    ...inherited
  } = process.env;
  const env = { ...inherited, ...options.env };
  const child = spawn(process.execPath, [BIN, ...args], { cwd: options.cwd ?? root, env });
  child.stdin.on('error', () => {});
  if (options.input !== undefined) child.stdin.end(options.input);
  return child;
}

/** Waits for a started command line to end. */
export async function finish(child: ChildProcessWithoutNullStreams): Promise<Finished> {
  const startedAt = performance.now();
  const closed = new Promise<number | null>((resolve) => child.once('close', resolve));
  const [code, stdout, stderr] = await Promise.all([
    closed,
    text(child.stdout),
    text(child.stderr),
  ]);
  return { code, stdout, stderr, duration: performance.now() - startedAt };
}

/** Waits for a process to print what an expression finds, and gives its first group; rejects when the process ends without. */
export async function printed(
  child: ChildProcessWithoutNullStreams,
  expression: RegExp,
): Promise<string> {
  let seen = '';
  for await (const chunk of child.stdout.iterator({ destroyOnReturn: false })) {
    seen += String(chunk);
    const match = expression.exec(seen);
    if (match !== null) return match[1] ?? '';
  }
  throw new Error(`The process ended before it printed ${expression}. It printed: ${seen}`);
}

/** A port that is in use until the test ends. */
export async function takenPort(t: TestContext): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  t.after(() => server.close());
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

/** Runs `skillwright` to its end; stdin is empty unless given. */
export function runCli(args: readonly string[], options: CliOptions = {}): Promise<Finished> {
  return finish(startCli(args, { input: '', ...options }));
}
