import { parseJson, type Json } from '../../base/json.ts';

/** A file's JSON, or what is wrong with it and on which line. */
export type JsonText =
  | { readonly value: Json }
  | { readonly message: string; readonly line: number };

/** Parses the text of a JSON file; a mistake comes with its line and column, counted from 1. */
export function parseJsonText(text: string): JsonText {
  try {
    return { value: parseJson(text) };
  } catch (error) {
    const reason = (error as Error).message;
    const before = text.slice(0, offsetOf(text, reason)).split('\n');
    const column = (before.at(-1)?.length ?? 0) + 1;
    const plain =
      /^Unexpected token '[^]'/u.exec(reason)?.[0] ?? reason.replace(/ in JSON at .*/s, '');
    return {
      message: `It is not valid JSON at line ${before.length}, column ${column}: ${plain}. Correct it.`,
      line: before.length,
    };
  }
}

/** Where the text stops being the beginning of any JSON. */
function offsetOf(text: string, reason: string): number {
  const position = /at position (\d+)/.exec(reason)?.[1];
  if (position !== undefined) return Number(position);
  // V8 names an unexpected token without its place: it ends the shortest part that nothing can complete.
  let [good, bad] = [0, text.length + 1];
  while (bad - good > 1) {
    const middle = Math.floor((good + bad) / 2);
    if (isBeginning(text.slice(0, middle))) good = middle;
    else bad = middle;
  }
  return good;
}

function isBeginning(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch (error) {
    const { message } = error as Error;
    return (
      /end of JSON|^Unterminated/.test(message) || message.includes(`at position ${text.length} `)
    );
  }
}
