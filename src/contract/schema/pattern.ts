import { createRequire } from 'node:module';
import type { RE2JS } from 're2js';

/** A compiled `pattern`: its test takes time linear in the text. */
export interface Pattern {
  test(text: string): boolean;
  /** The source; validators tell patterns apart by it. */
  toString(): string;
}

const MAX_SOURCE = 2_000;
const MAX_TEXT = 100_000;
const compiled = new Map<string, Pattern>();
const load = createRequire(import.meta.url);

/**
 * Compiles a JSON Schema `pattern` so that no text can make it backtrack without end: expressions that
 * are plainly linear run natively, all others on RE2 (https://swtch.com/~rsc/regexp/regexp1.html).
 * Texts over 100,000 characters never match. Throws Error with the reason when neither can run it.
 */
export function compilePattern(source: string): Pattern {
  const known = compiled.get(source);
  if (known !== undefined) return known;
  if (source.length > MAX_SOURCE)
    throw new Error(`the pattern has over ${MAX_SOURCE} characters; shorten it`);
  const expression = isPlainlyLinear(source) ? nativeExpression(source) : linearExpression(source);
  const pattern: Pattern = {
    test: (text) => text.length <= MAX_TEXT && expression.test(text),
    toString: () => source,
  };
  if (compiled.size < 10_000) compiled.set(source, pattern);
  return pattern;
}

function nativeExpression(source: string): RegExp {
  try {
    return new RegExp(source, 'u');
  } catch {
    return new RegExp(source);
  }
}

function linearExpression(source: string): RE2JS {
  // Loaded on first need: most libraries have no pattern that asks for it.
  const { RE2JS: engine } = load('re2js') as typeof import('re2js');
  try {
    return engine.compile(engine.translateRegExp(withSpaces(source)));
  } catch (error) {
    const reason =
      error instanceof Error ? error.message.replace('error parsing regexp: ', '') : String(error);
    throw new Error(
      `the pattern cannot be matched in linear time (${reason}); avoid look-around and back-references next to repetition`,
      { cause: error },
    );
  }
}

// RE2's \s knows ASCII only, ECMAScript's every space of Unicode.
const SPACES = String.raw`\t-\r \u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff`;

function withSpaces(source: string): string {
  return source.replaceAll(/\\[\s\S]|\[(?:[^\]\\]|\\[\s\S])*\]/g, (token) => {
    if (token === String.raw`\s`) return `[${SPACES}]`;
    if (token === String.raw`\S`) return `[^${SPACES}]`;
    return token.startsWith('[')
      ? token.replaceAll(/\\[\s\S]/g, (inner) => (inner === String.raw`\s` ? SPACES : inner))
      : token;
  });
}

/**
 * One anchored sweep with at most one unbounded repetition, none of it inside another, cannot backtrack
 * more than linearly. Anything this scan is not sure of goes to RE2.
 */
function isPlainlyLinear(source: string): boolean {
  if (!source.startsWith('^')) return false;
  let unbounded = 0;
  let depth = 0;
  for (let index = 1; index < source.length; index++) {
    const character = source[index];
    if (character === '\\') {
      if (/[1-9k]/.test(source[++index] ?? '')) return false;
    } else if (character === '[') {
      index = endOfClass(source, index);
    } else if (character === '(') depth++;
    else if (character === ')') {
      depth--;
      if (/[*+{]/.test(source[index + 1] ?? '')) return false;
    } else if (character === '|' && depth === 0) return false;
    else if (character === '*' || character === '+') unbounded++;
    else if (character === '{') {
      const repeat = /^\{\d+(,(\d*))?\}/.exec(source.slice(index, index + 16));
      if (repeat === null) return false;
      if (repeat[1] !== undefined && (repeat[2] === '' || Number(repeat[2]) > 100)) unbounded++;
    }
    if (unbounded > 1) return false;
  }
  return true;
}

function endOfClass(source: string, start: number): number {
  for (let index = start + 1; index < source.length; index++) {
    if (source[index] === '\\') index++;
    else if (source[index] === ']') return index;
  }
  return source.length;
}
