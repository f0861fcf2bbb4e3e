import { isDeepStrictEqual } from 'node:util';
import { createContext, runInContext } from 'node:vm';
import { z } from 'zod';
import { CallCollector, type CallDelta } from '../../src/adapters/collect-stream.ts';
import { compile, type Compiled } from '../../src/adapters/compile.ts';
import { decodeCall, type Decoded } from '../../src/adapters/decode.ts';
import { expandCall } from '../../src/adapters/expand-call.ts';
import { normalise } from '../../src/adapters/normalise.ts';
import type { ToolCall } from '../../src/adapters/tool-call.ts';
import type { Json, JsonObject } from '../../src/base/json.ts';
import type { Contract } from '../../src/contract/contract.ts';
import { schemaFaults } from '../../src/contract/schema/guard.ts';
import { defineSkill } from '../../src/registry/define-skill.ts';
import {
  checkPointers,
  codesOf,
  contractOf,
  Findings,
  schemaOf,
  targetOf,
  type DialectCase,
  type Verdict,
} from './case.ts';
import { checkHistory, checkResult } from './check-history.ts';
import { checkSchema } from './check-schema.ts';

/** Things people wrote for people; there is nothing in them to check. */
const REMARKS = ['note', 'prefer_target', 'rest', 'feedback_to_model', 'seen_by', 'before_send'];

/** Holds one case against the compiler, the decoder and the wires. Never throws. */
export function checkCase(given: DialectCase): Verdict {
  const findings = new Findings();
  try {
    const check = CHECKS[given.kind];
    if (check === undefined) findings.faults.push(`unknown kind ${given.kind}`);
    else check(given, findings);
    for (const remark of REMARKS) findings.take(given.expected, remark);
    findings.unknown(given.expected);
  } catch (error) {
    findings.faults.push(`threw ${error instanceof Error ? error.message : String(error)}`);
  }
  const { faults, remarks, dangerous } = findings;
  return { faults, remarks, dangerous };
}

const CHECKS: Readonly<Record<string, (given: DialectCase, findings: Findings) => void>> = {
  schema: checkSchema,
  tool: checkTool,
  toolset: checkToolset,
  call: checkCall,
  stream: checkStream,
  history: checkHistory,
  result: checkResult,
  import: checkImport,
};

function checkTool(given: DialectCase, findings: Findings): void {
  const {
    name,
    description,
    input_schema: schema,
  } = given['tool'] as {
    name: string;
    description: string;
    input_schema: JsonObject;
  };
  const contract = { ...contractOf(given, name, normalise(schema)), description };
  const compiled = compile(contract, targetOf(given));
  const error = findings.take(given.expected, 'error');
  if (error !== undefined) {
    findings.expect(compiled.refused[0]?.code === error, `refused as ${compiled.refused[0]?.code}`);
    return;
  }
  const [tool = {}] = compiled.tools;
  const told = JSON.stringify(tool);
  const words = descriptionOf(tool);
  const longest = findings.take(given.expected, 'description_max');
  if (typeof longest === 'number')
    findings.expect(words.length <= longest, `the description has ${words.length} characters`);
  if (findings.take(given.expected, 'description_non_empty') === true)
    findings.expect(words !== '', 'there is no description');
  for (const text of textsIn(findings.take(given.expected, 'keep_text')))
    findings.expect(told.includes(text), `${text} is lost`);
  checkNames(compiled, [name], { given, findings });
}

/** One text, or several; none for anything else. */
function textsIn(value: Json | undefined): readonly string[] {
  return [value].flat().filter((item) => typeof item === 'string');
}

function descriptionOf(tool: JsonObject): string {
  const own = (tool['function'] ?? tool['toolSpec'] ?? tool) as JsonObject;
  return typeof own['description'] === 'string' ? own['description'] : '';
}

function checkNames(
  compiled: Compiled,
  names: readonly string[],
  { given, findings }: { readonly given: DialectCase; readonly findings: Findings },
): void {
  const { expected } = given;
  const exposed = names.map((name) => compiled.nameTable.exposed(name) ?? '');
  const pattern = findings.take(expected, 'name_pattern');
  if (typeof pattern === 'string')
    for (const name of exposed) findings.expect(new RegExp(pattern).test(name), `name ${name}`);
  const distinct = findings.take(expected, 'distinct');
  if (distinct !== undefined)
    findings.expect(new Set(exposed).size === distinct, `${new Set(exposed).size} distinct names`);
  if (findings.take(expected, 'reverse_map') !== undefined)
    for (const [index, name] of names.entries())
      findings.expect(
        compiled.nameTable.skill(exposed[index] ?? '') === name,
        `no way back to ${name}`,
      );
  if (findings.take(expected, 'order_independent') === true) {
    const contracts = names.map((name) =>
      contractOf(given, name, { type: 'object', properties: {} }),
    );
    const other = compile(contracts.toReversed(), targetOf(given));
    for (const [index, name] of names.entries())
      findings.expect(
        other.nameTable.exposed(name) === exposed[index],
        `${name} depends on the order`,
      );
  }
}

interface GivenTool {
  readonly name: string;
  readonly description?: string;
  readonly input_schema?: JsonObject;
  readonly side_effect?: string;
}

/** The contracts of a set of tools: as they are given, by name alone, or so many of one shape. */
function contractsOf(given: DialectCase): readonly Contract[] {
  const { tools, names } = given;
  if (Array.isArray(tools))
    return (tools as GivenTool[]).map(
      ({ name, description, input_schema: schema, side_effect: effect }) =>
        contractOf(
          { ...given, description, side_effect: effect ?? given['side_effect'] },
          name,
          normalise(schema ?? EMPTY),
        ),
    );
  const { count = 1, each = {} } = (tools ?? {}) as {
    count?: number;
    each?: Readonly<Record<string, number>>;
  };
  const shapes: Readonly<Record<string, JsonObject>> = {
    required: { type: 'string' },
    optional: { type: 'string' },
    union: { anyOf: [{ type: 'string' }, { type: 'integer' }] },
  };
  const properties = Object.fromEntries(
    Object.entries(shapes).flatMap(([kind, schema]) =>
      Array.from({ length: each[kind] ?? 0 }, (_, index) => [`${kind}_${index}`, schema]),
    ),
  );
  const parameters: JsonObject = {
    type: 'object',
    properties,
    required: Object.keys(properties).filter((name) => !name.startsWith('optional')),
    additionalProperties: false,
  };
  const all =
    (names as string[] | undefined) ??
    Array.from({ length: count }, (_, index) => `set.tool-${index}`);
  return all.map((name) => contractOf(given, name, parameters));
}

const EMPTY: JsonObject = { type: 'object', properties: {} };

function checkToolset(given: DialectCase, findings: Findings): void {
  const { expected } = given;
  const contracts = contractsOf(given);
  const compiled = compile(contracts, targetOf(given));
  const strict = compiled.tools.filter((tool) => tool['strict'] === true);
  const limit = (key: string, value: number): void => {
    const most = findings.take(expected, key);
    if (typeof most === 'number') findings.expect(value <= most, `${key}: ${value}`);
  };
  const each = ((given['tools'] ?? {}) as { each?: Readonly<Record<string, number>> }).each ?? {};
  limit('strict_tools_max', strict.length);
  limit('optional_total_max', strict.length * (each['optional'] ?? 0));
  limit('union_total_max', strict.length * (each['union'] ?? 0));
  limit('max', compiled.tools.length);
  const refused = new Set(compiled.refused.map(({ skill }) => skill));
  findings.expect(
    compiled.tools.length + refused.size === contracts.length,
    'a tool is neither sent nor refused',
  );
  for (const name of textsIn(findings.take(expected, 'refused')))
    findings.expect(refused.has(name), `${name} was not refused`);
  const sent = contracts.map(({ name }) => name).filter((name) => !refused.has(name));
  for (const name of textsIn(findings.take(expected, 'sent')))
    findings.expect(sent.includes(name), `${name} was not sent`);
  if (findings.take(expected, 'other_tools_survive') === true)
    findings.expect(sent.length > 0, 'no tool survived');
  const action = findings.take(expected, 'action');
  const error = findings.take(expected, 'error');
  const wants = [action, error].some(
    (text) => typeof text === 'string' && text.includes('TOO_MANY_TOOLS'),
  );
  if (wants)
    findings.expect(
      compiled.refused.some(({ code }) => code === 'TOO_MANY_TOOLS'),
      'nothing is refused',
    );
  const codes = codesOf(compiled);
  for (const code of (findings.take(expected, 'warn') ?? []) as string[])
    findings.expect(codes.includes(code), `no warning ${code}`);
  checkNames(compiled, sent, { given, findings });
}

const CUT = new Set(['length', 'max_tokens', 'MAX_TOKENS', 'incomplete']);

function checkCall(given: DialectCase, findings: Findings): void {
  const {
    name,
    arguments: text,
    input,
    args,
    finish_reason: reason,
    stop_reason: stop,
    id,
  } = given['tool_call'] as Record<string, unknown>;
  const called = typeof name === 'string' ? name : '';
  const unknown = given.expected['code'] === 'TOOL_NOT_FOUND';
  const compiled = compile(skillsOf(given, called, unknown), targetOf(given));
  const complete = ![reason, stop].some((word) => typeof word === 'string' && CUT.has(word));
  const sent = text ?? input ?? args;
  const call = { id: typeof id === 'string' ? id : '1', name: called, arguments: sent, complete };
  const inner = expandCall(call, compiled.nameTable);
  const decoded = inner.map((one) => decodeCall(compiled, one));
  const wanted = findings.take(given.expected, 'calls');
  if (typeof wanted === 'number')
    findings.expect(decoded.filter(({ ok }) => ok).length === wanted, `${decoded.length} calls`);
  if (Array.isArray(wanted)) {
    const found = decoded.map((one) => (one.ok ? one.params : one.code));
    const params = (wanted as JsonObject[]).map((one) => one['args'] ?? one['arguments'] ?? one);
    findings.expect(isDeepStrictEqual(found, params), `the calls are ${JSON.stringify(found)}`);
  }
  const [first] = decoded;
  if (first !== undefined) judge(first, { given, findings, sent: call });
}

/** The skills a call may mean: those that are given, or one by the name that is called. */
function skillsOf(given: DialectCase, called: string, unknown: boolean): readonly Contract[] {
  if (Array.isArray(given['tools']) || Array.isArray(given['names'])) return contractsOf(given);
  const own = called.replace(/^(?:functions|tools|default_api)[._]/, '').trim();
  const other = unknown || own === '' || own.startsWith('multi_tool_use');
  return [contractOf(given, other ? 'file.do' : own, schemaOf(given))];
}

function judge(
  decoded: Decoded,
  {
    given,
    findings,
    sent,
  }: { readonly given: DialectCase; readonly findings: Findings; readonly sent: ToolCall },
): void {
  const { expected } = given;
  const wants = ['outcome', 'args', 'code', 'reason', 'or', 'never_executed', 'warn'];
  for (const key of wants) findings.take(expected, key);
  const other = expected['or'] as JsonObject | undefined;
  const faults = outcomeFaults(decoded, expected, schemaOf(given));
  if (
    faults.length > 0 &&
    (other === undefined || outcomeFaults(decoded, other, schemaOf(given)).length > 0)
  )
    findings.faults.push(...faults);
  const refused = expected['outcome'] === 'error' || expected['never_executed'] === true;
  if (refused && decoded.ok && other?.['outcome'] !== 'ok') findings.dangerous = true;
  if (decoded.ok && expected['outcome'] === 'ok' && faults.length > 0) findings.dangerous = true;
  if (!decoded.ok)
    findings.expect(decoded.message.length > 20, `says nothing to the model of ${sent.name}`);
}

function outcomeFaults(
  decoded: Decoded,
  expected: JsonObject,
  schema: JsonObject,
): readonly string[] {
  const faults: string[] = [];
  const { outcome, args, code, reason, warn } = expected;
  if (outcome === 'ok' && !decoded.ok) return [`refused: ${decoded.code} ${decoded.reason}`];
  if (outcome === 'error' && decoded.ok) return [`accepted ${JSON.stringify(decoded.params)}`];
  if (decoded.ok) {
    const { params } = decoded;
    if (
      args !== undefined &&
      !isDeepStrictEqual(params, args) &&
      !isDeepStrictEqual(withoutDefaults(params, schema), args)
    )
      faults.push(`gives ${JSON.stringify(params)}`);
    for (const change of (warn ?? []) as string[])
      if (!decoded.changes.includes(change))
        faults.push(`no warning ${change} in ${decoded.changes.join(' ')}`);
    return faults;
  }
  if (code !== undefined && decoded.code !== code) faults.push(`code ${decoded.code}`);
  if (typeof reason === 'string' && decoded.reason.toLowerCase() !== reason.toLowerCase())
    faults.push(`reason ${decoded.reason}`);
  return faults;
}

function withoutDefaults(params: JsonObject, schema: JsonObject): JsonObject {
  const properties = (schema['properties'] ?? {}) as Record<string, JsonObject>;
  return Object.fromEntries(
    Object.entries(params).filter(
      ([key, value]) => !isDeepStrictEqual(properties[key]?.['default'], value),
    ),
  );
}

function checkStream(given: DialectCase, findings: Findings): void {
  const { expected } = given;
  const {
    deltas,
    end,
    finish_reason: reason,
  } = given['tool_call'] as {
    deltas: CallDelta[];
    end?: string | null;
    finish_reason?: string | null;
  };
  const collector = new CallCollector();
  for (const { index, id, name, arguments: text } of deltas)
    collector.push({
      ...(typeof index === 'number' ? { index } : {}),
      id: id ?? '',
      name: name ?? '',
      arguments: text ?? '',
    });
  const why = end ?? reason ?? undefined;
  const calls = collector.end(why === 'cut' || why === 'stream_cut' ? undefined : why);
  const named = calls.map(({ name }) => name).find((name) => name !== '') ?? 'file.do';
  const others = calls.map(({ name }) => name).filter((name) => name !== '' && name !== named);
  const contracts = [...new Set([named, ...others])].map((name) =>
    contractOf(given, name, schemaOf(given)),
  );
  const compiled = compile(contracts, targetOf(given));
  const decoded = calls.map((call) => decodeCall(compiled, call));
  const runs = decoded.filter(({ ok }) => ok).length;
  findings.take(expected, 'finalised_at');
  const count = findings.take(expected, 'calls');
  const executed = findings.take(expected, 'executed');
  for (const wanted of [count, executed]) {
    const many = Array.isArray(wanted) ? wanted.length : wanted;
    if (typeof many !== 'number') continue;
    findings.expect(runs === many, `${runs} of ${calls.length} calls would run`);
    if (runs > many) findings.dangerous = true;
  }
  if (Array.isArray(count)) {
    const found = decoded.map((one) => (one.ok ? one.params : one.code));
    const params = (count as JsonObject[]).map((one) => one['args'] ?? one['arguments'] ?? one);
    findings.expect(isDeepStrictEqual(found, params), `the calls are ${JSON.stringify(found)}`);
  }
  const ids = findings.take(expected, 'ids');
  if (ids !== undefined)
    findings.expect(
      isDeepStrictEqual(
        calls.map(({ id }) => id),
        ids,
      ),
      `the ids are ${calls.map(({ id }) => id).join(', ')}`,
    );
  const [first] = decoded;
  if (first !== undefined) judge(first, { given, findings, sent: calls[0] as ToolCall });
}

function checkImport(given: DialectCase, findings: Findings): void {
  const source = given['zod'];
  if (typeof source !== 'string') {
    const read = schemaOf(given);
    findings.expect(schemaFaults(read).length === 0, 'the schema cannot be used');
    checkPointers(read, given.expected, findings);
    return;
  }
  // The expression comes from the file of cases: it sees zod and nothing else.
  const parameters: unknown = runInContext(source, createContext({ z }), { timeout: 1_000 });
  const { contract } = defineSkill({
    name: 'case.imported',
    version: '1.0.0',
    description: 'Imported.',
    purpose: 'To be imported.',
    side_effect: { kind: 'none' },
    parameters: parameters as never,
    rules: { none: 'a case' },
    execute: () => null,
  });
  const needed = findings.take(given.expected, 'input_schema_required');
  if (needed !== undefined)
    findings.expect(
      isDeepStrictEqual(contract.parameters['required'] ?? [], needed),
      'other names are required',
    );
  checkPointers(contract.parameters, given.expected, findings);
}
