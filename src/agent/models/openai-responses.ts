import type { JsonObject } from '../../base/json.ts';
import type { Finish, Model } from '../model.ts';

/** What is needed of the official client (`new OpenAI()`). */
export interface OpenAIResponsesClient {
  readonly responses: {
    create(
      body: never,
      options?: { signal?: AbortSignal | undefined; maxRetries?: number },
    ): PromiseLike<unknown>;
  };
}

interface Response {
  readonly status?: string;
  readonly error?: { readonly message: string } | null;
  readonly incomplete_details?: { readonly reason?: string } | null;
  readonly output: readonly JsonObject[];
  readonly usage?: { readonly input_tokens: number; readonly output_tokens: number };
}

/** A model reached by the OpenAI SDK's Responses; nothing is kept at the vendor, reasoning goes back encrypted. */
export function openaiResponsesModel({
  client,
  model,
}: {
  readonly client: OpenAIResponsesClient;
  readonly model: string;
}): Model {
  return {
    dialect: 'openai.responses',
    userMessage: (text) => ({ role: 'user', content: text }),
    send: async ({ instructions, messages, tools, parallel, signal, onText }) => {
      const body = {
        model,
        instructions,
        input: [...messages],
        store: false,
        include: ['reasoning.encrypted_content'],
        ...(tools.length === 0 ? {} : { tools: [...tools], parallel_tool_calls: parallel }),
      };
      // The loop tries again itself: together they would ask nine times.
      const options = { signal, maxRetries: 0 };
      const response = (await client.responses.create(body as never, options)) as Response;
      if (response.status === 'failed' || response.status === 'cancelled')
        throw new Error(
          response.error?.message ?? `The vendor ended the reply: ${response.status}.`,
        );
      const contents = response.output.flatMap(({ type, content }) =>
        type === 'message' && Array.isArray(content) ? (content as JsonObject[]) : [],
      );
      const refusal = textIn(contents, 'refusal', 'refusal');
      const text = refusal === '' ? textIn(contents, 'output_text', 'text') : refusal;
      if (text !== '') onText?.(text);
      const calls = response.output.some(({ type }) => type === 'function_call');
      const finish: Finish =
        refusal !== '' || response.incomplete_details?.reason === 'content_filter'
          ? 'refused'
          : response.status === 'incomplete'
            ? 'cut'
            : calls
              ? 'calls'
              : 'stop';
      const { usage } = response;
      return {
        reply: response,
        text,
        finish,
        ...(usage === undefined
          ? {}
          : { usage: { input: usage.input_tokens, output: usage.output_tokens } }),
      };
    },
  };
}

function textIn(contents: readonly JsonObject[], type: string, key: string): string {
  return contents
    .filter((part) => part['type'] === type)
    .map((part) => (typeof part[key] === 'string' ? part[key] : ''))
    .join('');
}
