import { has, isPlainObject, type Json, type JsonObject } from '../base/json.ts';
import type { Contract } from './contract.ts';
import { compileRules } from './check-rules.ts';
import type { Violation } from './execution-context.ts';
import { compileCleaner, type Cleaner } from './schema/clean.ts';
import { compileValidator, type Validator } from './schema/compile.ts';
import { buildExample, isSensitive } from './schema/example.ts';
import { isSettled } from './schema/is-settled.ts';

/** Everything a contract can check by itself, compiled once per skill version. */
export interface Checker {
  readonly clean: Cleaner;
  /** True when parameters are valid in their structure and cleaning would change nothing; false when that is not known. */
  isSound(params: JsonObject): boolean;
  /** Structure, unless the parameters are known to be sound, then declarative rules; undefined when all holds. */
  check(params: JsonObject, now: number, sound?: boolean): readonly Violation[] | undefined;
  /** Whether a result is what the contract returns; undefined when it is, or when nothing is declared. */
  readonly checkResult: Validator | undefined;
  /** A valid call to show; undefined when none could be built. */
  example(): JsonObject | undefined;
  /** The parameters without what the schema marks as sensitive. */
  shown(params: JsonObject): JsonObject;
}

/** Compiles a contract's checks; the validators themselves on first use. Throws Error when a schema cannot be compiled. */
export function compileChecker(contract: Contract, defaults: JsonObject): Checker {
  const clean = compileCleaner(contract.parameters, {
    aliases: contract.aliases,
    defaults,
    write: contract.side_effect.kind === 'write',
  });
  const validate = compileValidator(contract.parameters);
  const rules =
    Array.isArray(contract.rules) && contract.rules.length > 0
      ? compileRules(contract.rules)
      : undefined;
  const validateResult = contract.returns === undefined ? undefined : lazily(contract.returns);
  const sensitive = sensitivePaths(contract.parameters);
  const settled = isSettled(contract.parameters);
  const { properties = {} } = contract.parameters;
  const defaulted = Object.entries(properties as JsonObject)
    .filter(
      ([name, member]) => has(defaults, name) || (isPlainObject(member) && has(member, 'default')),
    )
    .map(([name]) => name);
  let example: JsonObject | undefined | null = null;
  return {
    clean,
    isSound: (params) =>
      settled && defaulted.every((name) => params[name] !== undefined) && validate.holds(params),
    check: (params, now, sound = false) =>
      (sound ? undefined : validate(params)) ?? rules?.(params, now),
    checkResult: validateResult,
    example: () =>
      example === null ? (example = findExample(contract, clean, validate)) : example,
    shown: (params) => (sensitive.length === 0 ? params : mask(params, sensitive)),
  };
}

function lazily(schema: JsonObject): Validator {
  let validator: Validator | undefined;
  const compiled = (): Validator => (validator ??= compileValidator(schema));
  return Object.assign((value: unknown) => compiled()(value), {
    holds: (value: unknown) => compiled().holds(value),
  });
}

function findExample(
  contract: Contract,
  clean: Cleaner,
  validate: Validator,
): JsonObject | undefined {
  const built = buildExample(contract.parameters);
  const candidates: JsonObject[] = [
    ...contract.examples.map((example) => example.input),
    ...(isPlainObject(built) ? [built] : []),
  ];
  const sensitive = sensitivePaths(contract.parameters);
  for (const candidate of candidates) {
    const { params, violations } = clean(candidate);
    if (violations.length === 0 && validate(params) === undefined)
      return mask(candidate, sensitive);
  }
  return undefined;
}

function sensitivePaths(
  schema: JsonObject,
  prefix: readonly string[] = [],
): readonly (readonly string[])[] {
  const properties = schema['properties'];
  if (!isPlainObject(properties) || prefix.length > 8) return [];
  return Object.entries(properties).flatMap(([name, child]) => {
    if (isSensitive(child)) return [[...prefix, name]];
    return isPlainObject(child) ? sensitivePaths(child, [...prefix, name]) : [];
  });
}

function mask(params: JsonObject, paths: readonly (readonly string[])[]): JsonObject {
  let shown = params;
  for (const path of paths) shown = maskOne(shown, path);
  return shown;
}

function maskOne(value: JsonObject, [key, ...rest]: readonly string[]): JsonObject {
  if (key === undefined || !Object.hasOwn(value, key)) return value;
  const child = value[key] as Json;
  if (rest.length === 0) return { ...value, [key]: '<secret>' };
  return isPlainObject(child) ? { ...value, [key]: maskOne(child, rest) } : value;
}
