import { isDeepStrictEqual } from 'node:util';
import { compile, type Compiled } from '../../src/adapters/compile.ts';
import { decodeCall } from '../../src/adapters/decode.ts';
import { isPlainObject, type Json, type JsonObject } from '../../src/base/json.ts';
import { compileValidator } from '../../src/contract/schema/compile.ts';
import {
  checkPointers,
  codesOf,
  contractOf,
  schemaOf,
  targetOf,
  type DialectCase,
  type Findings,
} from './case.ts';

const SKILL = 'case.tool';
const CHILDREN = new Set(['properties', '$defs', 'patternProperties', 'dependentSchemas']);

/** Holds the compiled form of a schema to what a case expects of it. */
export function checkSchema(given: DialectCase, findings: Findings): void {
  const { expected } = given;
  const began = performance.now();
  const contract = contractOf(given, SKILL, schemaOf(given));
  const compiled = compile(
    [contract, contractOf(given, 'other.tool', { type: 'object', properties: {} })],
    targetOf(given),
  );
  const ms = performance.now() - began;
  const limit = findings.take(expected, 'max_ms');
  if (typeof limit === 'number') findings.expect(ms <= limit, `took ${ms.toFixed(0)} ms`);
  findings.take(expected, 'other_tools_survive');
  findings.expect(compiled.decodePlans.has('other.tool'), 'another tool did not survive');
  const action = findings.take(expected, 'action');
  const refused = compiled.refused.some(({ skill }) => skill === SKILL);
  if (refused) {
    const mayRefuse = typeof action === 'string' && /reject|refuse|error/.test(action);
    findings.expect(
      mayRefuse,
      `refused: ${compiled.refused.flatMap(({ reasons }) => reasons).join('; ')}`,
    );
    for (const key of Object.keys(expected)) findings.take(expected, key);
    return;
  }
  findings.expect(action !== 'reject' && action !== 'refuse', 'was not refused');
  const tool = toolOf(compiled);
  checkForm(tool, given, findings);
  checkValues(compiled, tool, { given, findings });
  const codes = codesOf(compiled);
  for (const code of (findings.take(expected, 'warn') ?? []) as string[])
    findings.expect(codes.includes(code), `no warning ${code} in ${codes.join(' ')}`);
}

function toolOf(compiled: Compiled): JsonObject {
  const name = compiled.nameTable.exposed(SKILL);
  const found = compiled.tools.find((tool) => nameOf(tool) === name);
  if (found === undefined) throw new Error('the tool is not there');
  return found;
}

function nameOf(tool: JsonObject): unknown {
  return [tool, tool['function'], tool['toolSpec']]
    .map((part) => (isPlainObject(part) ? part['name'] : undefined))
    .find((name) => name !== undefined);
}

/** The parameters a tool shows; undefined when it leaves them out. */
function parametersOf(tool: JsonObject): JsonObject | undefined {
  const own = (tool['function'] ?? tool['toolSpec'] ?? tool) as JsonObject;
  const input = own['inputSchema'] as JsonObject | undefined;
  return (own['parameters'] ??
    own['input_schema'] ??
    own['parametersJsonSchema'] ??
    input?.['json'] ??
    input ??
    own['schema']) as JsonObject | undefined;
}

function checkForm(tool: JsonObject, given: DialectCase, findings: Findings): void {
  const { expected } = given;
  const shown = parametersOf(tool);
  const schema: JsonObject = shown ?? {
    type: 'object',
    properties: {},
    additionalProperties: false,
  };
  const own = (tool['function'] ?? tool) as JsonObject;
  const bytes = findings.take(expected, 'max_bytes');
  if (typeof bytes === 'number')
    findings.expect(JSON.stringify(tool).length <= bytes, 'is too large');
  const found = keywordsIn(schema);
  for (const key of (findings.take(expected, 'absent') ?? []) as string[])
    findings.expect(!found.has(key), `${key} is there`);
  for (const key of (findings.take(expected, 'present') ?? []) as string[])
    findings.expect(found.has(key), `${key} is not there`);
  if (expected['action'] === 'emit_nonstrict') findings.expect(own['strict'] !== true, 'is strict');
  if (findings.take(expected, 'strict_explicit') === true)
    findings.expect(typeof own['strict'] === 'boolean', 'does not say whether it is strict');
  const text = findings.take(expected, 'keep_text');
  if (typeof text === 'string')
    findings.expect(JSON.stringify(tool).includes(text), `${text} is lost`);
  const forms = findings.take(expected, 'any_of');
  if (Array.isArray(forms)) {
    const fits = forms.some((form) =>
      typeof form === 'string' ? shown === undefined : isDeepStrictEqual(schema, form),
    );
    findings.expect(fits, `has the form ${JSON.stringify(shown)}`);
  }
  if (findings.take(expected, 'root_no_combinator') === true)
    findings.expect(
      ['anyOf', 'oneOf', 'allOf'].every((key) => schema[key] === undefined),
      'has a union at the root',
    );
  const names = Object.keys((schema['properties'] ?? {}) as JsonObject);
  const pattern = findings.take(expected, 'keys_match');
  if (typeof pattern === 'string')
    for (const name of names) findings.expect(new RegExp(pattern).test(name), `key ${name}`);
  const distinct = findings.take(expected, 'distinct_keys');
  if (distinct !== undefined)
    findings.expect(new Set(names).size === distinct, `${names.length} keys`);
  const length = findings.take(expected, 'required_len');
  if (length !== undefined)
    findings.expect(
      ((schema['required'] ?? []) as Json[]).length === length,
      'other keys are required',
    );
  if (findings.take(expected, 'no_extra_wrapper') === true) {
    const before = Object.keys((schemaOf(given)['properties'] ?? {}) as JsonObject);
    findings.expect(isDeepStrictEqual(names, before), `the members are ${names.join(', ')}`);
  }
  const none = (findings.take(expected, 'pattern_has_no') ?? []) as string[];
  for (const part of none)
    findings.expect(
      !patternsIn(schema).some((found_) => found_.includes(part)),
      `a pattern has ${part}`,
    );
  checkPointers(schema, expected, findings);
}

function checkValues(
  compiled: Compiled,
  tool: JsonObject,
  { given, findings }: { readonly given: DialectCase; readonly findings: Findings },
): void {
  const { expected } = given;
  const plan = compiled.decodePlans.get(SKILL);
  if (plan === undefined) return;
  const parameters = parametersOf(tool) ?? { type: 'object', properties: {} };
  const shown = compileValidator(
    isOpenApi(compiled.dialect) ? fromOpenApi(parameters) : parameters,
  );
  const list = (key: string): readonly JsonObject[] =>
    (findings.take(expected, key) ?? []) as JsonObject[];
  const decode = (sent: unknown) =>
    decodeCall(compiled, {
      id: '1',
      name: compiled.nameTable.exposed(SKILL) ?? '',
      arguments: sent,
      complete: true,
    });
  for (const value of list('accepts')) {
    const takes = shown.holds(value) || shown.holds(plan.spell(value));
    findings.expect(
      takes,
      `does not take ${JSON.stringify(value)}: ${JSON.stringify(shown(plan.spell(value)))}`,
    );
    const decoded = decode(shown.holds(value) ? value : plan.spell(value));
    findings.expect(decoded.ok, `does not read ${JSON.stringify(value)}`);
  }
  const stopped = (value: JsonObject): void => {
    const decoded = decode(value);
    findings.expect(!decoded.ok, `lets ${JSON.stringify(value)} through`);
    if (decoded.ok) findings.dangerous = true;
  };
  for (const key of ['rejects', 'post_validate_rejects', 'reject_decode'])
    for (const value of list(key)) stopped(value);
  for (const { model, skill } of list('decode')) {
    const decoded = decode(model);
    const params = decoded.ok ? decoded.params : decoded.message;
    findings.expect(
      isDeepStrictEqual(params, skill),
      `reads ${JSON.stringify(model)} as ${JSON.stringify(params)}`,
    );
  }
  findings.take(expected, 'reverse_map');
  const renamed = findings.take(expected, 'decode_renamed');
  if (renamed !== undefined) {
    const decoded = decode(plan.spell(renamed));
    findings.expect(
      decoded.ok && isDeepStrictEqual(decoded.params, renamed),
      'renamed members do not come back',
    );
  }
}

function isOpenApi(dialect: string): boolean {
  return dialect === 'gemini.parameters';
}

/** The subset of OpenAPI as JSON Schema, so that a validator can hold values to it. */
export function fromOpenApi(schema: JsonObject): JsonObject {
  const { nullable, ...rest } = schema;
  const plain = Object.fromEntries(
    Object.entries(rest).map(([key, value]): [string, Json] => {
      if (key === 'type') return [key, (value as string).toLowerCase()];
      if (key === 'properties')
        return [
          key,
          Object.fromEntries(
            Object.entries(value as JsonObject).map(([name, child]) => [
              name,
              fromOpenApi(child as JsonObject),
            ]),
          ),
        ];
      if (key === 'items') return [key, fromOpenApi(value as JsonObject)];
      if (key === 'anyOf') return [key, (value as JsonObject[]).map(fromOpenApi)];
      return [key, value];
    }),
  );
  return nullable === true ? { anyOf: [plain, { type: 'null' }] } : plain;
}

/** Every keyword used anywhere in a schema; names of properties are none. */
function keywordsIn(schema: unknown): ReadonlySet<string> {
  const found = new Set<string>();
  const visit = (node: unknown): void => {
    if (Array.isArray(node)) return node.forEach(visit);
    if (!isPlainObject(node)) return;
    for (const [key, value] of Object.entries(node)) {
      found.add(key);
      if (CHILDREN.has(key) && isPlainObject(value)) Object.values(value).forEach(visit);
      else if (!['enum', 'const', 'default', 'examples', 'required'].includes(key)) visit(value);
    }
  };
  visit(schema);
  return found;
}

function patternsIn(node: unknown): readonly string[] {
  if (typeof node !== 'object' || node === null) return [];
  const own = isPlainObject(node) && typeof node['pattern'] === 'string' ? [node['pattern']] : [];
  return [...own, ...Object.values(node).flatMap(patternsIn)];
}
