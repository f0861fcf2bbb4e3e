import { CallCollector } from '../../adapters/collect-stream.ts';
import type { JsonObject } from '../../base/json.ts';
import { brokenStream } from '../broken-stream.ts';
import type { Finish, Model, ModelReply, ModelRequest } from '../model.ts';

/** What is needed of the official client (`new OpenAI()`), or of any that speaks Chat Completions. */
export interface OpenAIChatClient {
  readonly chat: {
    readonly completions: {
      create(body: never, options?: { signal?: AbortSignal | undefined }): PromiseLike<unknown>;
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

interface Delta {
  readonly content?: string | null;
  readonly refusal?: string | null;
  readonly tool_calls?: readonly {
    readonly index?: number;
    readonly id?: string;
    readonly function?: { readonly name?: string; readonly arguments?: string };
  }[];
}

interface Chunk {
  readonly choices: readonly { readonly delta?: Delta; readonly finish_reason?: string | null }[];
  readonly usage?: { readonly prompt_tokens: number; readonly completion_tokens: number } | null;
}

interface Completion {
  readonly choices: readonly {
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
      const options = { signal: request.signal };
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
  const [choice] = completion.choices;
  const refusal = choice?.message.refusal ?? '';
  return {
    reply: completion,
    text: choice?.message.content ?? refusal,
    finish: refusal === '' ? (FINISH[choice?.finish_reason ?? ''] ?? 'stop') : 'refused',
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
  for await (const chunk of chunks) {
    usage = chunk.usage ?? usage;
    const [choice] = chunk.choices;
    reason = choice?.finish_reason ?? reason;
    const { content, refusal: refused, tool_calls: calls = [] } = choice?.delta ?? {};
    if (typeof content === 'string' && content !== '') {
      text += content;
      onText(content);
    }
    refusal += refused ?? '';
    for (const call of calls)
      collector.push({
        ...(call.index === undefined ? {} : { index: call.index }),
        id: call.id ?? '',
        name: call.function?.name ?? '',
        arguments: call.function?.arguments ?? '',
      });
  }
  if (reason === undefined) throw brokenStream();
  const calls = collector.end(reason).map(({ id, name, arguments: sent }) => ({
    id,
    type: 'function',
    function: { name, arguments: sent },
  }));
  const message = {
    role: 'assistant',
    content: text === '' ? null : text,
    ...(calls.length === 0 ? {} : { tool_calls: calls }),
  };
  return {
    reply: { choices: [{ message, finish_reason: reason }] },
    text: refusal === '' ? text : refusal,
    finish: refusal === '' ? (FINISH[reason] ?? 'stop') : 'refused',
    ...usageOf(usage ?? undefined),
  };
}

function usageOf(usage: Completion['usage']): Pick<ModelReply, 'usage'> | object {
  return usage === undefined
    ? {}
    : { usage: { input: usage.prompt_tokens, output: usage.completion_tokens } };
}
