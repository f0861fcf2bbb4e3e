import type { AgentSession } from '../agent-session.ts';
import { runnableTools } from './runnable-tools.ts';

/** What is needed of `@openai/agents`: `import * as agents from '@openai/agents'`. */
export interface OpenAIAgents<Tool> {
  tool(options: never): Tool;
}

/** The skills of a session as tools of an agent of `@openai/agents`. */
export function openaiAgentsTools<Tool>(session: AgentSession, agents: OpenAIAgents<Tool>): Tool[] {
  return runnableTools(session).map(({ name, description, schema, run }) =>
    agents.tool({
      name,
      description,
      // Required there although JSON Schema does not ask for it.
      parameters: { required: [], ...schema, additionalProperties: true },
      strict: false,
      execute: (input: unknown, _context: unknown, about?: { readonly signal?: AbortSignal }) =>
        run(input, about?.signal === undefined ? {} : { signal: about.signal }),
      // Its own words would hide from the model what to do.
      errorFunction: (_context: unknown, error: unknown) =>
        error instanceof Error ? error.message : String(error),
    } as never),
  );
}
