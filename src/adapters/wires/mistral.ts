import { createHash } from 'node:crypto';
import type { JsonObject } from '../../base/json.ts';
import type { Wire } from '../wire-port.ts';
import { objectAt, objectsIn, replayable, replayableName, textOf } from './reading.ts';

const CUT = new Set<unknown>(['length', 'model_length', 'error']);

/** Mistral: ids are nine letters or digits, in the call and in its result; its SDK writes camelCase. */
export const mistralWire: Wire = {
  calls: (reply) => {
    const choice = objectAt(reply, 'choices', 0);
    const reason = choice['finishReason'] ?? choice['finish_reason'];
    const message = messageOf(reply);
    return objectsIn(message['toolCalls'] ?? message['tool_calls']).map((call) => ({
      id: mistralId(textOf(call['id'])),
      name: textOf(objectAt(call, 'function')['name']),
      arguments: objectAt(call, 'function')['arguments'],
      complete: !CUT.has(reason),
    }));
  },
  messages: (reply, results) => {
    const message = messageOf(reply);
    const camel = message['toolCalls'] !== undefined;
    const key = camel ? 'toolCalls' : 'tool_calls';
    const calls = objectsIn(message[key]).map((call) => {
      const own = objectAt(call, 'function');
      const sent = replayable(own['arguments']);
      const name = replayableName(own['name']);
      const id = mistralId(textOf(call['id']));
      return { ...call, id, function: { ...own, name, arguments: sent } };
    });
    const turn = calls.length === 0 ? message : { ...message, [key]: calls };
    return [
      turn,
      ...results.map(({ call, text }) => ({
        role: 'tool',
        [camel ? 'toolCallId' : 'tool_call_id']: mistralId(call.id),
        name: replayableName(call.name),
        content: text,
      })),
    ];
  },
};

/** An id as Mistral takes it: its own stay, any other becomes nine characters of its hash. */
export function mistralId(id: string): string {
  if (/^[a-zA-Z0-9]{9}$/.test(id)) return id;
  return createHash('sha256').update(id).digest('hex').slice(0, 9);
}

function messageOf(reply: unknown): JsonObject {
  const message = objectAt(reply, 'choices', 0, 'message');
  return Object.keys(message).length > 0 ? message : objectAt(reply);
}
