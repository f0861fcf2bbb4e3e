import type { JsonObject } from '../../base/json.ts';
import type { Finish, Model } from '../model.ts';

/** What is needed of the `ai` package: `import * as ai from 'ai'`. */
export interface AiSdk {
  generateText(options: never): PromiseLike<unknown>;
  jsonSchema(schema: never): unknown;
}

interface Generated {
  readonly text: string;
  readonly finishReason: string;
  readonly toolCalls: readonly unknown[];
  readonly usage?: { readonly inputTokens?: number; readonly outputTokens?: number };
}

const FINISH: Readonly<Record<string, Finish>> = {
  'tool-calls': 'calls',
  length: 'cut',
  'content-filter': 'refused',
};

// Each provider reads its own.
const ONE_BY_ONE = {
  openai: { parallelToolCalls: false },
  anthropic: { disableParallelToolUse: true },
};

/** Any model of any provider of the AI SDK; one step a request, tools are run by the session. */
export function aiSdkModel({ ai, model }: { readonly ai: AiSdk; readonly model: unknown }): Model {
  return {
    dialect: 'ai-sdk',
    userMessage: (text) => ({ role: 'user', content: text }),
    send: async ({ instructions, messages, tools, parallel, signal, onText }) => {
      const described = tools.map(({ name, description, inputSchema }) => [
        name,
        { description, inputSchema: ai.jsonSchema(inputSchema as never) },
      ]);
      const options = {
        model,
        instructions,
        messages: [...messages],
        tools: Object.fromEntries(described) as JsonObject,
        maxRetries: 0,
        ...(parallel ? {} : { providerOptions: ONE_BY_ONE }),
        ...(signal === undefined ? {} : { abortSignal: signal }),
      };
      const generated = (await ai.generateText(options as never)) as Generated;
      const { text, finishReason, usage = {} } = generated;
      if (text !== '') onText?.(text);
      return {
        reply: generated,
        text,
        finish: FINISH[finishReason] ?? 'stop',
        usage: { input: usage.inputTokens ?? 0, output: usage.outputTokens ?? 0 },
      };
    },
  };
}
