import type { ToolCall } from '../adapters/tool-call.ts';

/** A call of a reply, and what a decision names it by. */
export interface KeyedCall {
  readonly call: ToolCall;
  readonly key: string;
}

/** Some vendors give calls no id, or the same one twice: then their place tells them apart. */
export function keyedCalls(calls: readonly ToolCall[]): readonly KeyedCall[] {
  const seen = new Set<string>();
  return calls.map((call, index) => {
    const key = call.id === '' || seen.has(call.id) ? `${call.id}#${index}` : call.id;
    seen.add(key);
    return { call, key };
  });
}
