import type { AgentSession } from '../agent-session.ts';
import { runnableTools } from './runnable-tools.ts';

/** What is needed of the `ai` package: `import * as ai from 'ai'`. */
export interface AiSdkSchemas<Schema> {
  jsonSchema(schema: never): Schema;
}

/** One tool as `generateText` and `streamText` take it. */
export interface AiSdkTool<Schema> {
  readonly description: string;
  readonly inputSchema: Schema;
  execute(
    input: unknown,
    about: { readonly toolCallId?: string; readonly abortSignal?: AbortSignal | undefined },
  ): Promise<string>;
}

/** The skills of a session as `tools` of the AI SDK, by the name a model is shown. */
export function aiSdkTools<Schema>(
  session: AgentSession,
  ai: AiSdkSchemas<Schema>,
): Record<string, AiSdkTool<Schema>> {
  return Object.fromEntries(
    runnableTools(session).map(({ name, description, schema, run }) => {
      const tool: AiSdkTool<Schema> = {
        description,
        inputSchema: ai.jsonSchema(schema as never),
        execute: (input, { toolCallId: id, abortSignal: signal }) =>
          run(input, {
            ...(id === undefined ? {} : { id }),
            ...(signal === undefined ? {} : { signal }),
          }),
      };
      return [name, tool];
    }),
  );
}
