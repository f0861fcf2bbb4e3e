import type { Json, JsonObject } from '../base/json.ts';
import { findDialect } from './dialect.ts';
import { mistralId } from './wires/mistral.ts';
import { objectAt, objectsIn, replayable, textOf } from './wires/reading.ts';

const INTERRUPTED =
  'This call was interrupted and nobody knows what it did. Look up its effect before you repeat it.';

type Message = JsonObject;

/**
 * A history that its vendor takes again: every call has exactly one result right behind it, results without
 * a call are gone, arguments are JSON, ids are the vendor's. A call without a result gets an error that says
 * so. What is sound comes back as the very same list; repairing twice changes nothing more.
 */
export function repairHistory(dialectId: string, messages: readonly Message[]): readonly Message[] {
  const { shape, id } = findDialect(dialectId);
  const repaired =
    id === 'mistral'
      ? repairChat(messages, mistralId)
      : shape === 'anthropic'
        ? repairBlocks(messages, ANTHROPIC)
        : shape === 'bedrock'
          ? repairBlocks(messages, BEDROCK)
          : shape === 'gemini' || shape === 'gemini.parameters'
            ? repairBlocks(messages, GEMINI)
            : shape === 'openai.responses'
              ? repairItems(messages)
              : repairChat(messages, (given) => given);
  return JSON.stringify(repaired) === JSON.stringify(messages) ? messages : repaired;
}

/** Chat Completions and its kin: one message a result, behind the message with the calls. */
function repairChat(
  messages: readonly Message[],
  idOf: (id: string) => string,
): readonly Message[] {
  const repaired: Message[] = [];
  const used = new Set<number>();
  for (const [index, message] of messages.entries()) {
    if (message['role'] === 'tool') continue;
    const key = message['toolCalls'] === undefined ? 'tool_calls' : 'toolCalls';
    const calls = objectsIn(message[key]);
    if (calls.length === 0) {
      repaired.push(message);
      continue;
    }
    const idKey = key === 'toolCalls' ? 'toolCallId' : 'tool_call_id';
    const mended = calls.map((call) => {
      const own = objectAt(call, 'function');
      return {
        ...call,
        id: idOf(textOf(call['id'])),
        function: { ...own, arguments: replayable(own['arguments']) },
      };
    });
    repaired.push({ ...message, [key]: mended });
    for (const call of mended) {
      const at = messages.findIndex(
        (other, place) =>
          place > index &&
          !used.has(place) &&
          other['role'] === 'tool' &&
          idOf(textOf(other[idKey])) === call.id,
      );
      used.add(at);
      const found = messages[at];
      repaired.push(
        found === undefined
          ? { role: 'tool', [idKey]: call.id, content: INTERRUPTED }
          : { ...found, [idKey]: call.id },
      );
    }
  }
  return repaired;
}

interface Blocks {
  readonly role: string;
  readonly list: string;
  callId(block: Json): string | undefined;
  resultId(block: Json): string | undefined;
  interrupted(id: string, call: Json): JsonObject;
}

const ANTHROPIC: Blocks = {
  role: 'assistant',
  list: 'content',
  callId: (block) =>
    objectAt(block)['type'] === 'tool_use' ? textOf(objectAt(block)['id']) : undefined,
  resultId: (block) =>
    objectAt(block)['type'] === 'tool_result' ? textOf(objectAt(block)['tool_use_id']) : undefined,
  interrupted: (id) => ({
    type: 'tool_result',
    tool_use_id: id,
    content: INTERRUPTED,
    is_error: true,
  }),
};

const BEDROCK: Blocks = {
  role: 'assistant',
  list: 'content',
  callId: (block) => idAt(block, 'toolUse', 'toolUseId'),
  resultId: (block) => idAt(block, 'toolResult', 'toolUseId'),
  interrupted: (id) => ({
    toolResult: { toolUseId: id, content: [{ text: INTERRUPTED }], status: 'error' },
  }),
};

const GEMINI: Blocks = {
  role: 'model',
  list: 'parts',
  // Without ids, calls and responses are matched by name.
  callId: (block) => idAt(block, 'functionCall', 'id') ?? idAt(block, 'functionCall', 'name'),
  resultId: (block) =>
    idAt(block, 'functionResponse', 'id') ?? idAt(block, 'functionResponse', 'name'),
  interrupted: (id, call) => {
    const { name, id: own } = objectAt(call, 'functionCall');
    return {
      functionResponse: {
        ...(typeof own === 'string' ? { id } : {}),
        name: name ?? id,
        response: { error: INTERRUPTED },
      },
    };
  },
};

function idAt(block: Json, member: string, key: string): string | undefined {
  const id = objectAt(block, member)[key];
  return typeof id === 'string' && id !== '' ? id : undefined;
}

/** Vendors whose results stand together in the next message of the user, before anything else. */
function repairBlocks(messages: readonly Message[], form: Blocks): readonly Message[] {
  const listOf = (message: Message | undefined): readonly Json[] => {
    const list = message?.[form.list];
    return Array.isArray(list)
      ? list
      : typeof list === 'string'
        ? [{ type: 'text', text: list }]
        : [];
  };
  const repaired: Message[] = [];
  let open: readonly (readonly [string, Json])[] = [];
  const answer = (next: Message | undefined): void => {
    const given = listOf(next);
    const results = open.map(
      ([id, call]) =>
        given.find((block) => form.resultId(block) === id) ?? form.interrupted(id, call),
    );
    const rest = given.filter((block) => form.resultId(block) === undefined);
    open = [];
    if (results.length === 0 && next !== undefined && rest.length === given.length) {
      repaired.push(next);
      return;
    }
    const content = [...results, ...rest];
    if (content.length > 0) repaired.push({ ...next, role: 'user', [form.list]: content });
  };
  for (const message of messages) {
    if (message['role'] === form.role) {
      if (open.length > 0) answer(undefined);
      repaired.push(message);
      open = listOf(message).flatMap((block) => {
        const id = form.callId(block);
        return id === undefined ? [] : [[id, block] as const];
      });
    } else answer(message);
  }
  if (open.length > 0) answer(undefined);
  return repaired;
}

/** Responses: calls and outputs are items of one list. */
function repairItems(items: readonly Message[]): readonly Message[] {
  const outputs = new Map(
    items
      .filter(({ type }) => type === 'function_call_output')
      .map((item) => [textOf(item['call_id']), item] as const),
  );
  const calls = new Set(
    items.filter(({ type }) => type === 'function_call').map((item) => textOf(item['call_id'])),
  );
  const mended = items
    .filter((item) => item['type'] !== 'function_call_output' || calls.has(textOf(item['call_id'])))
    .map((item) => {
      if (item['type'] !== 'function_call') return item;
      const sent = replayable(item['arguments']);
      return sent === item['arguments'] ? item : { ...item, arguments: sent };
    });
  // Outputs may stand anywhere behind their calls; only those that are missing are added, behind the last call.
  const missing = [...calls].filter((id) => !outputs.has(id));
  if (missing.length === 0) return mended;
  const last = mended.findLastIndex(({ type }) => type === 'function_call');
  const added = missing.map((id) => ({
    type: 'function_call_output',
    call_id: id,
    output: INTERRUPTED,
  }));
  return [...mended.slice(0, last + 1), ...added, ...mended.slice(last + 1)];
}
