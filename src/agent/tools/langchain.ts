import type { AgentSession } from '../agent-session.ts';
import { runnableTools } from './runnable-tools.ts';

/** What is needed of `@langchain/core/tools`. */
export interface LangChainTools<Tool> {
  tool(run: never, options: never): Tool;
}

/** The skills of a session as structured tools of LangChain and LangGraph. */
export function langchainTools<Tool>(session: AgentSession, tools: LangChainTools<Tool>): Tool[] {
  return runnableTools(session).map(({ name, description, schema, run }) => {
    const execute = (input: unknown, config?: { readonly signal?: AbortSignal }): Promise<string> =>
      run(input, config?.signal === undefined ? {} : { signal: config.signal });
    return tools.tool(execute as never, { name, description, schema } as never);
  });
}
