import type { JsonObject } from '../../base/json.ts';
import type { Wire } from '../wire-port.ts';
import { withReadableCalls } from './openai-chat.ts';
import { objectAt, objectsIn, textOf } from './reading.ts';

/** Cohere v2: a result is the text of a JSON object. */
export const cohereWire: Wire = {
  calls: (reply) => {
    const reason = objectAt(reply)['finish_reason'] ?? objectAt(reply)['finishReason'];
    const message = messageOf(reply);
    return objectsIn(message['tool_calls'] ?? message['toolCalls']).map((call) => ({
      id: textOf(call['id']),
      name: textOf(objectAt(call, 'function')['name']),
      arguments: objectAt(call, 'function')['arguments'],
      complete: reason !== 'MAX_TOKENS' && reason !== 'ERROR' && reason !== 'TIMEOUT',
    }));
  },
  messages: (reply, results) => {
    const message = messageOf(reply);
    const camel = message['toolCalls'] !== undefined;
    return [
      { role: 'assistant', ...withReadableCalls(message) },
      ...results.map(({ call, text, error }) => ({
        role: 'tool',
        [camel ? 'toolCallId' : 'tool_call_id']: call.id,
        content: error ? JSON.stringify({ error: text }) : asObjectText(text),
      })),
    ];
  },
};

function messageOf(reply: unknown): JsonObject {
  const message = objectAt(reply, 'message');
  return Object.keys(message).length > 0 ? message : objectAt(reply);
}

function asObjectText(text: string): string {
  return text.startsWith('{') ? text : JSON.stringify({ result: text });
}
