import { has, isPlainObject } from '../../base/json.ts';
import { nearest } from '../../base/nearest.ts';
import type { Contract } from '../../contract/contract.ts';
import type { Rule } from '../../contract/rules.ts';
import type { Findings } from './findings.ts';
import { escapeToken } from './locator.ts';
import { ANY, fits, FLAG, LIST, NAMES, OBJECT, required, TEXT, type Shape } from './shape.ts';

const OPERATORS: ReadonlySet<unknown> = new Set(['<', '<=', '>', '>=', '==', '!=']);
// A hundred years either way; the day must stay one that has a name.
const MOST_DAYS = 36_525;
const CHECKS: Shape = {
  compare: {
    is: isComparison,
    says: '[{"param": "from"}, "<=", {"param": "to"}], where a side may also be {"value": 5} or {"today": -7}',
  },
  require: NAMES,
  forbid: NAMES,
  one_of: NAMES,
  any_of: NAMES,
};
const RULE: Shape = {
  id: required(TEXT),
  message: required({ ...TEXT, says: 'what is wrong and what to send instead' }),
  when: { ...OBJECT, says: 'an object such as {"kind": {"equals": "pdf"}}' },
  ...CHECKS,
};
const CONDITION: Shape = { equals: ANY, in: LIST, present: FLAG };

/** Reads a contract's business rules; having none takes a written reason. */
export function parseRules(
  value: unknown,
  { declared, write }: { readonly declared: readonly string[]; readonly write: boolean },
  findings: Findings,
): Contract['rules'] {
  if (value === undefined) {
    const says =
      'is missing: list the business rules across parameters, or write {"none": "why there are none"}';
    if (write) findings.error('/rules', says);
    else findings.warn('/rules', says);
    return [];
  }
  if (!Array.isArray(value)) {
    if (isPlainObject(value) && TEXT.is(value['none'])) return { none: value['none'] as string };
    findings.error('/rules', 'must be a list of rules, or {"none": "why there are none"}');
    return [];
  }
  for (const [index, rule] of value.entries())
    checkRule(rule, `/rules/${index}`, declared, findings);
  return value as readonly Rule[];
}

function checkRule(
  rule: unknown,
  pointer: string,
  declared: readonly string[],
  findings: Findings,
): void {
  if (!fits(rule, RULE, pointer, findings)) return;
  const checks = Object.keys(CHECKS);
  if (checks.filter((check) => has(rule, check)).length !== 1)
    findings.error(pointer, `needs exactly one of ${checks.join(', ')}`);
  const when = Object.entries((rule['when'] ?? {}) as Record<string, unknown>);
  for (const [name, condition] of when) {
    const place = `${pointer}/when/${escapeToken(name)}`;
    if (fits(condition, CONDITION, place, findings) && Object.keys(condition).length === 0)
      findings.error(place, 'needs one of equals, in, present');
  }
  for (const path of [...when.map(([name]) => name), ...namedBy(rule)]) {
    const [first = ''] = path.split('.');
    if (declared.includes(first)) continue;
    const [close] = nearest(first, declared, 1);
    findings.error(
      pointer,
      `speaks of ${JSON.stringify(first.slice(0, 80))}, which is no parameter; ${close === undefined ? 'name declared ones' : `did you mean ${close}?`}`,
    );
  }
}

/** The parameters a rule's checks name, as dotted paths. */
function namedBy(rule: Record<string, unknown>): readonly string[] {
  const { compare, require, forbid, one_of, any_of } = rule as unknown as Rule;
  const compared = (compare ?? []).flatMap((side) =>
    typeof side === 'object' && 'param' in side ? [side.param] : [],
  );
  return [...compared, ...[require, forbid, one_of, any_of].flatMap((names) => names ?? [])];
}

function isComparison(value: unknown): boolean {
  if (!Array.isArray(value) || value.length !== 3) return false;
  const [left, operator, right] = value as readonly unknown[];
  return OPERATORS.has(operator) && isOperand(left) && isOperand(right);
}

function isOperand(value: unknown): boolean {
  if (!isPlainObject(value) || Object.keys(value).length !== 1) return false;
  const { param, today } = value;
  const isDay = Number.isInteger(today) && Math.abs(today as number) <= MOST_DAYS;
  return has(value, 'value') || typeof param === 'string' || isDay;
}
