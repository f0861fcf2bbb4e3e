import { isPlainObject } from '../base/json.ts';
import type { NameTable } from './name-table.ts';
import { parseArguments } from './parse-arguments.ts';
import type { ToolCall } from './tool-call.ts';

/**
 * The calls inside `multi_tool_use.parallel`, a wrapper that some models make up: `{"tool_uses":
 * [{"recipient_name", "parameters"}]}`. Their ids are the outer one with a number behind it. Any other call is
 * the only one in its list.
 */
export function expandCall(call: ToolCall, names: NameTable): readonly ToolCall[] {
  if (!/^(?:functions\.)?multi_tool_use[._]parallel$/.test(call.name)) return [call];
  if (names.skill(call.name) !== undefined || !call.complete) return [call];
  const parsed = parseArguments(call.arguments, true);
  const uses = parsed.ok ? parsed.value['tool_uses'] : undefined;
  if (!Array.isArray(uses) || uses.length === 0) return [call];
  const inner = uses.flatMap((use, index): readonly ToolCall[] => {
    if (!isPlainObject(use)) return [];
    const { recipient_name: name, parameters } = use;
    return typeof name === 'string'
      ? [{ id: `${call.id}.${index}`, name, arguments: parameters, complete: true }]
      : [];
  });
  // A wrapper that is only partly readable runs nothing.
  return inner.length === uses.length ? inner : [call];
}
