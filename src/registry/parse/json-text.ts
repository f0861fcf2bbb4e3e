import { parseJson, type Json } from '../../base/json.ts';

/** A file's JSON, or what is wrong with it and on which line. */
export type JsonText =
  | { readonly value: Json }
  | { readonly message: string; readonly line?: number };

/** Parses the text of a JSON file; a mistake comes with its line and column, counted from 1. */
export function parseJsonText(text: string): JsonText {
  try {
    return { value: parseJson(text) };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    const position = /position (\d+)/.exec(reason)?.[1];
    const at =
      position === undefined
        ? /end of JSON/.test(reason)
          ? text.length
          : undefined
        : Number(position);
    if (at === undefined) return { message: `it is not valid JSON: ${reason}. Correct it.` };
    const before = text.slice(0, at).split('\n');
    const column = (before.at(-1)?.length ?? 0) + 1;
    const plain = reason.replace(/ in JSON at position.*$/s, '');
    return {
      message: `it is not valid JSON at line ${before.length}, column ${column}: ${plain}. Correct it.`,
      line: before.length,
    };
  }
}
