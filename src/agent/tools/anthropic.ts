import type { JsonObject } from '../../base/json.ts';
import type { AgentSession } from '../agent-session.ts';
import { runnableTools } from './runnable-tools.ts';

/** A tool that the Anthropic SDK's tool runner (`client.beta.messages.toolRunner`) runs by itself. */
export interface AnthropicRunnableTool {
  readonly type: 'custom';
  readonly name: string;
  readonly description: string;
  readonly input_schema: { readonly type: 'object' } & JsonObject;
  parse(input: unknown): unknown;
  run(
    input: unknown,
    about?: { readonly signal?: AbortSignal | null | undefined },
  ): Promise<string>;
}

/** The skills of a session for the Anthropic SDK's tool runner. */
export function anthropicTools(session: AgentSession): AnthropicRunnableTool[] {
  const shown = new Map(
    session.toolsFor('anthropic', { fixed: true }).tools.map((tool) => [tool['name'], tool]),
  );
  return runnableTools(session).flatMap(({ name, description, run }): AnthropicRunnableTool[] => {
    const schema = shown.get(name)?.['input_schema'];
    if (schema === undefined) return [];
    return [
      {
        type: 'custom' as const,
        name,
        description,
        input_schema: schema as AnthropicRunnableTool['input_schema'],
        parse: (input: unknown) => input,
        run: (input, about) => {
          const signal = about?.signal ?? undefined;
          return run(input, signal === undefined ? {} : { signal });
        },
      },
    ];
  });
}
