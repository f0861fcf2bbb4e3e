import type { Wire } from '../wire-port.ts';
import { objectAt, objectsIn, textOf } from './reading.ts';

const CUT = new Set<unknown>(['length', 'max_tokens', 'MAX_TOKENS', 'content_filter', 'refusal']);

/** LangChain: an AIMessage, whose invalid calls are answered as well, and one ToolMessage a result. */
export const langchainWire: Wire = {
  calls: (reply) => {
    const {
      tool_calls: sound,
      invalid_tool_calls: broken,
      response_metadata: about,
    } = objectAt(reply);
    const reason = objectAt(about)['finish_reason'] ?? objectAt(about)['stop_reason'];
    return [...objectsIn(sound), ...objectsIn(broken)].map((call) => ({
      id: textOf(call['id']),
      name: textOf(call['name']),
      arguments: call['args'],
      complete: !CUT.has(reason),
    }));
  },
  messages: (reply, results) => [
    objectAt(reply),
    ...results.map(({ call, text, error }) => ({
      role: 'tool',
      tool_call_id: call.id,
      name: call.name,
      content: text,
      status: error ? 'error' : 'success',
    })),
  ],
};
