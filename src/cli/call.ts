import { InvalidArgumentError, type Command } from 'commander';
import { isPlainObject, type JsonObject } from '../base/json.ts';
import type {
  CallRequest,
  DiscoverEnvelope,
  DiscoverRequest,
  Envelope,
} from '../contract/envelope.ts';
import { ERROR_CODES } from '../contract/error.ts';
import { checkRequest, type WellFormed } from '../runtime/check-request.ts';
import type { Progress, Runtime } from '../runtime/runtime.ts';
import { guardOutput } from './guard-process.ts';
import { notExecuted } from './not-executed.ts';
import { onStop } from './on-stop.ts';
import { openLibrary } from './open-library.ts';
import { readRequest } from './read-request.ts';
import { renderTrace } from './render-trace.ts';
import { createTerminal, type GlobalOptions, type Terminal } from './terminal.ts';

interface CallFlags extends GlobalOptions {
  readonly timeout?: number;
  readonly retries?: number;
  readonly retryDelay?: number;
  readonly deadline?: number;
  readonly format?: string;
  readonly readOnly?: boolean;
  readonly dryRun?: boolean;
  readonly trace?: boolean;
}

const EXITS = Object.entries(ERROR_CODES).map(([code, { exit }]) => `${exit} ${code}`);

const HELP = `
An envelope on stdin ("call -") is {"toolName", "params", "options"} or {"action":"discover","options":{"filter"}}.
stdout holds the answering envelope alone; logs and progress go to stderr. Ctrl-C cancels the call.
Exit codes: 0 success, ${EXITS.join(', ')}.

Examples:
  $ skillwright call task.create '{"title":"Order paper"}'
  $ skillwright call task.create '{"title":"Order paper"}' --dry-run
  $ skillwright call report.daily '{"region":"East"}' --deadline 30000 --retries 1 --trace
  $ echo '{"toolName":"task.list","params":{},"options":{"timeout":800}}' | skillwright call -
  $ echo '{"action":"discover","options":{"filter":"task"}}' | skillwright call -`;

/** Declares `skillwright call`. */
export function call(command: Command): void {
  command
    .argument(
      '<skill>',
      'its name, perhaps with a release line (task.create@1.2); - reads an envelope from stdin',
    )
    .argument('[params]', 'its parameters as a JSON object')
    .option('--timeout <ms>', 'for one attempt (default 5000)', number)
    .option('--retries <n>', 'attempts after the first (default 3)', number)
    .option('--retry-delay <ms>', 'between attempts (default 1000)', number)
    .option(
      '--deadline <ms>',
      'for the whole call, retries and delays included (default 4900)',
      number,
    )
    .option('--format <form>', 'json (parsed) or raw (as the body gave it)')
    .option('--read-only', 'refuse everything that writes')
    .option('--dry-run', 'clean and check the parameters, execute nothing')
    .option('--trace', 'show the tree of steps on stderr afterwards')
    .addHelpText('after', HELP)
    .action(async (skill: string, params: string | undefined) => {
      const flags = command.optsWithGlobals<CallFlags>();
      const request = withFlags(await readRequest(skill, params), flags);
      await run(request, flags, createTerminal(flags));
    });
}

function number(text: string): number {
  const value = Number(text);
  if (text.trim() === '' || Number.isNaN(value)) throw new InvalidArgumentError('Send a number.');
  return value;
}

/** The request with the options of the command line over its own. */
function withFlags(request: JsonObject, flags: CallFlags): JsonObject {
  const { timeout, retries, retryDelay, deadline, format } = flags;
  const given = Object.entries({ timeout, retries, retryDelay, deadline, format }).filter(
    ([, value]) => value !== undefined,
  );
  const own = request['options'] ?? {};
  if (given.length === 0 || !isPlainObject(own)) return request;
  return { ...request, options: { ...own, ...Object.fromEntries(given) } as JsonObject };
}

async function run(request: JsonObject, flags: CallFlags, terminal: Terminal): Promise<void> {
  const cancel = new AbortController();
  onStop(() => cancel.abort());
  const runtime = await openLibrary(flags.library);
  guardOutput(runtime.snapshot.skills);
  try {
    const envelope = await answer(request, { runtime, flags, signal: cancel.signal, terminal });
    process.exitCode = envelope.success ? 0 : ERROR_CODES[envelope.error.code].exit;
    await terminal.printJson(envelope);
    if (flags.trace === true && 'traceId' in envelope.metadata) {
      const tree = await runtime.trace(envelope.metadata.traceId);
      if (tree !== undefined) terminal.log(renderTrace(tree, terminal.err));
    }
  } finally {
    await runtime.close();
  }
}

interface Answering {
  readonly runtime: Runtime;
  readonly flags: CallFlags;
  readonly signal: AbortSignal;
  readonly terminal: Terminal;
}

async function answer(
  request: JsonObject,
  { runtime, flags, signal, terminal }: Answering,
): Promise<Envelope | DiscoverEnvelope> {
  const session = await runtime.openSession({
    caller: { id: 'cli', permissions: ['*'] },
    mode: flags.readOnly === true ? 'read-only' : 'read-write',
  });
  if (request['action'] === 'discover') {
    return session.discover(request as unknown as DiscoverRequest);
  }
  const read = checkRequest(request);
  // A request with faults is never executed: the session says what they are.
  if (flags.dryRun === true && !('code' in read)) return dryRun(runtime, read);
  const onProgress = ({ done, total, message }: Progress): void => {
    const share = total === undefined ? `${done}` : `${done}/${total}`;
    terminal.log(terminal.err.dim(message === undefined ? share : `${share} ${message}`));
  };
  return session.call(request as unknown as CallRequest, { signal, onProgress });
}

async function dryRun(runtime: Runtime, { toolName, params }: WellFormed): Promise<Envelope> {
  const found = await runtime.validateSkill(toolName, params);
  // What names no skill may be anything, and is not repeated.
  const known = found.valid || found.error.code !== 'TOOL_NOT_FOUND';
  const metadata = notExecuted(known ? toolName : '');
  if (!found.valid) return { success: false, result: null, error: found.error, metadata };
  const { warnings } = found;
  return {
    success: true,
    result: { params: found.params },
    metadata: warnings.length === 0 ? metadata : { ...metadata, warnings },
  };
}
