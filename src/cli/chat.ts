import { createInterface } from 'node:readline/promises';
import type { Command } from 'commander';
import type { AgentEvent, AgentOptions, AgentResult } from '../agent/run-agent.ts';
import { runAgent } from '../agent/run-agent.ts';
import type { Model } from '../agent/model.ts';
import type { JsonObject } from '../base/json.ts';
import { guardProcess } from './guard-process.ts';
import { onStop } from './on-stop.ts';
import { openLibrary, usageError } from './open-library.ts';
import { createTerminal, type GlobalOptions, type Terminal } from './terminal.ts';

interface ChatFlags extends GlobalOptions {
  readonly model: string;
  readonly system?: string;
  readonly yes?: boolean;
}

const HELP = `
Models: openai:<model> (Chat Completions), openai-responses:<model>, anthropic:<model>. The key comes from
OPENAI_API_KEY or ANTHROPIC_API_KEY, another address from OPENAI_BASE_URL or ANTHROPIC_BASE_URL. The vendor's
SDK has to be there: npm install openai, or npm install @anthropic-ai/sdk.
stdout holds the model's words; what it calls goes to stderr. A change is asked about first; where nobody can
be asked it is refused, unless --yes.

Examples:
  $ skillwright chat --model openai:gpt-5
  $ skillwright chat --model anthropic:claude-sonnet-4-5 "which tasks are open?"`;

/** Declares `skillwright chat`. */
export function chat(command: Command): void {
  command
    .argument('[message]', 'one message, answered and done; a conversation when absent')
    .requiredOption('--model <provider:model>', 'who answers')
    .option('--system <text>', 'what the model is told about its task')
    .option('--yes', 'let it change things without asking')
    .addHelpText('after', HELP)
    .action(async (message: string | undefined) => {
      const flags = command.optsWithGlobals<ChatFlags>();
      const terminal = createTerminal(flags);
      const model = await openModel(flags.model);
      await converse(message, { model, flags, terminal });
    });
}

/** Where the text is the model's own; anywhere else it says what went wrong. */
const WORDS = new Set<AgentResult['status']>(['done', 'cut', 'refused']);

interface Talk {
  readonly model: Model;
  readonly flags: ChatFlags;
  readonly terminal: Terminal;
}

async function converse(
  message: string | undefined,
  { model, flags, terminal }: Talk,
): Promise<void> {
  const runtime = await openLibrary(flags.library);
  const cancel = new AbortController();
  onStop(() => cancel.abort());
  guardProcess(runtime.snapshot.skills);
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  // On a terminal ^C and ^D close the lines, and nobody can answer any more.
  if (process.stdin.isTTY) lines.once('close', () => cancel.abort());
  try {
    const session = await runtime.openSession({ caller: { id: 'cli', permissions: ['*'] } });
    let history: readonly JsonObject[] = [];
    const answer = async (text: string): Promise<AgentResult> => {
      const result = await runAgent({
        model,
        session,
        messages: [...history, model.userMessage(text)],
        signal: cancel.signal,
        onEvent: (event) => show(event, terminal),
        approve: approval(flags, terminal, (question) =>
          lines.question(question, { signal: cancel.signal }),
        ),
        ...(flags.system === undefined ? {} : { system: flags.system }),
      });
      history = result.messages;
      if (WORDS.has(result.status)) await terminal.print(result.text);
      else terminal.log(result.text);
      if (result.status !== 'done') terminal.log(terminal.err.yellow(result.status));
      process.exitCode = result.status === 'done' ? 0 : 1;
      return result;
    };
    if (message !== undefined) await answer(message);
    else {
      terminal.log(terminal.err.dim('Say something; an empty line ends the conversation.'));
      // Behind the end of piped input there is nothing to prompt any more.
      const prompt = (): void => {
        if (process.stdin.isTTY) lines.prompt();
      };
      prompt();
      for await (const line of lines) {
        if (line.trim() === '' || cancel.signal.aborted) break;
        await answer(line);
        prompt();
      }
    }
  } finally {
    lines.close();
    await runtime.close();
  }
}

function show(event: AgentEvent, { log, err }: Terminal): void {
  if (event.type === 'call') log(err.dim(`calls ${event.name}`));
  if (event.type === 'result' && !event.ok) log(err.red('  it failed; the model is told why'));
}

function approval(
  { yes = false }: ChatFlags,
  { err, log }: Terminal,
  ask: (question: string) => Promise<string>,
): NonNullable<AgentOptions['approve']> {
  return async ({ effect, skill, params }) => {
    if (effect !== 'write' || yes) return true;
    const shown = `${err.yellow(skill)} ${JSON.stringify(params)}`;
    if (process.stdin.isTTY) return /^y(es)?$/i.test((await ask(`Run ${shown}? [y/N] `)).trim());
    log(`${shown} was refused: nobody can be asked. Pass --yes to let it change things.`);
    return false;
  };
}

const KEYS: Readonly<Record<string, string>> = {
  openai: 'OPENAI_API_KEY',
  'openai-responses': 'OPENAI_API_KEY',
  anthropic: 'ANTHROPIC_API_KEY',
};

async function openModel(given: string): Promise<Model> {
  const [provider = '', ...rest] = given.split(':');
  const model = rest.join(':');
  const key = KEYS[provider];
  if (key === undefined || model === '')
    throw usageError(
      `${given} is no model. Send provider:model with one of ${Object.keys(KEYS).join(', ')}, as in openai:gpt-5.`,
    );
  if ((process.env[key] ?? '') === '')
    throw usageError(`There is no key for ${provider}. Set the environment variable ${key}.`);
  try {
    if (provider === 'anthropic') {
      const { default: Anthropic } = await import('@anthropic-ai/sdk');
      const { anthropicModel } = await import('../agent/models/anthropic.ts');
      return anthropicModel({ client: new Anthropic({ maxRetries: 0 }), model });
    }
    const { default: OpenAI } = await import('openai');
    const client = new OpenAI({ maxRetries: 0 });
    if (provider === 'openai-responses') {
      const { openaiResponsesModel } = await import('../agent/models/openai-responses.ts');
      return openaiResponsesModel({ client, model });
    }
    const { openaiChatModel } = await import('../agent/models/openai-chat.ts');
    return openaiChatModel({ client, model });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_MODULE_NOT_FOUND') throw error;
    const name = provider === 'anthropic' ? '@anthropic-ai/sdk' : 'openai';
    throw usageError(`The SDK of ${provider} is not there. Run "npm install ${name}".`);
  }
}
