import type { Wire } from '../wire-port.ts';
import { objectAt, objectsIn, replayable, textOf } from './reading.ts';

/** OpenAI Responses: reasoning items and their encrypted content go back as they came. */
export const openaiResponsesWire: Wire = {
  calls: (reply) => {
    const complete = objectAt(reply)['status'] !== 'incomplete';
    return itemsOf(reply)
      .filter(({ type }) => type === 'function_call')
      .map((item) => ({
        id: textOf(item['call_id']),
        name: [item['namespace'], item['name']]
          .filter((part) => typeof part === 'string')
          .join('.'),
        arguments: item['arguments'],
        complete: complete && item['status'] !== 'incomplete',
      }));
  },
  messages: (reply, results) => [
    ...itemsOf(reply).map((item) => {
      if (item['type'] !== 'function_call') return item;
      const sent = replayable(item['arguments']);
      return sent === item['arguments'] ? item : { ...item, arguments: sent };
    }),
    ...results.map(({ call, text }) => ({
      type: 'function_call_output',
      call_id: call.id,
      output: text,
    })),
  ],
};

function itemsOf(reply: unknown): ReturnType<typeof objectsIn> {
  return objectsIn(Array.isArray(reply) ? reply : objectAt(reply)['output']);
}
