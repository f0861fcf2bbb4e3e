import { LenientJson } from '../../adapters/lenient-json.ts';
import type { Json, JsonObject } from '../../base/json.ts';
import { brokenStream } from '../broken-stream.ts';
import type { Finish, Model, ModelReply, ModelRequest } from '../model.ts';

/** What is needed of the official client (`new Anthropic()`). */
export interface AnthropicClient {
  readonly messages: {
    create(
      body: never,
      options?: { signal?: AbortSignal | undefined; maxRetries?: number },
    ): PromiseLike<unknown>;
  };
}

/** How a model of Anthropic is reached. */
export interface AnthropicOptions {
  readonly client: AnthropicClient;
  readonly model: string;
  /** Most tokens of one reply. Default 8192. */
  readonly maxTokens?: number;
  /** `anthropic` (default) or `anthropic.strict`. */
  readonly dialect?: string;
}

interface Message {
  readonly content: readonly JsonObject[];
  readonly stop_reason: string | null;
  readonly usage?: { readonly input_tokens: number; readonly output_tokens: number };
}

interface StreamEvent {
  readonly type: string;
  readonly index?: number;
  readonly message?: Message;
  readonly content_block?: JsonObject;
  readonly delta?: JsonObject;
  readonly usage?: { readonly output_tokens: number };
}

const FINISH: Readonly<Record<string, Finish>> = {
  tool_use: 'calls',
  max_tokens: 'cut',
  model_context_window_exceeded: 'cut',
  refusal: 'refused',
  pause_turn: 'pause',
};

/** A model reached by the Anthropic SDK; streams when somebody listens. */
export function anthropicModel({
  client,
  model,
  maxTokens = 8192,
  dialect = 'anthropic',
}: AnthropicOptions): Model {
  return {
    dialect,
    userMessage: (text) => ({ role: 'user', content: text }),
    send: async (request) => {
      const body = bodyOf({ model, maxTokens }, request);
      // The loop tries again itself: together they would ask nine times.
      const options = { signal: request.signal, maxRetries: 0 };
      if (request.onText === undefined)
        return replyOf((await client.messages.create(body as never, options)) as Message);
      const events = await client.messages.create({ ...body, stream: true } as never, options);
      return replyOf(await collect(events as AsyncIterable<StreamEvent>, request.onText));
    },
  };
}

function bodyOf(
  { model, maxTokens }: { readonly model: string; readonly maxTokens: number },
  { instructions, messages, tools, parallel }: ModelRequest,
): JsonObject {
  return {
    model,
    max_tokens: maxTokens,
    system: instructions,
    messages: [...messages],
    ...(tools.length === 0
      ? {}
      : { tools: [...tools], tool_choice: { type: 'auto', disable_parallel_tool_use: !parallel } }),
  };
}

function replyOf(message: Message): ModelReply {
  const { content, stop_reason: reason, usage } = message;
  const text = content
    .filter(({ type }) => type === 'text')
    .map((block) => (typeof block['text'] === 'string' ? block['text'] : ''))
    .join('');
  return {
    reply: message,
    text,
    finish: FINISH[reason ?? 'max_tokens'] ?? 'stop',
    ...(usage === undefined
      ? {}
      : { usage: { input: usage.input_tokens, output: usage.output_tokens } }),
  };
}

async function collect(
  events: AsyncIterable<StreamEvent>,
  onText: (text: string) => void,
): Promise<Message> {
  const blocks = new Map<number, JsonObject>();
  const inputs = new Map<number, string>();
  let reason: string | null = null;
  let input = 0;
  let output = 0;
  for await (const {
    type,
    index = 0,
    message,
    content_block: block,
    delta = {},
    usage,
  } of events) {
    if (type === 'message_start') input = message?.usage?.input_tokens ?? 0;
    if (type === 'content_block_start' && block !== undefined) blocks.set(index, { ...block });
    if (type === 'content_block_delta') {
      const { type: kind, partial_json: json } = delta;
      if (kind === 'input_json_delta' && typeof json === 'string')
        inputs.set(index, (inputs.get(index) ?? '') + json);
      else append(blocks.get(index), delta);
      if (kind === 'text_delta' && typeof delta['text'] === 'string') onText(delta['text']);
    }
    if (type === 'message_delta') {
      reason = typeof delta['stop_reason'] === 'string' ? delta['stop_reason'] : reason;
      output = usage?.output_tokens ?? output;
    }
  }
  for (const [index, text] of inputs) {
    const block = blocks.get(index);
    if (block !== undefined && text !== '') block['input'] = readInput(text);
  }
  const content = [...blocks].sort(([left], [right]) => left - right).map(([, block]) => block);
  if (reason === null) throw brokenStream();
  return {
    content,
    stop_reason: reason,
    usage: { input_tokens: input, output_tokens: output },
  };
}

const PARTS: Readonly<Record<string, string>> = {
  text_delta: 'text',
  thinking_delta: 'thinking',
  signature_delta: 'signature',
};

function append(block: JsonObject | undefined, delta: JsonObject): void {
  const key = PARTS[typeof delta['type'] === 'string' ? delta['type'] : ''];
  if (block === undefined || key === undefined) return;
  const old = block[key];
  const more = delta[key];
  block[key] = `${typeof old === 'string' ? old : ''}${typeof more === 'string' ? more : ''}`;
}

/** The input as an object; text that is none stays text, and the decoder tells the model why. */
function readInput(text: string): Json {
  try {
    const reader = new LenientJson(text);
    const value = reader.value();
    return reader.repairs.size === 0 && reader.at === text.length ? value : text;
  } catch {
    return text;
  }
}
