import type { Wire } from '../wire-port.ts';
import { objectAt, objectsIn, replayable, replayableName, textOf } from './reading.ts';

/** OpenAI Responses: reasoning items and their encrypted content go back as they came. */
export const openaiResponsesWire: Wire = {
  calls: (reply) => {
    const { status } = objectAt(reply);
    const complete = status === undefined || status === 'completed';
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
      const name = replayableName(item['name'], 128);
      const sound = sent === item['arguments'] && name === item['name'];
      return sound ? item : { ...item, name, arguments: sent };
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
