import { canonicalJson, has, type Json, type JsonObject } from '../base/json.ts';
import type { Violation } from './execution-context.ts';
import type { Condition, Operand, Rule } from './rules.ts';

/**
 * Compiles declarative rules into one check of cleaned, structurally valid parameters; it returns what
 * is broken, or undefined. `today` is the current day as `YYYY-MM-DD` (UTC).
 */
export function compileRules(
  rules: readonly Rule[],
): (params: JsonObject, now: number) => readonly Violation[] | undefined {
  return (params, now) => {
    let broken: Violation[] | undefined;
    for (const rule of rules) {
      if (rule.when !== undefined && !applies(rule.when, params)) continue;
      const path = brokenAt(rule, params, now);
      if (path === undefined) continue;
      (broken ??= []).push({ path, rule: rule.id, message: rule.message });
    }
    return broken;
  };
}

function read(params: JsonObject, path: string): Json | undefined {
  let value: Json | undefined = params;
  for (const key of path.split('.')) {
    if (typeof value !== 'object' || value === null || !has(value, key)) return undefined;
    value = (value as JsonObject)[key];
  }
  return value;
}

function applies(condition: Condition, params: JsonObject): boolean {
  return Object.entries(condition).every(([path, expected]) => {
    const value = read(params, path);
    if (expected.present !== undefined && (value !== undefined) !== expected.present) return false;
    if (expected.equals !== undefined && canonicalJson(value) !== canonicalJson(expected.equals))
      return false;
    return (
      expected.in === undefined ||
      expected.in.some((item) => canonicalJson(item) === canonicalJson(value))
    );
  });
}

/** JSON pointer of the parameter at fault; undefined when the rule holds. */
function brokenAt(rule: Rule, params: JsonObject, now: number): string | undefined {
  const present = (names: readonly string[]): string[] =>
    names.filter((name) => read(params, name) !== undefined);
  const pointer = (name: string | undefined): string =>
    name === undefined ? '' : `/${name.replaceAll('.', '/')}`;
  if (rule.compare !== undefined) {
    const [left, operator, right] = rule.compare;
    const holds = compare(operand(left, params, now), operator, operand(right, params, now));
    return holds
      ? undefined
      : pointer('param' in left ? left.param : 'param' in right ? right.param : undefined);
  }
  if (rule.require !== undefined) {
    const missing = rule.require.find((name) => read(params, name) === undefined);
    return missing === undefined ? undefined : pointer(missing);
  }
  if (rule.forbid !== undefined) {
    const [unwanted] = present(rule.forbid);
    return unwanted === undefined ? undefined : pointer(unwanted);
  }
  if (rule.one_of !== undefined)
    return present(rule.one_of).length === 1 ? undefined : pointer(rule.one_of[0]);
  if (rule.any_of !== undefined)
    return present(rule.any_of).length > 0 ? undefined : pointer(rule.any_of[0]);
  return undefined;
}

function operand(operand: Operand, params: JsonObject, now: number): Json | undefined {
  if ('param' in operand) return read(params, operand.param);
  if ('value' in operand) return operand.value;
  return new Date(now + operand.today * 86_400_000).toISOString().slice(0, 10);
}

function compare(left: Json | undefined, operator: string, right: Json | undefined): boolean {
  // What is absent breaks no comparison: requiring it is another rule's business.
  if (left === undefined || right === undefined) return true;
  if (operator === '==') return canonicalJson(left) === canonicalJson(right);
  if (operator === '!=') return canonicalJson(left) !== canonicalJson(right);
  const [a, b] = comparable(left, right);
  if (a === undefined || b === undefined) return false;
  if (operator === '<') return a < b;
  if (operator === '<=') return a <= b;
  return operator === '>' ? a > b : a >= b;
}

function comparable(
  left: Json,
  right: Json,
): readonly [number | string | undefined, number | string | undefined] {
  if (typeof left === 'number' && typeof right === 'number') return [left, right];
  if (typeof left !== 'string' || typeof right !== 'string') return [undefined, undefined];
  // Days compare as text; with a time on either side both become instants, so that zones count.
  const timed = /T|:/.test(left) || /T|:/.test(right);
  const [a, b] = timed ? [Date.parse(left), Date.parse(right)] : [Number.NaN, Number.NaN];
  return Number.isNaN(a) || Number.isNaN(b) ? [left, right] : [a, b];
}
