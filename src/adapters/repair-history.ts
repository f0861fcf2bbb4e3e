import type { Json, JsonObject } from '../base/json.ts';
import { findDialect } from './dialect.ts';
import {
  INTERRUPTED,
  repairChat,
  repairLangchain,
  repairOllama,
  type Message,
} from './repair-lines.ts';
import { mistralId } from './wires/mistral.ts';
import {
  objectAt,
  objectsIn,
  replayable,
  replayableName,
  replayableObject,
  textOf,
} from './wires/reading.ts';

/**
 * A history that its vendor takes again: every call has exactly one result right behind it, results without
 * a call are gone, arguments are JSON, ids are the vendor's. A call without a result gets an error that says
 * so. What is sound comes back as the very same list; repairing twice changes nothing more.
 */
export function repairHistory(dialectId: string, messages: readonly Message[]): readonly Message[] {
  const { shape, id } = findDialect(dialectId);
  const repaired = (REPAIRS[id] ?? REPAIRS[shape] ?? repairChat)(messages);
  return JSON.stringify(repaired) === JSON.stringify(messages) ? messages : repaired;
}

/** AI SDK: the results of a turn are parts of one message of the tool. */
function repairParts(messages: readonly Message[]): readonly Message[] {
  const parts = (message: Message, type: string): readonly JsonObject[] =>
    objectsIn(message['content']).filter((part) => part['type'] === type);
  const results = messages
    .filter(({ role }) => role === 'tool')
    .flatMap((message) => parts(message, 'tool-result'));
  const used = new Set<JsonObject>();
  return messages.flatMap((message) => {
    if (message['role'] === 'tool') return [];
    const calls = parts(message, 'tool-call').filter((call) => call['providerExecuted'] !== true);
    if (message['role'] !== 'assistant' || calls.length === 0) return [message];
    const content = calls.map((call) => {
      const { toolCallId, toolName = '' } = call;
      const found = results.find(
        (result) => result['toolCallId'] === toolCallId && !used.has(result),
      );
      if (found !== undefined) used.add(found);
      const output = { type: 'error-text', value: INTERRUPTED };
      return found ?? { type: 'tool-result', toolCallId: textOf(toolCallId), toolName, output };
    });
    return [message, { role: 'tool', content }];
  });
}

interface Blocks {
  readonly role: string;
  readonly list: string;
  callId(block: Json): string | undefined;
  resultId(block: Json): string | undefined;
  /** The block as it is taken back. */
  mend(block: Json): Json;
  interrupted(id: string, call: Json): JsonObject;
}

const ANTHROPIC: Blocks = {
  role: 'assistant',
  list: 'content',
  callId: (block) =>
    objectAt(block)['type'] === 'tool_use' ? textOf(objectAt(block)['id']) : undefined,
  resultId: (block) =>
    objectAt(block)['type'] === 'tool_result' ? textOf(objectAt(block)['tool_use_id']) : undefined,
  mend: (block) => {
    const use = objectAt(block);
    if (use['type'] !== 'tool_use') return block;
    const name = replayableName(use['name'], 128);
    return { ...use, name, input: replayableObject(use['input']) };
  },
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
  mend: (block) => {
    if (objectAt(block)['toolUse'] === undefined) return block;
    const use = objectAt(block, 'toolUse');
    const name = replayableName(use['name']);
    const toolUse = { ...use, name, input: replayableObject(use['input']) };
    return { ...objectAt(block), toolUse };
  },
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
  mend: (block) => block,
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
    const used = new Set<Json>();
    const results = open.map(([id, call]) => {
      const found = given.find((block) => form.resultId(block) === id && !used.has(block));
      if (found !== undefined) used.add(found);
      return found ?? form.interrupted(id, call);
    });
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
      const list = message[form.list];
      repaired.push(
        Array.isArray(list) ? { ...message, [form.list]: list.map(form.mend) } : message,
      );
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
  const calls = new Set(
    items.filter(({ type }) => type === 'function_call').map((item) => textOf(item['call_id'])),
  );
  const answered = new Set<string>();
  const mended = items.flatMap((item) => {
    const id = textOf(item['call_id']);
    if (item['type'] === 'function_call_output') {
      const wanted = calls.has(id) && !answered.has(id);
      answered.add(id);
      return wanted ? [item] : [];
    }
    if (item['type'] !== 'function_call') return [item];
    const name = replayableName(item['name'], 128);
    return [{ ...item, name, arguments: replayable(item['arguments']) }];
  });
  // Outputs may stand anywhere behind their calls; only those that are missing are added, behind the last call.
  const missing = [...calls].filter((id) => !answered.has(id));
  const last = mended.findLastIndex(({ type }) => type === 'function_call');
  const added = missing.map((id) => ({
    type: 'function_call_output',
    call_id: id,
    output: INTERRUPTED,
  }));
  return [...mended.slice(0, last + 1), ...added, ...mended.slice(last + 1)];
}

type Repair = (messages: readonly Message[]) => readonly Message[];

/** By the dialect's id, else by its shape. */
const REPAIRS: Readonly<Record<string, Repair>> = {
  mistral: (messages) => repairChat(messages, mistralId),
  ollama: repairOllama,
  langchain: repairLangchain,
  'ai-sdk': repairParts,
  anthropic: (messages) => repairBlocks(messages, ANTHROPIC),
  bedrock: (messages) => repairBlocks(messages, BEDROCK),
  gemini: (messages) => repairBlocks(messages, GEMINI),
  'gemini.parameters': (messages) => repairBlocks(messages, GEMINI),
  'openai.responses': repairItems,
};
