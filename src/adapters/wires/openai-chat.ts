import type { JsonObject } from '../../base/json.ts';
import type { Wire } from '../wire-port.ts';
import { objectAt, objectsIn, replayable, replayableName, textOf } from './reading.ts';

/** OpenAI Chat Completions, and the many who speak it. Errors have no flag there: the text says it. */
export const openaiChatWire: Wire = {
  calls: (reply) => {
    const reason = objectAt(reply, 'choices', 0)['finish_reason'];
    const complete = reason !== 'length' && reason !== 'content_filter';
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
  const { content, refusal } = message;
  // Without calls there has to be a content.
  if (calls.length === 0 && content === null && typeof refusal !== 'string')
    return { ...message, content: '' };
  const mended = calls.map((call) => {
    const own = objectAt(call, 'function');
    const sent = replayable(own['arguments']);
    const name = replayableName(own['name']);
    const sound = sent === own['arguments'] && name === own['name'];
    return sound ? call : { ...call, function: { ...own, name, arguments: sent } };
  });
  return mended.every((call, index) => call === calls[index])
    ? message
    : { ...message, tool_calls: mended };
}
