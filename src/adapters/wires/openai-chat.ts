import type { JsonObject } from '../../base/json.ts';
import type { Wire } from '../wire-port.ts';
import { objectAt, objectsIn, replayable, textOf } from './reading.ts';

/** OpenAI Chat Completions, and the many who speak it. Errors have no flag there: the text says it. */
export const openaiChatWire: Wire = {
  calls: (reply) => {
    const complete = objectAt(reply, 'choices', 0)['finish_reason'] !== 'length';
    return objectsIn(messageOf(reply)['tool_calls']).map((call) => ({
      id: textOf(call['id']),
      name: textOf(objectAt(call, 'function')['name']),
      arguments: objectAt(call, 'function')['arguments'],
      complete,
    }));
  },
  messages: (reply, results) => [
    withReadableCalls(messageOf(reply)),
    ...results.map(({ call, text }) => ({ role: 'tool', tool_call_id: call.id, content: text })),
  ],
};

function messageOf(reply: unknown): JsonObject {
  const message = objectAt(reply, 'choices', 0, 'message');
  return Object.keys(message).length > 0 ? message : objectAt(reply);
}

/** One call whose arguments are no JSON, or whose name is none, makes every later request fail. */
export function withReadableCalls(message: JsonObject): JsonObject {
  const calls = objectsIn(message['tool_calls']);
  const mended = calls.map((call) => {
    const own = objectAt(call, 'function');
    const sent = replayable(own['arguments']);
    const name =
      textOf(own['name'])
        .replaceAll(/[^a-zA-Z0-9_-]/g, '_')
        .slice(0, 64) || '_';
    const sound = sent === own['arguments'] && name === own['name'];
    return sound ? call : { ...call, function: { ...own, name, arguments: sent } };
  });
  return mended.every((call, index) => call === calls[index])
    ? message
    : { ...message, tool_calls: mended };
}
