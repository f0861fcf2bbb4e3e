import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import type { Socket } from 'node:net';
import type { Writable } from 'node:stream';

/** A program with its arguments, where it runs and everything it sees of the environment. */
export interface Launch {
  readonly program: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
}

/** How a process ended: its exit status or the signal that ended it, or why it never started. */
export interface Ending {
  readonly status: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly error: NodeJS.ErrnoException | undefined;
}

const DRAIN_MS = 200;
const running = new Set<ProcessGroup>();
let guarded = false;

/**
 * A process at the head of a process group of its own, so that it ends together with everything it
 * started. A program that cannot be started is told by `ended`; the constructor throws only when the
 * system refuses this process any more files or arguments.
 */
export class ProcessGroup {
  readonly program: string;
  readonly #child: ChildProcessWithoutNullStreams;
  #drain: NodeJS.Timeout | undefined;
  /** Resolves when the process is reaped, the rest of its group killed and its pipes closed. */
  readonly ended: Promise<Ending>;

  constructor({ program, args, cwd, env }: Launch) {
    this.program = program;
    this.#child = spawn(program, args, { cwd, env, detached: true, stdio: 'pipe' });
    this.ended = this.#watch();
    const stdin = this.#child.stdin as Writable | undefined;
    if (stdin === undefined) throw new Error(`Too many open files to start ${program}.`);
    // What a process that has stopped reading misses is told by how it ends.
    stdin.on('error', () => {});
    running.add(this);
    guardExit();
  }

  get stdin(): ChildProcessWithoutNullStreams['stdin'] {
    return this.#child.stdin;
  }

  get stdout(): ChildProcessWithoutNullStreams['stdout'] {
    return this.#child.stdout;
  }

  get stderr(): ChildProcessWithoutNullStreams['stderr'] {
    return this.#child.stderr;
  }

  /** True once the process is reaped, be there output to read or not. */
  get exited(): boolean {
    return this.#child.exitCode !== null || this.#child.signalCode !== null;
  }

  /** Ends the whole group at once and reads no further. */
  kill(): void {
    this.#child.ref();
    this.#signal();
    this.#closePipes();
  }

  /** Lets its host end while it is idle: from now on it keeps the host alive only while it is held. */
  detach(): void {
    this.#child.unref();
    const { stdin, stdout, stderr } = this.#child;
    for (const pipe of [stdin, stdout, stderr]) (pipe as Socket).unref();
  }

  /** Keeps the host alive until `release` or the end of the process. */
  hold(): void {
    this.#child.ref();
  }

  /** Undoes `hold`. */
  release(): void {
    this.#child.unref();
  }

  #watch(): Promise<Ending> {
    const child = this.#child;
    let error: NodeJS.ErrnoException | undefined;
    return new Promise((resolve) => {
      child.once('error', (cause) => {
        error = cause;
        // Nothing else would tell the pipes of a program that was never started, once they are detached.
        if (running.has(this)) this.#closePipes();
      });
      child.once('exit', () => {
        this.#signal();
        // A process that left the group may hold the pipes open for ever. What was written before is
        // there to be read by now, but timers run before reads do: hence one turn more.
        this.#drain = setTimeout(() => setImmediate(() => this.#closePipes()), DRAIN_MS);
      });
      child.once('close', (status: number | null, signal: NodeJS.Signals | null) => {
        clearTimeout(this.#drain);
        running.delete(this);
        resolve({ status, signal, error });
      });
    });
  }

  #signal(): void {
    const { pid } = this.#child;
    if (pid === undefined || !running.has(this)) return;
    // Those that made a group of their own are found only while their parents live.
    const left = this.exited ? [] : descendants(pid);
    try {
      process.kill(-pid, 'SIGKILL');
    } catch {
      // Nothing is left of the group, or the system has no groups.
      this.#child.kill('SIGKILL');
    }
    for (const stray of left) {
      try {
        process.kill(stray, 'SIGKILL');
      } catch {
        // It went with the group.
      }
    }
  }

  #closePipes(): void {
    this.#child.stdin.destroy();
    this.#child.stdout.destroy();
    this.#child.stderr.destroy();
  }
}

/** The processes under one, where the system tells (Linux); empty elsewhere. */
function descendants(pid: number): readonly number[] {
  try {
    const listed = readdirSync(`/proc/${pid}/task`).flatMap((task) =>
      readFileSync(`/proc/${pid}/task/${task}/children`, 'utf8').split(' '),
    );
    const children = listed.map(Number).filter((child) => child > 0);
    return [...children, ...children.flatMap(descendants)];
  } catch {
    return [];
  }
}

/** Detached groups would outlive a host that calls process.exit. */
function guardExit(): void {
  if (guarded) return;
  guarded = true;
  process.on('exit', () => {
    for (const group of running) group.kill();
  });
}
