import type { JsonObject } from '../../base/json.ts';
import type { AgentSession } from '../agent-session.ts';

/** One skill as a tool that a framework can run by itself. */
export interface RunnableTool {
  readonly name: string;
  readonly description: string;
  /** JSON Schema of its input. */
  readonly schema: JsonObject;
  /** Runs one call through the session; the text is for the model. Rejects with an Error that says what to do when it fails. */
  run(
    input: unknown,
    call?: { readonly id?: string; readonly signal?: AbortSignal },
  ): Promise<string>;
}

/**
 * The skills of a session for a framework with a loop of its own. Every call goes through the session: it is
 * cleaned, judged, limited and recorded like any other.
 */
export function runnableTools(session: AgentSession): readonly RunnableTool[] {
  const { tools } = session.toolsFor('ai-sdk');
  return tools.map(({ name, description, inputSchema }) => ({
    name: name as string,
    description: description as string,
    schema: inputSchema as JsonObject,
    run: async (input, { id = 'call', signal } = {}) => {
      const reply = {
        toolCalls: [{ toolCallId: id, toolName: name, input }],
        finishReason: 'tool-calls',
      };
      const { messages } = await session.dispatch('ai-sdk', reply, {
        parallel: true,
        denied: {},
        approved: {},
        ...(signal === undefined ? {} : { signal }),
      });
      const [result] = (messages.at(-1)?.['content'] ?? []) as readonly {
        readonly output?: { readonly type: string; readonly value: string };
      }[];
      const { type, value = '' } = result?.output ?? {};
      if (type === 'error-text') throw new Error(value);
      return value;
    },
  }));
}
