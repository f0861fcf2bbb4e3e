import type { Wire } from '../wire-port.ts';
import { objectAt, objectsIn, textOf } from './reading.ts';

/** Anthropic Messages: all results of a turn in one user message, before any text. */
export const anthropicWire: Wire = {
  calls: (reply) => {
    const { content, stop_reason: reason } = objectAt(reply);
    return objectsIn(content)
      .filter(({ type }) => type === 'tool_use')
      .map((block) => ({
        id: textOf(block['id']),
        name: textOf(block['name']),
        arguments: block['input'],
        complete: reason !== 'max_tokens' && reason !== 'model_context_window_exceeded',
      }));
  },
  messages: (reply, results) => {
    const turn = { role: 'assistant', content: objectAt(reply)['content'] ?? [] };
    if (results.length === 0) return [turn];
    const content = results.map(({ call, text, error }) => ({
      type: 'tool_result',
      tool_use_id: call.id,
      content: text,
      ...(error ? { is_error: true } : {}),
    }));
    return [turn, { role: 'user', content }];
  },
};
