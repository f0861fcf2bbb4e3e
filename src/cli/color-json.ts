import type { Colors } from './colors.ts';

const TOKEN = /("(?:[^"\\]|\\.)*")(\s*:)?|\b(?:true|false|null)\b|-?\d[\d.eE+-]*/g;

/** A value as indented JSON, keys and values in colours. */
export function colorJson(value: unknown, colors: Colors): string {
  return JSON.stringify(value, null, 2).replaceAll(
    TOKEN,
    (token: string, text: string | undefined, colon: string | undefined) => {
      if (text === undefined) return colors.yellow(token);
      return colon === undefined ? colors.green(text) : `${colors.cyan(text)}${colon}`;
    },
  );
}
