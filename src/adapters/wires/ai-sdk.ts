import type { Wire } from '../wire-port.ts';
import { objectAt, objectsIn, textOf } from './reading.ts';

const CUT = new Set<unknown>(['length', 'content-filter', 'error']);

/** Vercel AI SDK: what generateText returns, and model messages. */
export const aiSdkWire: Wire = {
  calls: (reply) => {
    const { toolCalls, content, finishReason } = objectAt(reply);
    const calls = toolCalls ?? objectsIn(content).filter(({ type }) => type === 'tool-call');
    // What the provider ran itself has its result already.
    const own = objectsIn(calls).filter((call) => call['providerExecuted'] !== true);
    return own.map((call) => ({
      id: textOf(call['toolCallId']),
      name: textOf(call['toolName']),
      arguments: call['input'],
      complete: !CUT.has(finishReason),
    }));
  },
  messages: (reply, results) => {
    const { response, content, toolCalls } = objectAt(reply);
    // The SDK adds results of its own for calls it could not read: each call gets one only.
    const own = objectsIn(objectAt(response)['messages']).filter(
      ({ role }) => role === 'assistant',
    );
    const parts = content ?? objectsIn(toolCalls).map((call) => ({ type: 'tool-call', ...call }));
    const turn = own.length > 0 ? own : [{ role: 'assistant', content: parts }];
    if (results.length === 0) return turn;
    const told = results.map(({ call, text, error }) => ({
      type: 'tool-result',
      toolCallId: call.id,
      toolName: call.name,
      output: { type: error ? 'error-text' : 'text', value: text },
    }));
    return [...turn, { role: 'tool', content: told }];
  },
};
