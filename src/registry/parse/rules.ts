import { has, isPlainObject } from '../../base/json.ts';
import type { Contract } from '../../contract/contract.ts';
import type { Rule } from '../../contract/rules.ts';
import { type Findings, unknownKeys } from './fields.ts';

const CHECKS = ['compare', 'require', 'forbid', 'one_of', 'any_of'] as const;
const OPERATORS: ReadonlySet<unknown> = new Set(['<', '<=', '>', '>=', '==', '!=']);

/** Reads a contract's business rules; having none takes a written reason. */
export function parseRules(
  value: unknown,
  { declared, write }: { readonly declared: readonly string[]; readonly write: boolean },
  findings: Findings,
): Contract['rules'] {
  if (value === undefined) {
    const message =
      'rules is missing: list the business rules across parameters, or write {"none": "why there are none"}';
    if (write) findings.error(message);
    else findings.warn(message);
    return [];
  }
  if (isPlainObject(value) && typeof value['none'] === 'string' && value['none'].trim() !== '')
    return { none: value['none'] };
  if (!Array.isArray(value) || !value.every(isPlainObject)) {
    findings.error('rules must be a list of rules, or {"none": "why there are none"}', 'rules');
    return [];
  }
  for (const rule of value) checkRule(rule, declared, findings);
  return value as unknown as readonly Rule[];
}

function checkRule(
  rule: Record<string, unknown>,
  declared: readonly string[],
  findings: Findings,
): void {
  const id = typeof rule['id'] === 'string' ? rule['id'] : '';
  const fault = (message: string): void =>
    findings.error(`rule ${id || '(without id)'}: ${message}`, id || 'rules');
  unknownKeys(rule, ['id', 'message', 'when', ...CHECKS], `rules.${id}.`, findings);
  if (id === '') fault('give it an id');
  if (typeof rule['message'] !== 'string' || rule['message'] === '')
    fault('give it a message that says what is wrong and what to send instead');
  const given = CHECKS.filter((check) => has(rule, check));
  if (given.length !== 1) fault(`it needs exactly one of ${CHECKS.join(', ')}`);
  const named: unknown[] = isPlainObject(rule['when']) ? Object.keys(rule['when']) : [];
  if (rule['when'] !== undefined && !isPlainObject(rule['when']))
    fault('when must be an object of {"parameter": {"equals": ...}}');
  for (const check of given) {
    const body = rule[check];
    if (check === 'compare') {
      if (
        !Array.isArray(body) ||
        body.length !== 3 ||
        !OPERATORS.has(body[1]) ||
        !isOperand(body[0]) ||
        !isOperand(body[2])
      ) {
        fault(
          'compare is [{"param": "a"}, "<=", {"param": "b"}]; operands are {"param"}, {"value"} or {"today": days}',
        );
      } else
        named.push(
          ...[body[0], body[2]].flatMap((side) =>
            isPlainObject(side) && has(side, 'param') ? [side['param']] : [],
          ),
        );
    } else if (
      Array.isArray(body) &&
      body.length > 0 &&
      body.every((item) => typeof item === 'string')
    )
      named.push(...body);
    else fault(`${check} must be a list of parameters`);
  }
  for (const path of named) {
    const first = String(path).split('.')[0] as string;
    if (!declared.includes(first)) fault(`${first} is not a parameter`);
  }
}

function isOperand(value: unknown): boolean {
  if (!isPlainObject(value)) return false;
  const keys = Object.keys(value);
  if (keys.length !== 1) return false;
  return (
    typeof value['param'] === 'string' || typeof value['today'] === 'number' || has(value, 'value')
  );
}
