import { InvalidArgumentError, type Command } from 'commander';
import { guardProcess } from './guard-process.ts';
import { logProblems } from './log-problems.ts';
import { onStop } from './on-stop.ts';
import { openLibrary, usageError } from './open-library.ts';
import { createTerminal, type GlobalOptions } from './terminal.ts';

interface ServeFlags extends GlobalOptions {
  readonly stdio?: boolean;
  readonly http?: boolean;
  readonly port: number;
  readonly host: string;
}

const HELP = `
--stdio keeps stdout for the protocol and ends when stdin closes; --http runs until Ctrl-C.

Examples:
  $ skillwright serve --stdio --library ./skills
  $ skillwright serve --http --port 3920
  $ claude mcp add skills -- npx skillwright serve --stdio --library /path/to/skills`;

/** Declares `skillwright serve`. */
export function serve(command: Command): void {
  command
    .option('--stdio', 'speak MCP over stdin and stdout')
    .option('--http', 'speak MCP over streamable HTTP')
    .option('--port <n>', 'port for --http; 0 takes a free one', port, 3920)
    .option('--host <address>', 'address for --http to listen on', '127.0.0.1')
    .addHelpText('after', HELP)
    .action(async () => {
      const flags = command.optsWithGlobals<ServeFlags>();
      if ((flags.stdio === true) === (flags.http === true)) {
        throw usageError('Say how to serve: either --stdio or --http.');
      }
      await (flags.stdio === true ? overStdio(flags) : overHttp(flags));
    });
}

function port(text: string): number {
  const value = Number(text);
  if (/^\d+$/.test(text) && value <= 65_535) return value;
  throw new InvalidArgumentError('Send a port from 0 to 65535.');
}

async function overStdio(flags: ServeFlags): Promise<void> {
  const { serveStdio } = await import('../server/mcp/stdio.ts');
  const runtime = await openLibrary(flags.library, { watch: true });
  logProblems(runtime.snapshot.problems, createTerminal(flags));
  // The end of the input is how serving over stdio ends: everything begun is answered and written down.
  onStop(() => process.stdin.destroy());
  guardProcess(runtime.snapshot.skills);
  await serveStdio(runtime);
}

async function overHttp(flags: ServeFlags): Promise<void> {
  const terminal = createTerminal(flags);
  const { serveHttp } = await import('../server/mcp/http.ts');
  const runtime = await openLibrary(flags.library, { watch: true });
  logProblems(runtime.snapshot.problems, terminal);
  try {
    const server = await serveHttp(runtime, { port: flags.port, host: flags.host });
    // Before anything is said: who reads it may stop this process at once.
    const stopped = new Promise<void>((resolve) => onStop(resolve));
    guardProcess(runtime.snapshot.skills);
    if (terminal.machine) await terminal.printJson({ url: server.url });
    const { length } = runtime.snapshot.skills;
    terminal.log(`Serving ${length} skills at ${terminal.err.bold(server.url)} until Ctrl-C.`);
    await stopped;
    await server.close();
  } finally {
    await runtime.close();
  }
}
