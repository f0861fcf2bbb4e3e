import { has, isPlainObject } from '../../base/json.ts';
import type { Contract, ExecutorSpec, Policy } from '../../contract/contract.ts';
import { isSkillName } from '../../contract/name.ts';
import { type Findings, texts, unknownKeys } from './fields.ts';

const KEYS: Readonly<Record<ExecutorSpec['kind'], readonly string[]>> = {
  module: ['kind', 'file'],
  command: ['kind', 'command', 'file', 'mode', 'pool_size', 'environment'],
  http: ['kind', 'method', 'url', 'query', 'headers', 'body', 'result', 'redirects'],
  composite: ['kind', 'file'],
};
const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'];

/** Reads how a body runs; what the files beside the contract tell stands in where it says nothing. */
export function parseExecutor(
  value: unknown,
  found: ExecutorSpec | undefined,
  findings: Findings,
): ExecutorSpec {
  const none: ExecutorSpec = { kind: 'module' };
  if (value === undefined) {
    if (found === undefined)
      findings.error(
        'there is no executor: add executor.ts, .mjs, .js, .py or .sh or flow.json, or describe an http executor in schema.json',
      );
    return found ?? none;
  }
  const kind = isPlainObject(value) ? value['kind'] : undefined;
  if (!isPlainObject(value) || typeof kind !== 'string' || !has(KEYS, kind)) {
    findings.error(`executor.kind must be one of ${Object.keys(KEYS).join(', ')}`, 'executor');
    return none;
  }
  unknownKeys(value, KEYS[kind as ExecutorSpec['kind']], 'executor.', findings);
  if (kind === 'http') checkHttp(value, findings);
  if (kind === 'command') checkCommand(value, findings);
  if (has(value, 'file') && typeof value['file'] !== 'string')
    findings.error('executor.file must name a file in the skill folder', 'file');
  return value as unknown as ExecutorSpec;
}

function checkHttp(value: Record<string, unknown>, findings: Findings): void {
  if (!METHODS.includes(String(value['method'])))
    findings.error(`executor.method must be one of ${METHODS.join(', ')}`, 'method');
  if (typeof value['url'] !== 'string' || value['url'] === '')
    findings.error('executor.url must be a URL, which may hold {inputs.x} and {settings.x}', 'url');
  for (const key of ['query', 'headers']) {
    const map = value[key];
    const fits = isPlainObject(map) && Object.values(map).every((item) => typeof item === 'string');
    if (map !== undefined && !fits)
      findings.error(`executor.${key} must be an object of texts`, key);
  }
  if (
    has(value, 'redirects') &&
    value['redirects'] !== 'refuse' &&
    value['redirects'] !== 'same-origin'
  )
    findings.error('executor.redirects must be "refuse" or "same-origin"', 'redirects');
}

function checkCommand(value: Record<string, unknown>, findings: Findings): void {
  texts(value, 'environment', findings);
  const command = texts(value, 'command', findings);
  if (has(value, 'command') && command.length === 0)
    findings.error('executor.command must hold the program and its arguments', 'command');
  if (has(value, 'mode') && value['mode'] !== 'once' && value['mode'] !== 'pooled')
    findings.error('executor.mode must be "once" or "pooled"', 'mode');
  if (
    has(value, 'pool_size') &&
    !(
      Number.isInteger(value['pool_size']) &&
      (value['pool_size'] as number) >= 1 &&
      (value['pool_size'] as number) <= 64
    )
  ) {
    findings.error('executor.pool_size must be a whole number from 1 to 64', 'pool_size');
  }
}

const POLICY: Readonly<Record<string, { readonly least: number; readonly most: number }>> = {
  timeout: { least: 1, most: 3_600_000 },
  retries: { least: 0, most: 100 },
  retryDelay: { least: 0, most: 3_600_000 },
  deadline: { least: 1, most: 3_600_000 },
  result_budget: { least: 256, most: 64 * 1024 * 1024 },
};

/** Reads limits and habits of execution; also used for what the configuration overrides. */
export function parsePolicy(value: unknown, findings: Findings): Policy {
  if (value === undefined) return {};
  if (!isPlainObject(value)) {
    findings.error('policy must be an object', 'policy');
    return {};
  }
  unknownKeys(value, [...Object.keys(POLICY), 'rate_limit', 'breaker'], 'policy.', findings);
  for (const [key, { least, most }] of Object.entries(POLICY))
    checkNumber(value, key, { least, most }, findings);
  const { rate_limit: limit, breaker } = value;
  if (limit !== undefined) {
    if (!isPlainObject(limit) || has(limit, 'calls_per_second') === has(limit, 'calls_per_minute'))
      findings.error(
        'policy.rate_limit needs exactly one of calls_per_second and calls_per_minute',
        'rate_limit',
      );
    else {
      unknownKeys(
        limit,
        ['calls_per_second', 'calls_per_minute', 'algorithm'],
        'policy.rate_limit.',
        findings,
      );
      for (const key of ['calls_per_second', 'calls_per_minute'])
        checkNumber(limit, key, { least: 0.001, most: 1_000_000 }, findings);
      if (
        has(limit, 'algorithm') &&
        limit['algorithm'] !== 'token_bucket' &&
        limit['algorithm'] !== 'sliding_window'
      )
        findings.error(
          'policy.rate_limit.algorithm must be "token_bucket" or "sliding_window"',
          'algorithm',
        );
    }
  }
  if (breaker !== undefined) {
    if (!isPlainObject(breaker)) findings.error('policy.breaker must be an object', 'breaker');
    else {
      unknownKeys(breaker, ['failure_rate', 'minimum', 'open_ms'], 'policy.breaker.', findings);
      checkNumber(breaker, 'failure_rate', { least: 0.01, most: 1 }, findings);
      checkNumber(breaker, 'minimum', { least: 1, most: 1_000_000 }, findings);
      checkNumber(breaker, 'open_ms', { least: 1, most: 3_600_000 }, findings);
    }
  }
  return value;
}

function checkNumber(
  value: Record<string, unknown>,
  key: string,
  { least, most }: { least: number; most: number },
  findings: Findings,
): void {
  const found = value[key];
  if (found === undefined || (typeof found === 'number' && found >= least && found <= most)) return;
  findings.error(`${key} must be a number from ${least} to ${most}`, key);
}

/** Reads a contract's other way to a result. */
export function parseFallback(value: unknown, findings: Findings): Contract['fallback'] {
  if (value === undefined) return undefined;
  if (!isPlainObject(value) || has(value, 'skill') === has(value, 'value')) {
    findings.error('fallback needs exactly one of skill and value', 'fallback');
    return undefined;
  }
  unknownKeys(value, ['skill', 'with', 'value', 'after'], 'fallback.', findings);
  if (has(value, 'skill') && !(typeof value['skill'] === 'string' && isSkillName(value['skill'])))
    findings.error('fallback.skill must name a skill', 'fallback');
  if (has(value, 'with') && !isPlainObject(value['with']))
    findings.error('fallback.with must be an object of parameters', 'fallback');
  checkNumber(value, 'after', { least: 1, most: 3_600_000 }, findings);
  return value;
}
