import { findDialect } from '../../src/adapters/dialect.ts';
import { repairHistory } from '../../src/adapters/repair-history.ts';
import { wireOf } from '../../src/adapters/wire.ts';
import { textOf } from '../../src/adapters/wires/reading.ts';
import { isPlainObject, type Json, type JsonObject } from '../../src/base/json.ts';
import { targetOf, type DialectCase, type Findings } from './case.ts';

/** Holds a history, as it would be sent again, to what a case expects. */
export function checkHistory(given: DialectCase, findings: Findings): void {
  const { expected } = given;
  const target = targetOf(given);
  const calls = ((given['tool_calls'] ?? [given['tool_call']]) as JsonObject[]).map(
    (call, index) => ({
      id: `c${index}`,
      name: `f${index}`,
      arguments: '{}',
      ...call,
    }),
  );
  const reply = replyOf(target, calls);
  const wire = wireOf(findDialect(target));
  const results = wire.calls(reply).map((call) => ({ call, text: 'done', error: false }));
  const messages = wire.messages(reply, results);
  const text = JSON.stringify(messages);
  if (findings.take(expected, 'replay_arguments') !== undefined)
    findings.expect(argumentsIn(messages).every(isObjectText), `replays ${text}`);
  const pattern = findings.take(expected, 'id_pattern');
  if (typeof pattern === 'string')
    for (const id of idsIn(messages)) findings.expect(new RegExp(pattern).test(id), `id ${id}`);
  if (findings.take(expected, 'same_in_call_and_result') === true)
    findings.expect(
      idsIn(messages).every((id) => text.split(JSON.stringify(id)).length > 2),
      `ids differ in ${text}`,
    );
  checkParts(messages, expected, findings);
  checkResults(calls, target, { expected, findings });
}

function checkParts(
  messages: readonly JsonObject[],
  expected: JsonObject,
  findings: Findings,
): void {
  const model = messages.filter(({ role }) => role === 'model');
  const parts = model.flatMap((message) => (message['parts'] ?? []) as JsonObject[]);
  const contents = findings.take(expected, 'contents');
  if (contents !== undefined)
    findings.expect(model.length === contents, `${model.length} contents`);
  const count = findings.take(expected, 'parts');
  if (count !== undefined) findings.expect(parts.length === count, `${parts.length} parts`);
  const signed = findings.take(expected, 'signature_on');
  if (signed !== undefined) {
    const on = parts.flatMap((part, index) =>
      part['thoughtSignature'] === undefined ? [] : [index],
    );
    findings.expect(
      JSON.stringify(on) === JSON.stringify(signed),
      `signatures on ${on.join(', ')}`,
    );
  }
}

/** The last call has no result: the history is repaired before it is sent again. */
function checkResults(
  calls: readonly JsonObject[],
  target: string,
  { expected, findings }: { readonly expected: JsonObject; readonly findings: Findings },
): void {
  const wanted = findings.take(expected, 'next_user_message') as string[] | undefined;
  const first = findings.take(expected, 'tool_results_first');
  if (wanted === undefined) return;
  const turn = {
    role: 'assistant',
    content: calls.map(({ id, name }) => ({ type: 'tool_use', id, name, input: {} })),
  };
  const results = wanted
    .filter((line) => !line.includes('is_error'))
    .map((line) => ({
      type: 'tool_result',
      tool_use_id: line.split(' ')[1] ?? '',
      content: 'done',
    }));
  const user = { role: 'user', content: [{ type: 'text', text: 'go on' }, ...results] };
  const repaired = repairHistory(target, [turn, user] as JsonObject[]);
  const blocks = (repaired[1]?.['content'] ?? []) as JsonObject[];
  const told = blocks
    .filter(({ type }) => type === 'tool_result')
    .map(
      (block) =>
        `tool_result ${textOf(block['tool_use_id'])}${block['is_error'] === true ? ' is_error' : ''}`,
    );
  findings.expect(
    JSON.stringify(told) === JSON.stringify(wanted),
    `the results are ${told.join(', ')}`,
  );
  if (first === true)
    findings.expect(
      blocks.slice(0, told.length).every(({ type }) => type === 'tool_result'),
      'text comes first',
    );
  findings.expect(repairHistory(target, repaired) === repaired, 'repairing twice changes more');
}

/** A vendor's reply that makes these calls. */
function replyOf(target: string, calls: readonly JsonObject[]): JsonObject {
  const { shape } = findDialect(target);
  if (shape === 'anthropic')
    return {
      content: calls.map(({ id, name }) => ({ type: 'tool_use', id, name, input: {} })),
      stop_reason: 'tool_use',
    } as JsonObject;
  if (shape === 'gemini' || shape === 'gemini.parameters') {
    const parts = calls.map(({ id, name, thoughtSignature }) => ({
      functionCall: { id, name, args: {} },
      ...(thoughtSignature === undefined ? {} : { thoughtSignature }),
    }));
    return { candidates: [{ content: { role: 'model', parts } }] } as JsonObject;
  }
  if (shape === 'bedrock') {
    const content = calls.map(({ id, name }) => ({ toolUse: { toolUseId: id, name, input: {} } }));
    return { output: { message: { role: 'assistant', content } } } as JsonObject;
  }
  if (shape === 'openai.responses')
    return {
      output: calls.map(({ id, name, arguments: text }) => ({
        type: 'function_call',
        call_id: id,
        name,
        arguments: text,
      })),
    } as JsonObject;
  const list = calls.map(({ id, name, arguments: text }) => ({
    id,
    type: 'function',
    function: { name, arguments: text },
  }));
  const message = { role: 'assistant', content: null, tool_calls: list };
  return (
    target === 'cohere' ? { message } : { choices: [{ message, finish_reason: 'tool_calls' }] }
  ) as JsonObject;
}

function argumentsIn(node: Json | readonly Json[]): readonly string[] {
  if (typeof node !== 'object' || node === null) return [];
  return Object.entries(node).flatMap(([key, value]) =>
    key === 'arguments' && typeof value === 'string' ? [value] : argumentsIn(value),
  );
}

function isObjectText(text: string): boolean {
  try {
    return isPlainObject(JSON.parse(text));
  } catch {
    return false;
  }
}

const ID_KEYS = new Set([
  'id',
  'tool_call_id',
  'toolCallId',
  'tool_use_id',
  'toolUseId',
  'call_id',
]);

function idsIn(node: Json | readonly Json[]): readonly string[] {
  if (typeof node !== 'object' || node === null) return [];
  return Object.entries(node).flatMap(([key, value]) =>
    ID_KEYS.has(key) && typeof value === 'string' ? [value] : idsIn(value),
  );
}

/** Holds what a client is sent for a failed call to what a case expects. */
export function checkResult(given: DialectCase, findings: Findings): void {
  const { expected } = given;
  const result = given['result'];
  const { isError, content = result } = (isPlainObject(result) ? result : { content: result }) as {
    isError?: boolean;
    content?: unknown;
  };
  const call = { id: '1', name: 'f', arguments: {}, complete: true };
  const text = typeof content === 'string' ? content : JSON.stringify(content ?? null);
  const [message = {}] = wireOf(findDialect(targetOf(given)))
    .messages({ name: 'f', arguments: {} }, [{ call, text, error: isError === true }])
    .slice(-1);
  const shown = JSON.stringify(message);
  for (const key of (findings.take(expected, 'absent') ?? []) as string[])
    findings.expect(!shown.includes(`"${key}"`), `${key} is there`);
  for (const key of (findings.take(expected, 'present') ?? []) as string[])
    findings.expect(shown.includes(`"${key}"`), `${key} is not there`);
  const flag = findings.take(expected, 'isError') ?? findings.take(expected, 'is_error');
  if (flag !== undefined)
    findings.expect(
      /"is_?error":true|"status":"error"/i.test(shown) === flag,
      `the flag is wrong in ${shown}`,
    );
  const said = findings.take(expected, 'text');
  if (typeof said === 'string')
    findings.expect(shown.includes(said), `${said} is not said in ${shown}`);
}
