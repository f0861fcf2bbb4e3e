import { isPlainObject, type Json, type JsonObject } from '../base/json.ts';
import { LenientJson, MAX_DEPTH, Unreadable } from './lenient-json.ts';

/** The arguments of a call, and what was mended in their spelling; or why they cannot be read in exactly one way. */
export type ParsedArguments =
  | { readonly ok: true; readonly value: JsonObject; readonly repairs: readonly string[] }
  | { readonly ok: false; readonly reason: string };

const MAX_CHARACTERS = 1024 * 1024;
const MAX_WRAPS = 3;

/** Mends that lose nothing: what is read is all that was sent. Only these are made for a write. */
const LOSSLESS: ReadonlySet<string> = new Set([
  'fence',
  'double_encoding',
  'control_characters',
  'trailing_comma',
  'python_literals',
  'escaped_line_breaks',
  'byte_order_mark',
]);

/**
 * Reads the arguments of a call. Text has to be one object in one reading; what was cut off is never
 * completed. With `write`, only mends that lose nothing are made.
 */
export function parseArguments(sent: unknown, write: boolean): ParsedArguments {
  if (sent === undefined || sent === null) return { ok: true, value: {}, repairs: [] };
  if (isPlainObject(sent)) return { ok: true, value: sent as JsonObject, repairs: [] };
  if (typeof sent !== 'string') return { ok: false, reason: 'not_an_object' };
  if (sent.length > MAX_CHARACTERS) return { ok: false, reason: 'too_large' };
  const repairs = new Set<string>();
  try {
    const value = readText(sent, repairs, 0);
    const lossy = write ? [...repairs].find((repair) => !LOSSLESS.has(repair)) : undefined;
    if (lossy !== undefined) return { ok: false, reason: lossy };
    return { ok: true, value, repairs: [...repairs] };
  } catch (error) {
    if (error instanceof Unreadable) return { ok: false, reason: error.reason };
    // Deeper than the stack goes.
    if (error instanceof RangeError) return { ok: false, reason: 'too_deep' };
    throw error;
  }
}

function readText(sent: string, repairs: Set<string>, wraps: number): JsonObject {
  if (sent.startsWith('\uFEFF')) repairs.add('byte_order_mark');
  const text = sent.replace(/^\uFEFF/, '').trim();
  if (text === '' || text === 'null' || text === 'None' || text === 'undefined') return {};
  const usual = readUsual(text);
  if (usual !== undefined) return usual;
  const fenced = /^(`{3,})[\w-]*\s*\n?(.*?)\n?\s*\1$/s.exec(text);
  if (fenced?.[2] !== undefined && !fenced[2].includes('```')) {
    repairs.add('fence');
    return readText(fenced[2], repairs, wraps);
  }
  if (text.startsWith('```') && !text.slice(3).includes('```')) throw new Unreadable('truncated');
  const start = /^["'\u201C[{]/.test(text) ? 0 : startOfObject(text);
  if (start > 0) repairs.add('prose');
  const reader = new LenientJson(text, start);
  const value = reader.value();
  for (const repair of reader.repairs) repairs.add(repair);
  readRest(text, reader, { value, repairs });
  if (typeof value === 'string') {
    if (wraps >= MAX_WRAPS || !/^\s*["{]/.test(value)) throw new Unreadable('not_an_object');
    repairs.add('double_encoding');
    return readText(value, repairs, wraps + 1);
  }
  if (!isPlainObject(value)) throw new Unreadable('not_an_object');
  return value;
}

/** What nearly all calls are: strict JSON without anything that strict JSON reads too kindly. */
function readUsual(text: string): JsonObject | undefined {
  if (!text.startsWith('{') || /\d{16}|[eE][+-]?\d{3}/.test(text)) return undefined;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  // The same key twice would keep the last. What comes out as it went in has none; else they are counted.
  if (JSON.stringify(value) === text) return value as JsonObject;
  return countKeys(value as Json) === colons(text) ? (value as JsonObject) : undefined;
}

function countKeys(value: Json, depth = 0): number {
  if (typeof value !== 'object' || value === null) return 0;
  if (depth > MAX_DEPTH) throw new Unreadable('too_deep');
  let count = 0;
  if (Array.isArray(value)) for (const item of value) count += countKeys(item, depth + 1);
  else for (const key in value) count += 1 + countKeys(value[key] as Json, depth + 1);
  return count;
}

function colons(text: string): number {
  let count = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === 58) count++;
    else if (code === 34) {
      at++;
      while (at < text.length && text.charCodeAt(at) !== 34)
        at += text.charCodeAt(at) === 92 ? 2 : 1;
    }
  }
  return count;
}

function startOfObject(text: string): number {
  const fence = /```[\w-]*\s*\n?\s*(?=\{)/.exec(text);
  const start = fence === null ? text.indexOf('{') : fence.index + fence[0].length;
  if (start === -1) throw new Unreadable('not_json');
  return start;
}

/** What stands behind the object: nothing, words, or the very same object again. */
function readRest(
  text: string,
  reader: LenientJson,
  { value, repairs }: { readonly value: Json; readonly repairs: Set<string> },
): void {
  reader.space();
  while (reader.at < text.length) {
    const rest = text.slice(reader.at);
    const next = rest.search(/[[{]/);
    if (next === -1) {
      if (/["':]/.test(rest) && !/^\s*`{3}/.test(rest)) throw new Unreadable('ambiguous');
      repairs.add('prose');
      return;
    }
    if (rest.slice(0, next).trim() !== '') repairs.add('prose');
    const again = new LenientJson(text, reader.at + next);
    const other = again.value();
    if (JSON.stringify(other) !== JSON.stringify(value)) throw new Unreadable('several_payloads');
    repairs.add('sent_twice');
    reader.at = again.at;
    reader.space();
  }
}
