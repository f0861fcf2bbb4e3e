import type { JsonObject } from '../../base/json.ts';
import type { Wire } from '../wire-port.ts';
import { objectAt, objectsIn, replayableName, replayableObject, textOf } from './reading.ts';

const CUT = new Set<unknown>(['max_tokens', 'model_context_window_exceeded', 'refusal']);

/** Anthropic Messages: all results of a turn in one user message, before any text. */
export const anthropicWire: Wire = {
  calls: (reply) => {
    const { content, stop_reason: reason } = objectAt(reply);
    return objectsIn(content)
      .filter(({ type }) => type === 'tool_use')
      .map((block) => ({
        id: textOf(block['id']),
        name: textOf(block['name']),
        arguments: block['input'],
        complete: !CUT.has(reason),
      }));
  },
  messages: (reply, results) => {
    const given = objectAt(reply)['content'] ?? [];
    const said = typeof given === 'string' ? given : readable(objectsIn(given));
    const turn = { role: 'assistant', content: said };
    if (results.length === 0) return said.length === 0 ? [] : [turn];
    const content = results.map(({ call, text, error }) => ({
      type: 'tool_result',
      tool_use_id: call.id,
      content: text,
      ...(error ? { is_error: true } : {}),
    }));
    return [turn, { role: 'user', content }];
  },
};

/** Blocks that are taken back: no empty text, inputs that are objects, names that are names. */
function readable(blocks: readonly JsonObject[]): JsonObject[] {
  return blocks
    .filter(({ type, text }) => type !== 'text' || text !== '')
    .map((block) => {
      if (block['type'] !== 'tool_use') return block;
      const input = replayableObject(block['input']);
      const name = replayableName(block['name'], 128);
      const sound = input === block['input'] && name === block['name'];
      return sound ? block : { ...block, name, input };
    });
}
