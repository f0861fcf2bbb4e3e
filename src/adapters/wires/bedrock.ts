import type { JsonObject } from '../../base/json.ts';
import type { Wire } from '../wire-port.ts';
import { objectAt, objectsIn, textOf } from './reading.ts';

/** Amazon Bedrock Converse; only some models know `status`, so an error's text says it as well. */
export const bedrockWire: Wire = {
  calls: (reply) => {
    const complete = objectAt(reply)['stopReason'] !== 'max_tokens';
    return objectsIn(messageOf(reply)['content'])
      .map((block) => objectAt(block['toolUse']))
      .filter((use) => use['name'] !== undefined)
      .map((use) => ({
        id: textOf(use['toolUseId']),
        name: textOf(use['name']),
        arguments: use['input'],
        complete,
      }));
  },
  messages: (reply, results) => {
    const turn = messageOf(reply);
    if (results.length === 0) return [turn];
    const content = results.map(({ call, text, error }) => ({
      toolResult: {
        toolUseId: call.id,
        content: [{ text }],
        ...(error ? { status: 'error' } : {}),
      },
    }));
    return [turn, { role: 'user', content }];
  },
};

function messageOf(reply: unknown): JsonObject {
  const message = objectAt(reply, 'output', 'message');
  return Object.keys(message).length > 0 ? message : objectAt(reply);
}
