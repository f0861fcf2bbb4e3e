import { CallCollector } from '../../adapters/collect-stream.ts';
import type { Json, JsonObject } from '../../base/json.ts';
import { brokenStream } from '../broken-stream.ts';
import type { Finish, Model, ModelReply, ModelRequest } from '../model.ts';

/** What is needed of the official client (`new OpenAI()`), or of any that speaks Chat Completions. */
export interface OpenAIChatClient {
  readonly chat: {
    readonly completions: {
      create(
        body: never,
        options?: { signal?: AbortSignal | undefined; maxRetries?: number },
      ): PromiseLike<unknown>;
    };
  };
}

/** How a model of Chat Completions is reached. */
export interface OpenAIChatOptions {
  readonly client: OpenAIChatClient;
  readonly model: string;
  /** `openai.chat` (default), `openai.strict`, or another that speaks Chat Completions. */
  readonly dialect?: string;
}

interface Delta extends Readonly<Record<string, unknown>> {
  readonly content?: string | null;
  readonly refusal?: string | null;
  readonly tool_calls?: readonly CallDelta[];
}

interface CallDelta extends Readonly<Record<string, unknown>> {
  readonly index?: number;
  readonly id?: string;
  readonly function?: { readonly name?: string; readonly arguments?: string };
}

interface Chunk {
  readonly choices?: readonly { readonly delta?: Delta; readonly finish_reason?: string | null }[];
  readonly usage?: { readonly prompt_tokens: number; readonly completion_tokens: number } | null;
}

interface Completion {
  readonly error?: { readonly message?: string };
  readonly choices?: readonly {
    readonly message: { readonly content?: string | null; readonly refusal?: string | null };
    readonly finish_reason: string;
  }[];
  readonly usage?: { readonly prompt_tokens: number; readonly completion_tokens: number };
}

const FINISH: Readonly<Record<string, Finish>> = {
  tool_calls: 'calls',
  function_call: 'calls',
  length: 'cut',
  content_filter: 'refused',
};

/** A model reached by the OpenAI SDK's Chat Completions; streams when somebody listens. */
export function openaiChatModel({
  client,
  model,
  dialect = 'openai.chat',
}: OpenAIChatOptions): Model {
  return {
    dialect,
    userMessage: (text) => ({ role: 'user', content: text }),
    send: async (request) => {
      const body = bodyOf(model, request);
      // The loop tries again itself: together they would ask nine times.
      const options = { signal: request.signal, maxRetries: 0 };
      if (request.onText === undefined)
        return whole((await client.chat.completions.create(body as never, options)) as Completion);
      const stream = { ...body, stream: true, stream_options: { include_usage: true } };
      const chunks = await client.chat.completions.create(stream as never, options);
      return collect(chunks as AsyncIterable<Chunk>, request.onText);
    },
  };
}

function bodyOf(
  model: string,
  { instructions, messages, tools, parallel }: ModelRequest,
): JsonObject {
  return {
    model,
    messages: [{ role: 'system', content: instructions }, ...messages],
    ...(tools.length === 0 ? {} : { tools: [...tools], parallel_tool_calls: parallel }),
  };
}

function whole(completion: Completion): ModelReply {
  const { choices: [choice] = [], error } = completion;
  // Some gateways tell their errors with status 200.
  if (choice === undefined) throw new Error(error?.message ?? 'The vendor gave no reply.');
  const { content, refusal } = choice.message;
  const refused = typeof refusal === 'string' && refusal !== '';
  return {
    reply: completion,
    text: refused ? refusal : (content ?? ''),
    finish: refused ? 'refused' : (FINISH[choice.finish_reason] ?? 'stop'),
    ...usageOf(completion.usage),
  };
}

async function collect(
  chunks: AsyncIterable<Chunk>,
  onText: (text: string) => void,
): Promise<ModelReply> {
  const collector = new CallCollector();
  let text = '';
  let refusal = '';
  let reason: string | undefined;
  let usage: Chunk['usage'];
  const message: JsonObject = {};
  const extras: JsonObject[] = [];
  for await (const chunk of chunks) {
    usage = chunk.usage ?? usage;
    const [choice] = chunk.choices ?? [];
    reason = choice?.finish_reason ?? reason;
    const { content, refusal: refused, tool_calls: calls, ...others } = choice?.delta ?? {};
    keep(message, others);
    if (typeof content === 'string' && content !== '') {
      text += content;
      onText(content);
    }
    refusal += refused ?? '';
    for (const call of calls ?? []) {
      const { index, id, function: own, type: _type, ...signed } = call;
      const place = collector.push({
        ...(index === undefined ? {} : { index }),
        id: id ?? '',
        name: own?.name ?? '',
        arguments: own?.arguments ?? '',
      });
      keep((extras[place] ??= {}), signed);
    }
  }
  if (reason === undefined) throw brokenStream();
  const calls = collector.end(reason).map(({ id, name, arguments: sent }, place) => ({
    ...extras[place],
    id,
    type: 'function',
    function: { name, arguments: sent },
  }));
  Object.assign(message, { role: 'assistant', content: text === '' ? null : text });
  if (refusal !== '') message['refusal'] = refusal;
  if (calls.length > 0) message['tool_calls'] = calls as Json[];
  return {
    reply: { choices: [{ message, finish_reason: reason }] },
    text: refusal === '' ? text : refusal,
    finish: refusal === '' ? (FINISH[reason] ?? 'stop') : 'refused',
    ...usageOf(usage ?? undefined),
  };
}

/** Vendors put more into a turn than OpenAI does, thoughts and signatures, and want it back as it came. */
function keep(whole: JsonObject, delta: Readonly<Record<string, unknown>>): void {
  for (const [key, value] of Object.entries(delta)) {
    const old = whole[key];
    if (typeof old === 'string' && typeof value === 'string') whole[key] = old + value;
    else if (Array.isArray(old) && Array.isArray(value))
      whole[key] = [...old, ...(value as Json[])];
    else if (value !== null && value !== undefined) whole[key] = value as Json;
  }
}

function usageOf(usage: Completion['usage']): Pick<ModelReply, 'usage'> | object {
  return usage === undefined
    ? {}
    : { usage: { input: usage.prompt_tokens, output: usage.completion_tokens } };
}
