import { isPlainObject, parseExact, type JsonObject } from '../base/json.ts';
import { isErrorCode } from '../contract/error.ts';
import { fail, type Outcome } from '../contract/outcome.ts';
import type { Validator } from '../contract/schema/compile.ts';
import { RawOutput } from './executor.ts';
import { fitResult } from './fit-result.ts';
import { toJson } from './to-json.ts';

/** How a body's value is to be read. */
export interface DecodeOptions {
  readonly format: 'json' | 'raw';
  readonly checkResult: Validator | undefined;
  /** Most bytes of JSON the result may have. */
  readonly budget: number;
  /** True when the body has changed something by now: a bad reply must not invite a repetition. */
  readonly write: boolean;
}

/** A decoded result, and what was cut or changed on the way. */
export type Decoded = { readonly outcome: Outcome; readonly warnings?: readonly string[] };

/**
 * Turns what a body gave into a result: parses text, recognises an error returned as data, makes it
 * JSON, checks it against the contract's `returns` and keeps it within its budget.
 */
export function decode(given: unknown, options: DecodeOptions): Decoded {
  if (options.format === 'raw')
    return { outcome: { ok: true, value: given instanceof RawOutput ? given.text : given } };
  let value: unknown = given;
  if (given instanceof RawOutput) {
    try {
      value = parseExact(given.text);
    } catch {
      const shape =
        given.text.trim() === '' ? 'nothing' : `${given.text.length} characters that are not JSON`;
      return { outcome: unreadable(`it gave ${shape}`, options) };
    }
    if (!given.intact) return { outcome: unreadable('it gave text that is not UTF-8', options) };
  }
  const error = errorAsData(value);
  if (error !== undefined) return { outcome: error };
  const json = toJson(value);
  if (json === undefined) return { outcome: unreadable('its result is too large', options) };
  const violations = options.checkResult?.(json.value);
  if (violations !== undefined) {
    const [first] = violations;
    return {
      outcome: unreadable(
        `its result does not fit the contract: ${first?.message ?? 'invalid'}`,
        options,
      ),
    };
  }
  const fitted =
    json.size * 3 <= options.budget ? undefined : fitResult(json.value, options.budget);
  const warnings = [...json.notes, ...(fitted?.notes ?? [])];
  const outcome: Outcome = { ok: true, value: fitted === undefined ? json.value : fitted.value };
  return warnings.length === 0 ? { outcome } : { outcome, warnings };
}

function unreadable(why: string, { write }: DecodeOptions): Outcome {
  const advice = write
    ? 'The action was carried out: do not repeat it, look up its effect instead.'
    : 'Report it to the owner of the skill, or ask with format "raw".';
  return fail('PARSE_ERROR', `The skill ran, but ${why}. ${advice}`, {
    details: write ? { reason: 'result', executed: true } : { reason: 'result' },
  });
}

/** An error the body returned instead of throwing: `{isError: true}`, `{error: true}`, `{error: {code, message}}` and the like. */
function errorAsData(value: unknown): Outcome | undefined {
  if (!isPlainObject(value)) return undefined;
  const { error } = value;
  const flagged = value['isError'] === true || value['is_error'] === true || error === true;
  const told =
    (value['success'] === false || value['ok'] === false) && error !== undefined && error !== null;
  const alone =
    isPlainObject(error) && typeof error['message'] === 'string' && Object.keys(value).length === 1;
  if (!flagged && !told && !alone) return undefined;
  const source = isPlainObject(error) ? error : value;
  const code = isErrorCode(source['code'])
    ? source['code']
    : isErrorCode(value['code'])
      ? value['code']
      : 'EXECUTION_ERROR';
  const text = [
    source['message'],
    typeof error === 'string' ? error : undefined,
    firstText(value['content']),
  ].find((candidate) => typeof candidate === 'string' && candidate !== '') as string | undefined;
  const details = isPlainObject(source['details']) ? (source['details'] as JsonObject) : undefined;
  const retryable = typeof source['retryable'] === 'boolean' ? source['retryable'] : undefined;
  return fail(code, text ?? 'The skill reported an error without saying which.', {
    details,
    retryable,
  });
}

function firstText(content: unknown): string | undefined {
  if (typeof content === 'string') return content;
  const first: unknown = Array.isArray(content) ? content[0] : undefined;
  return isPlainObject(first) && typeof first['text'] === 'string' ? first['text'] : undefined;
}
