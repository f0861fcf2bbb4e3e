import { isDeepStrictEqual } from 'node:util';
import type { Compiled } from '../../src/adapters/compile.ts';
import { normalise } from '../../src/adapters/normalise.ts';
import type { Json, JsonObject } from '../../src/base/json.ts';
import type { Contract } from '../../src/contract/contract.ts';

/** One line of a file of cases. */
export interface DialectCase {
  readonly id: string;
  readonly target: string;
  readonly kind: string;
  readonly expected: JsonObject;
  readonly [key: string]: unknown;
}

/** What is wrong with a case, and whether a call that must never run would have run. */
export interface Verdict {
  readonly faults: readonly string[];
  /** What was not checked, because it is said in words. */
  readonly remarks: readonly string[];
  readonly dangerous: boolean;
}

/** Collects what is wrong; every expectation has to be looked at by somebody. */
export class Findings {
  readonly faults: string[] = [];
  readonly remarks: string[] = [];
  dangerous = false;
  readonly #seen = new Set<string>();

  /** The value expected under a key, which counts as looked at. */
  take(expected: JsonObject, key: string): Json | undefined {
    this.#seen.add(key);
    return expected[key];
  }

  expect(holds: boolean, fault: string): void {
    if (!holds) this.faults.push(fault);
  }

  /** What nobody looked at: words are a remark for people and are shown as such, anything else is a fault. */
  unknown(expected: JsonObject): void {
    for (const [key, value] of Object.entries(expected)) {
      if (this.#seen.has(key)) continue;
      if (typeof value === 'string' && value.includes(' '))
        this.remarks.push(`not checked: ${key}: ${value}`);
      else this.faults.push(`unknown expectation ${key}`);
    }
  }
}

/** A contract around a schema as a case gives it. */
export function contractOf(given: DialectCase, name: string, parameters: JsonObject): Contract {
  const effect = given['side_effect'] ?? given['effect'];
  const kind = effect === 'write' || given['write'] === true ? 'write' : 'read';
  return {
    name,
    version: '1.0.0',
    description: typeof given['description'] === 'string' ? given['description'] : 'A tool.',
    tags: [],
    purpose: 'To be compiled.',
    preconditions: [],
    related: [],
    side_effect: { kind },
    parameters,
    rules: { none: 'a case' },
    aliases: {},
    errors: [],
    secrets: [],
    examples: [],
    queries: [],
    dependencies: [],
    permissions: [],
    policy: {},
    executor: { kind: 'module' },
  };
}

/** The dialect a case is about; any will do for what is about all. */
export function targetOf({ target }: DialectCase): string {
  return target === 'any' ? 'openai.chat' : target;
}

/** The schema a case gives, as an import would read it. */
export function schemaOf(given: DialectCase): JsonObject {
  return normalise((given['input_schema'] ?? { type: 'object', properties: {} }) as JsonObject);
}

/** Warnings as a case spells them: by code, and by code and path. */
export function codesOf({ warnings }: Compiled): readonly string[] {
  return warnings.flatMap(({ code, path }) => [code, `${code}:${path}`]);
}

/** Members of a schema by JSON pointer, as `require` and `require_absent` want them. */
export function checkPointers(schema: JsonObject, expected: JsonObject, findings: Findings): void {
  const at = (pointer: string): unknown =>
    pointer
      .split('/')
      .slice(1)
      .reduce<unknown>((found, key) => (found as JsonObject | undefined)?.[key], schema);
  for (const [pointer, value] of Object.entries(
    (findings.take(expected, 'require') ?? {}) as JsonObject,
  ))
    findings.expect(
      isDeepStrictEqual(at(pointer), value),
      `${pointer} is ${JSON.stringify(at(pointer))}`,
    );
  for (const pointer of (findings.take(expected, 'require_absent') ?? []) as string[])
    findings.expect(at(pointer) === undefined, `${pointer} is there`);
  for (const pointer of (findings.take(expected, 'present_at') ?? []) as string[])
    findings.expect(at(pointer) !== undefined, `${pointer} is not there`);
}
