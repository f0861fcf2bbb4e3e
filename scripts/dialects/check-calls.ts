import { isDeepStrictEqual } from 'node:util';
import { CallCollector, type CallDelta } from '../../src/adapters/collect-stream.ts';
import { compile } from '../../src/adapters/compile.ts';
import { decodeCall, type Decoded } from '../../src/adapters/decode.ts';
import { expandCall } from '../../src/adapters/expand-call.ts';
import type { ToolCall } from '../../src/adapters/tool-call.ts';
import type { JsonObject } from '../../src/base/json.ts';
import type { Contract } from '../../src/contract/contract.ts';
import { contractOf, schemaOf, targetOf, type DialectCase, type Findings } from './case.ts';
import { contractsOf } from './check-tools.ts';

const CUT = new Set(['length', 'max_tokens', 'MAX_TOKENS', 'incomplete']);

/** Holds what is read out of a call to what a case expects. */
export function checkCall(given: DialectCase, findings: Findings): void {
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

/** Holds what is put together out of a stream to what a case expects. */
export function checkStream(given: DialectCase, findings: Findings): void {
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
