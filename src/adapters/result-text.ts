import { isPlainObject, type Json, type JsonObject } from '../base/json.ts';
import type { Envelope } from '../contract/envelope.ts';
import type { ErrorCode } from '../contract/error.ts';
import type { SerialisedError } from '../contract/tool-error.ts';

/** What kind of failure it is, so that a model knows whose turn it is. */
export type ErrorType = 'input' | 'external_service' | 'business_rule' | 'internal';

const TYPES: Readonly<Record<ErrorCode, ErrorType>> = {
  INVALID_PARAMS: 'input',
  TOOL_NOT_FOUND: 'input',
  NOT_FOUND: 'business_rule',
  UNAUTHORISED: 'business_rule',
  TIMEOUT: 'external_service',
  RETRY_EXHAUSTED: 'external_service',
  RATE_LIMITED: 'external_service',
  UPSTREAM_ERROR: 'external_service',
  EXECUTION_ERROR: 'internal',
  PARSE_ERROR: 'internal',
  INTERNAL_ERROR: 'internal',
};
const RULES: ReadonlySet<unknown> = new Set(['business_rule', 'conflict']);

const STALE = 'The usual source could not answer: this is a stand-in and may be out of date.';

/** What a call came to, as a model reads it; longer ones come in pages, each of them JSON or text in itself. */
export interface ResultText {
  readonly error: boolean;
  readonly pages: readonly string[];
}

/** A result, or what went wrong and what to do, as text for a model in pages of at most `budget` characters. */
export function resultText(envelope: Envelope, budget: number): ResultText {
  if (!envelope.success)
    return { error: true, pages: textPages(errorText(envelope.error), budget) };
  const { warnings = [], stale } = envelope.metadata;
  const remarks = stale === true ? [...warnings, STALE] : warnings;
  const { result } = envelope;
  const text = typeof result === 'string' ? result : (JSON.stringify(result) ?? 'null');
  const said = remarks.length === 0 ? '' : `\n${remarks.join('\n')}`.slice(0, budget / 4);
  if (text.length + said.length <= budget) return { error: false, pages: [text + said] };
  const [first = '', ...others] = pagesOf(result as Json, text, budget - said.length);
  return { error: false, pages: [first + said, ...others] };
}

function errorText({ code, message, details = {} }: SerialisedError): string {
  const { suggestions, retry_after: wait, reason } = details;
  // Arguments nobody could read are the model's to mend, a result nobody could read is not.
  const unreadArguments = code === 'PARSE_ERROR' && reason !== 'result';
  const type = RULES.has(reason) ? 'business_rule' : unreadArguments ? 'input' : TYPES[code];
  return JSON.stringify({
    error_type: type,
    code,
    ...(reason === undefined ? {} : { reason }),
    message,
    ...(Array.isArray(suggestions) && suggestions.length > 0 ? { suggestions } : {}),
    ...(wait === undefined ? {} : { retry_after: wait }),
  });
}

/** A long result in pages: by the items of its longest list where there is one, else by its text. */
function pagesOf(result: Json, text: string, budget: number): readonly string[] {
  const list = longestList(result);
  if (list !== undefined) {
    const { key, items } = list;
    const others = key === undefined ? {} : without(result as JsonObject, key);
    const head = JSON.stringify(others).length;
    const groups = head < budget / 2 ? grouped(items, budget - head - 120) : undefined;
    if (groups !== undefined) {
      let from = 0;
      return groups.map((group, index) => {
        const shown = `items ${from + 1} to ${from + group.length} of ${items.length}`;
        from += group.length;
        return JSON.stringify({
          ...(index === 0 ? others : {}),
          [key ?? 'items']: group,
          shown: `${shown}, page ${index + 1} of ${groups.length}`,
        });
      });
    }
  }
  return textPages(text, budget);
}

/** Text in pages of at most `budget` characters; as it is when it fits. */
export function textPages(text: string, budget: number): readonly string[] {
  if (text.length <= budget) return [text];
  const size = Math.max(64, budget - 120);
  const parts: string[] = [];
  for (let at = 0; at < text.length;) {
    let end = Math.min(text.length, at + size);
    // Never in the middle of a character.
    if (/[\uD800-\uDBFF]/.test(text[end - 1] ?? '') && end < text.length) end--;
    parts.push(text.slice(at, end));
    at = end;
  }
  return parts.map((part, index) => `[page ${index + 1} of ${parts.length}]\n${part}`);
}

function longestList(
  result: Json,
): { readonly key: string | undefined; readonly items: readonly Json[] } | undefined {
  if (Array.isArray(result)) return { key: undefined, items: result };
  if (!isPlainObject(result)) return undefined;
  const lists = Object.entries(result).filter(
    (entry): entry is [string, Json[]] => Array.isArray(entry[1]) && entry[1].length > 1,
  );
  const [longest] = lists.toSorted(
    ([, left], [, right]) => JSON.stringify(right).length - JSON.stringify(left).length,
  );
  return longest === undefined ? undefined : { key: longest[0], items: longest[1] };
}

function without(whole: JsonObject, key: string): JsonObject {
  return Object.fromEntries(Object.entries(whole).filter(([name]) => name !== key));
}

/** Items in groups that fit; undefined when one alone does not. */
function grouped(items: readonly Json[], budget: number): readonly Json[][] | undefined {
  const groups: Json[][] = [];
  let room = 0;
  for (const item of items) {
    const size = JSON.stringify(item).length + 1;
    if (size > budget) return undefined;
    if (size > room) {
      groups.push([]);
      room = budget;
    }
    groups.at(-1)?.push(item);
    room -= size;
  }
  return groups;
}
