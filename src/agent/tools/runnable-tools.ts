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
 * cleaned, judged, limited and recorded like any other. Reads run together and each write alone, in the order in
 * which the framework begins them.
 */
export function runnableTools(session: AgentSession): readonly RunnableTool[] {
  const { tools, nameTable, decodePlans } = session.toolsFor('ai-sdk', { fixed: true });
  const inOrder = ordered();
  return tools.map((tool) => {
    const name = tool['name'] as string;
    const skill = nameTable.skill(name) ?? '';
    const write = decodePlans.get(skill)?.contract.side_effect.kind === 'write';
    return {
      name,
      description: tool['description'] as string,
      schema: tool['inputSchema'] as JsonObject,
      run: (input, call = {}) => inOrder(write, () => runOne(session, { name, input, ...call })),
    };
  });
}

interface One {
  readonly name: string;
  readonly input: unknown;
  readonly id?: string;
  readonly signal?: AbortSignal;
}

async function runOne(
  session: AgentSession,
  { name, input, id = 'call', signal }: One,
): Promise<string> {
  const reply = {
    toolCalls: [{ toolCallId: id, toolName: name, input }],
    finishReason: 'tool-calls',
  };
  const options = { parallel: true, ...(signal === undefined ? {} : { signal }) };
  const { messages } = await session.dispatch('ai-sdk', reply, options);
  const [result] = (messages.at(-1)?.['content'] ?? []) as readonly {
    readonly output?: { readonly type: string; readonly value: string };
  }[];
  const { type, value = '' } = result?.output ?? {};
  if (type === 'error-text') throw new Error(value);
  return value;
}

/** Frameworks begin all calls of a reply at once: a write waits for what began before it, and all else for the write. */
function ordered(): <Value>(write: boolean, run: () => Promise<Value>) => Promise<Value> {
  let lastWrite: Promise<unknown> = Promise.resolve();
  const reads = new Set<Promise<unknown>>();
  return (write, run) => {
    const before = write ? Promise.all([lastWrite, ...reads]) : lastWrite;
    const running = before.then(run);
    const over = running.then(
      () => undefined,
      () => undefined,
    );
    if (write) lastWrite = over;
    else {
      reads.add(over);
      void over.then(() => reads.delete(over));
    }
    return running;
  };
}
