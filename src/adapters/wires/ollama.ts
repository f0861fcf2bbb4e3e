import type { JsonObject } from '../../base/json.ts';
import type { Wire } from '../wire-port.ts';
import { objectAt, objectsIn, replayableObject, textOf } from './reading.ts';

/** Ollama: no ids; results are told apart by the tool's name and their order. */
export const ollamaWire: Wire = {
  calls: (reply) => {
    const complete = objectAt(reply)['done_reason'] !== 'length';
    return objectsIn(messageOf(reply)['tool_calls']).map((call, index) => ({
      id: textOf(call['id']) || `call_${index}`,
      name: textOf(objectAt(call, 'function')['name']),
      arguments: objectAt(call, 'function')['arguments'],
      complete,
    }));
  },
  messages: (reply, results) => [
    readable(messageOf(reply)),
    ...results.map(({ call, text }) => ({ role: 'tool', tool_name: call.name, content: text })),
  ],
};

/** Its server reads arguments as an object only, and one that is none fails the whole history. */
function readable(message: JsonObject): JsonObject {
  const calls = objectsIn(message['tool_calls']);
  if (calls.length === 0) return message;
  const mended = calls.map((call) => {
    const own = objectAt(call, 'function');
    return { ...call, function: { ...own, arguments: replayableObject(own['arguments']) } };
  });
  return { ...message, tool_calls: mended };
}

function messageOf(reply: unknown): JsonObject {
  const message = objectAt(reply, 'message');
  return Object.keys(message).length > 0 ? message : objectAt(reply);
}
