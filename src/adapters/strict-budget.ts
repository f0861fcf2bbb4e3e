import { isPlainObject, type JsonObject } from '../base/json.ts';
import type { Contract } from '../contract/contract.ts';
import type { Dialect } from './dialects/rules.ts';
import type { EmittedSchema } from './emit-schema.ts';

/** The contracts whose tools may be strict in one request: writes first where the budget is for all together. */
export function strictWithin(
  tools: readonly { readonly contract: Contract; readonly emitted: EmittedSchema }[],
  { strict }: Dialect,
): ReadonlySet<Contract> {
  const able = tools.filter(({ emitted }) => emitted.strict !== undefined);
  if (strict?.budget === undefined) return new Set(able.map(({ contract }) => contract));
  const { budget, writesFirst } = strict;
  const isWrite = ({ contract }: (typeof able)[number]): boolean =>
    contract.side_effect.kind === 'write';
  const ordered = writesFirst
    ? [...able.filter(isWrite), ...able.filter((tool) => !isWrite(tool))]
    : able;
  const chosen = new Set<Contract>();
  let optional = 0;
  let unions = 0;
  for (const { contract, emitted } of ordered) {
    const cost = costOf((emitted.strict ?? emitted.plain).schema);
    if (chosen.size >= budget.tools) break;
    if (optional + cost.optional > budget.optional || unions + cost.unions > budget.unions)
      continue;
    optional += cost.optional;
    unions += cost.unions;
    chosen.add(contract);
  }
  return chosen;
}

function costOf(schema: JsonObject): { readonly optional: number; readonly unions: number } {
  let optional = 0;
  let unions = 0;
  const open: unknown[] = [schema];
  while (open.length > 0) {
    const next = open.pop();
    if (typeof next !== 'object' || next === null) continue;
    if (isPlainObject(next)) {
      const { properties, required = [], anyOf, type } = next;
      if (isPlainObject(properties))
        optional += Object.keys(properties).length - (required as unknown[]).length;
      if (Array.isArray(anyOf) || Array.isArray(type)) unions++;
    }
    open.push(...Object.values(next));
  }
  return { optional, unions };
}
