import { has, isPlainObject } from '../../base/json.ts';
import type { Fallback, Policy } from '../../contract/contract.ts';
import type { Findings } from './findings.ts';
import {
  ANY,
  fits,
  numberFrom,
  OBJECT,
  oneOf,
  SKILL,
  wholeFrom,
  type Field,
  type Shape,
} from './shape.ts';

const HOUR_MS = 3_600_000;
const TIMES: Field = numberFrom(0.001, 1_000_000);
const POLICY: Shape = {
  timeout: numberFrom(1, HOUR_MS),
  retries: wholeFrom(0, 100),
  retryDelay: numberFrom(0, HOUR_MS),
  deadline: numberFrom(1, HOUR_MS),
  rate_limit: OBJECT,
  breaker: OBJECT,
  result_budget: wholeFrom(256, 64 * 1024 * 1024),
};
const RATE_LIMIT: Shape = {
  calls_per_second: TIMES,
  calls_per_minute: TIMES,
  algorithm: oneOf(['token_bucket', 'sliding_window']),
};
const BREAKER: Shape = {
  failure_rate: numberFrom(0.01, 1),
  minimum: wholeFrom(1, 1_000_000),
  open_ms: numberFrom(1, HOUR_MS),
};
const FALLBACK: Shape = {
  skill: SKILL,
  with: { ...OBJECT, says: 'an object of parameters' },
  value: ANY,
  after: numberFrom(1, HOUR_MS),
};

/** Reads limits and habits of execution, of a contract or of what a library's configuration puts over it. */
export function parsePolicy(value: unknown, pointer: string, findings: Findings): Policy {
  if (value === undefined) return {};
  if (!fits(value, POLICY, pointer, findings)) return {};
  const { rate_limit: limit, breaker } = value;
  if (isPlainObject(limit)) {
    fits(limit, RATE_LIMIT, `${pointer}/rate_limit`, findings);
    if (has(limit, 'calls_per_second') === has(limit, 'calls_per_minute'))
      findings.error(
        `${pointer}/rate_limit`,
        'needs exactly one of calls_per_second and calls_per_minute',
      );
  }
  if (isPlainObject(breaker)) fits(breaker, BREAKER, `${pointer}/breaker`, findings);
  return value;
}

/** Reads a contract's other way to a result. */
export function parseFallback(value: unknown, findings: Findings): Fallback | undefined {
  if (!isPlainObject(value)) return undefined;
  fits(value, FALLBACK, '/fallback', findings);
  if (has(value, 'skill') === has(value, 'value'))
    findings.error('/fallback', 'needs exactly one of skill and value');
  if (has(value, 'with') && !has(value, 'skill'))
    findings.error('/fallback/with', 'goes with skill only; remove it, or name the skill');
  return value;
}
