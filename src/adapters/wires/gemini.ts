import type { JsonObject } from '../../base/json.ts';
import type { Wire } from '../wire-port.ts';
import { objectAt, objectsIn, textOf } from './reading.ts';

/** Gemini: all calls in one content and all responses in one; signatures stay on the part they came with. */
export const geminiWire: Wire = {
  calls: (reply) => {
    const reason = objectAt(reply, 'candidates', 0)['finishReason'];
    return objectsIn(contentOf(reply)['parts'])
      .map((part) => objectAt(part['functionCall']))
      .filter((call) => call['name'] !== undefined)
      .map((call) => ({
        id: textOf(call['id']),
        name: textOf(call['name']),
        arguments: call['args'],
        complete: reason === undefined || reason === null || reason === 'STOP',
      }));
  },
  messages: (reply, results) => {
    const turn = contentOf(reply);
    if (objectsIn(turn['parts']).length === 0) return [];
    if (results.length === 0) return [turn];
    const parts = results.map(({ call, text, error }) => ({
      functionResponse: {
        ...(call.id === '' ? {} : { id: call.id }),
        name: call.name,
        response: { [error ? 'error' : 'output']: text },
      },
    }));
    return [turn, { role: 'user', parts }];
  },
};

function contentOf(reply: unknown): JsonObject {
  const content = objectAt(reply, 'candidates', 0, 'content');
  return Object.keys(content).length > 0 ? content : objectAt(reply);
}
