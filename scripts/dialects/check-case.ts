import { isDeepStrictEqual } from 'node:util';
import { createContext, runInContext } from 'node:vm';
import { z } from 'zod';
import { CallCollector, type CallDelta } from '../../src/adapters/collect-stream.ts';
import { compile, type Compiled } from '../../src/adapters/compile.ts';
import { decodeCall, type Decoded } from '../../src/adapters/decode.ts';
import { normalise } from '../../src/adapters/normalise.ts';
import type { ToolCall } from '../../src/adapters/tool-call.ts';
import type { JsonObject } from '../../src/base/json.ts';
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
  return { faults: findings.faults, dangerous: findings.dangerous };
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
  checkNames(compiled, [name], { given, findings });
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

function checkToolset(given: DialectCase, findings: Findings): void {
  const { expected } = given;
  const spec = (given['tools'] ?? {}) as {
    count?: number;
    each?: { required?: number; optional?: number };
  };
  const names =
    (given['names'] as string[] | undefined) ??
    Array.from({ length: spec.count ?? 1 }, (_, index) => `set.tool-${index}`);
  const properties = Object.fromEntries(
    ['required', 'optional'].flatMap((kind) =>
      Array.from({ length: spec.each?.[kind as 'required'] ?? 0 }, (_, index) => [
        `${kind}_${index}`,
        { type: 'string' },
      ]),
    ),
  );
  const parameters: JsonObject = {
    type: 'object',
    properties,
    required: Object.keys(properties).filter((name) => name.startsWith('required')),
    additionalProperties: false,
  };
  const compiled = compile(
    names.map((name) => contractOf(given, name, parameters)),
    targetOf(given),
  );
  const strict = compiled.tools.filter((tool) => tool['strict'] === true);
  const limit = (key: string, value: number): void => {
    const most = findings.take(expected, key);
    if (typeof most === 'number') findings.expect(value <= most, `${key}: ${value}`);
  };
  limit('strict_tools_max', strict.length);
  limit('optional_total_max', strict.length * (spec.each?.optional ?? 0));
  limit('union_total_max', 0);
  limit('max', compiled.tools.length);
  const { length } = compiled.tools;
  findings.expect(
    length + compiled.refused.length === names.length,
    'a tool is neither sent nor refused',
  );
  const action = findings.take(expected, 'action');
  if (typeof action === 'string' && action.includes('TOO_MANY_TOOLS'))
    findings.expect(
      compiled.refused.some(({ code }) => code === 'TOO_MANY_TOOLS'),
      'nothing is refused',
    );
  const codes = codesOf(compiled);
  for (const code of (findings.take(expected, 'warn') ?? []) as string[])
    findings.expect(codes.includes(code), `no warning ${code}`);
  checkNames(compiled, names.slice(0, length), { given, findings });
}

function checkCall(given: DialectCase, findings: Findings): void {
  const {
    name,
    arguments: sent,
    finish_reason: reason,
    id,
  } = given['tool_call'] as Record<string, unknown>;
  const contract = contractOf(given, 'file.do', schemaOf(given));
  const compiled = compile(contract, targetOf(given));
  const called = name === 'file.do' || name === 'f' ? 'file.do' : String(name);
  const complete = !['length', 'max_tokens', 'MAX_TOKENS'].includes(String(reason));
  const call = { id: typeof id === 'string' ? id : '1', name: called, arguments: sent, complete };
  judge(decodeCall(compiled, call), { given, findings, sent: call });
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
  const { deltas, end } = given['tool_call'] as { deltas: CallDelta[]; end?: string | null };
  const collector = new CallCollector();
  for (const delta of deltas) collector.push(delta);
  const calls = collector.end(end ?? undefined);
  const compiled = compile(contractOf(given, 'file.do', schemaOf(given)), targetOf(given));
  const decoded = calls.map((call) => decodeCall(compiled, call));
  const runs = decoded.filter(({ ok }) => ok).length;
  findings.take(expected, 'finalised_at');
  const count = findings.take(expected, 'calls');
  if (count !== undefined)
    findings.expect(runs === count, `${runs} of ${calls.length} calls would run`);
  if (typeof count === 'number' && runs > count) findings.dangerous = true;
  const [first] = decoded;
  if (first !== undefined) judge(first, { given, findings, sent: calls[0] as ToolCall });
}

function checkImport(given: DialectCase, findings: Findings): void {
  const source = given['zod'];
  if (typeof source !== 'string') throw new Error('there is no zod schema to import');
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
