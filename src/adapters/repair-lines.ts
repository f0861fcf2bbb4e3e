import type { JsonObject } from '../base/json.ts';
import {
  objectAt,
  objectsIn,
  replayable,
  replayableName,
  replayableObject,
  textOf,
} from './wires/reading.ts';

/** A message of any vendor's history. */
export type Message = JsonObject;

/** The result of a call whose own was lost. */
export const INTERRUPTED =
  'This call was interrupted and nobody knows what it did. Look up its effect before you repeat it.';

/** Chat Completions and its kin; ids as the vendor has them. */
export function repairChat(
  messages: readonly Message[],
  idOf = (id: string): string => id,
): readonly Message[] {
  return repairLines(messages, chat(idOf));
}

/** Ollama. */
export function repairOllama(messages: readonly Message[]): readonly Message[] {
  return repairLines(messages, OLLAMA);
}

/** LangChain. */
export function repairLangchain(messages: readonly Message[]): readonly Message[] {
  return repairLines(messages, LANGCHAIN);
}

/** Vendors whose results are messages of their own, behind the message with the calls. */
interface Lines {
  calls(message: Message): readonly JsonObject[];
  callKey(call: JsonObject): string;
  /** Undefined when the message is no result. */
  resultKey(message: Message): string | undefined;
  /** The message as it is taken back. */
  mend(message: Message): Message;
  /** A result as it is taken back; a call without one gets one that says so. */
  result(found: Message | undefined, call: JsonObject): Message;
}

function chat(idOf: (id: string) => string): Lines {
  const keyOf = (message: Message): string =>
    message['toolCalls'] === undefined ? 'tool_calls' : 'toolCalls';
  return {
    calls: (message) => {
      const camel = keyOf(message) === 'toolCalls';
      return objectsIn(message[keyOf(message)]).map((call) => (camel ? { ...call, camel } : call));
    },
    callKey: (call) => idOf(textOf(call['id'])),
    resultKey: (message) =>
      message['role'] === 'tool'
        ? idOf(textOf(message['tool_call_id'] ?? message['toolCallId']))
        : undefined,
    mend: (message) => {
      const mended = objectsIn(message[keyOf(message)]).map((call) => {
        const own = objectAt(call, 'function');
        const name = replayableName(own['name']);
        const sent = replayable(own['arguments']);
        return {
          ...call,
          id: idOf(textOf(call['id'])),
          function: { ...own, name, arguments: sent },
        };
      });
      return mended.length === 0 ? message : { ...message, [keyOf(message)]: mended };
    },
    result: (found, call) => ({
      ...(found ?? { role: 'tool', content: INTERRUPTED }),
      [call['camel'] === true ? 'toolCallId' : 'tool_call_id']: idOf(textOf(call['id'])),
    }),
  };
}

/** Without ids, calls and results are told apart by name and order. */
const OLLAMA: Lines = {
  calls: (message) => objectsIn(message['tool_calls']),
  callKey: (call) => textOf(objectAt(call, 'function')['name']),
  resultKey: (message) =>
    message['role'] === 'tool' ? textOf(message['tool_name'] ?? message['name']) : undefined,
  mend: (message) => {
    const mended = objectsIn(message['tool_calls']).map((call) => {
      const own = objectAt(call, 'function');
      return { ...call, function: { ...own, arguments: replayableObject(own['arguments']) } };
    });
    return mended.length === 0 ? message : { ...message, tool_calls: mended };
  },
  result: (found, call) =>
    found ?? { role: 'tool', tool_name: OLLAMA.callKey(call), content: INTERRUPTED },
};

/** Its messages may be instances of its classes: they stay as they are. */
const LANGCHAIN: Lines = {
  calls: (message) => [
    ...objectsIn(message['tool_calls']),
    ...objectsIn(message['invalid_tool_calls']),
  ],
  callKey: (call) => textOf(call['id']),
  resultKey: (message) =>
    message['tool_call_id'] === undefined ? undefined : textOf(message['tool_call_id']),
  mend: (message) => message,
  result: (found, call) =>
    found ?? {
      role: 'tool',
      tool_call_id: textOf(call['id']),
      name: textOf(call['name']),
      content: INTERRUPTED,
      status: 'error',
    },
};

function repairLines(messages: readonly Message[], form: Lines): readonly Message[] {
  const calls = messages.map((message) => form.calls(message));
  const results = messages.map((message) => form.resultKey(message));
  const used = new Set<number>();
  return messages.flatMap((message, index) => {
    if (results[index] !== undefined) return [];
    const own = (calls[index] ?? []).map((call) => {
      const key = form.callKey(call);
      // Up to the next call that goes by the same id: some vendors count anew in every turn.
      const next = calls.findIndex(
        (others, place) => place > index && others.some((other) => form.callKey(other) === key),
      );
      const at = results.findIndex(
        (result, place) =>
          place > index && (next === -1 || place < next) && !used.has(place) && result === key,
      );
      used.add(at);
      return form.result(messages[at], call);
    });
    return [form.mend(message), ...own];
  });
}
