import { readFileSync } from 'node:fs';
import { Command, CommanderError } from 'commander';
import { ERROR_CODES } from '../contract/error.ts';
import './resolve-self.ts';
import { refusal } from './not-executed.ts';
import { createTerminal, type GlobalOptions } from './terminal.ts';

/** Declares a command's arguments, options, help and action. */
type Declare = (command: Command) => void;

// A command's file is read only when its name is on the command line, so that a call starts fast.
const COMMANDS: Readonly<Record<string, readonly [summary: string, () => Promise<Declare>]>> = {
  call: ['Run one skill and print its envelope', async () => (await import('./call.ts')).call],
  discover: [
    'Print what can be called, as an envelope',
    async () => (await import('./discover.ts')).discover,
  ],
  list: [
    'Show the skills of the library and its problems',
    async () => (await import('./list.ts')).list,
  ],
  describe: [
    'Show everything a skill promises',
    async () => (await import('./describe.ts')).describe,
  ],
  serve: ['Serve the library to MCP clients', async () => (await import('./serve.ts')).serve],
  new: [
    'Write a new skill that works at once',
    async () => (await import('./new-skill.ts')).newSkill,
  ],
  chat: ['Talk to a model that uses the skills', async () => (await import('./chat.ts')).chat],
  compile: [
    'Print the skills as tools of a model vendor',
    async () => (await import('./compile.ts')).compile,
  ],
  graph: [
    'Show what a skill needs and what needs it',
    async () => (await import('./graph.ts')).graph,
  ],
  test: [
    'Run the examples, tests and extreme parameters of skills',
    async () => (await import('./test.ts')).test,
  ],
};

const HELP = `
Examples:
  $ skillwright new skill greeting.say-hello
  $ skillwright call greeting.say-hello '{"text":"hello"}'
  $ echo '{"toolName":"greeting.say-hello","params":{"text":"hello"}}' | skillwright call -
  $ skillwright serve --stdio

"skillwright <command> --help" shows the options and examples of a command.`;

/** Runs the command line `argv` (as process.argv) and ends the process with its exit code. */
export async function main(argv: readonly string[]): Promise<void> {
  const { stdout, exit } = process;
  const write = stdout.write.bind(stdout);
  stdout.on('error', onOutputError);
  process.stderr.on('error', () => {});
  const words = argv.slice(2);
  const program = await declare(words.filter(isCommand));
  const [first = '-'] = words;
  // Asking for the help of a command that is not there would show the general help, as if all were well.
  const mistaken = !first.startsWith('-') && first !== 'help' && !isCommand(first);
  try {
    await program.parseAsync(mistaken ? argv.slice(0, 3) : argv);
  } catch (error) {
    await report(error, program.args[0], program.opts<GlobalOptions>());
  }
  // A body that was cut off may still hold a socket or a timer: the command is over all the same.
  write('', () => exit.call(process));
}

function isCommand(word: string): boolean {
  return Object.hasOwn(COMMANDS, word);
}

async function declare(named: readonly string[]): Promise<Command> {
  const program = new Command('skillwright')
    .description(
      'The skill layer for AI agents: find skills, call them correctly, keep them governed.',
    )
    .version(readVersion())
    .option(
      '--library <path>',
      'folder of skills or registry file (default: $SKILLWRIGHT_LIBRARY, else ./skills)',
    )
    .option('--json', 'print JSON on one line, whatever stdout is')
    .option('-q, --quiet', 'no progress and no remarks on stderr')
    .option('--no-color', 'no colours')
    .addHelpText('after', HELP)
    .configureHelp({ showGlobalOptions: true })
    .configureOutput({ outputError: () => {} })
    .showSuggestionAfterError()
    .exitOverride();
  for (const [name, [summary, load]] of Object.entries(COMMANDS)) {
    const command = program.command(name).description(summary);
    if (named.includes(name)) (await load())(command);
  }
  return program;
}

function readVersion(): string {
  const text = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');
  return (JSON.parse(text) as { version: string }).version;
}

/** Says what went wrong: in an envelope where the reader expects one, else as a line on stderr. */
async function report(
  error: unknown,
  command: string | undefined,
  options: GlobalOptions,
): Promise<void> {
  const usage = error instanceof CommanderError;
  if (usage && error.exitCode === 0) return;
  const message = error instanceof Error ? error.message.replace(/^error: /, '') : String(error);
  if (command === 'call' || command === 'discover') {
    const code = usage ? 'INVALID_PARAMS' : 'INTERNAL_ERROR';
    const hint = usage ? ` See "skillwright ${command} --help".` : '';
    await createTerminal(options).printJson(refusal(code, message + hint));
    process.exitCode = ERROR_CODES[code].exit;
    return;
  }
  process.exitCode = usage ? 2 : 1;
  // Commander has shown the help already when that was all there was to say.
  if (usage && error.code === 'commander.help') return;
  const hint = usage
    ? `\nSee "skillwright ${command === undefined || !isCommand(command) ? '' : `${command} `}--help".`
    : '';
  process.stderr.write(`${message}${hint}\n`);
}

/** A reader that has gone away (`| head`) is no failure; a full disk is. */
function onOutputError(error: NodeJS.ErrnoException): void {
  if (error.code === 'EPIPE' || error.code === 'ERR_STREAM_DESTROYED') return;
  process.stderr.write(`The output could not be written: ${error.message}\n`);
  process.exitCode = 1;
}
