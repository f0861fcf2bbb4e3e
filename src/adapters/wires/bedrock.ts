import type { JsonObject } from '../../base/json.ts';
import type { Wire } from '../wire-port.ts';
import { objectAt, objectsIn, replayableName, replayableObject, textOf } from './reading.ts';

const CUT = new Set<unknown>([
  'max_tokens',
  'model_context_window_exceeded',
  'guardrail_intervened',
  'content_filtered',
]);

/** Amazon Bedrock Converse; only some models know `status`, so an error's text says it as well. */
export const bedrockWire: Wire = {
  calls: (reply) => {
    const complete = !CUT.has(objectAt(reply)['stopReason']);
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
    const message = messageOf(reply);
    const given = objectsIn(message['content']);
    if (given.length === 0) return [];
    const turn = { ...message, content: given.map(readable) };
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

function readable(block: JsonObject): JsonObject {
  if (block['toolUse'] === undefined) return block;
  const use = objectAt(block['toolUse']);
  const input = replayableObject(use['input']);
  const name = replayableName(use['name']);
  const sound = input === use['input'] && name === use['name'];
  return sound ? block : { ...block, toolUse: { ...use, name, input } };
}

function messageOf(reply: unknown): JsonObject {
  const message = objectAt(reply, 'output', 'message');
  return Object.keys(message).length > 0 ? message : objectAt(reply);
}
