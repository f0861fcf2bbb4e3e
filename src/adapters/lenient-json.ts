import type { Json } from '../base/json.ts';

/** A way in which text was JSON but for its spelling. */
export type Repair =
  | 'control_characters'
  | 'trailing_comma'
  | 'python_literals'
  | 'escaped_line_breaks'
  | 'single_quotes'
  | 'smart_quotes'
  | 'comments'
  | 'unquoted_keys';

/** Why text is no JSON in any spelling, or in more than one. */
export class Unreadable extends Error {
  readonly reason: string;

  constructor(reason: string) {
    super(reason);
    this.reason = reason;
  }
}

/** How deep arguments may be nested. */
export const MAX_DEPTH = 200;
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const WORD = /[A-Za-z_$][\w$]*/y;
const LITERALS: Readonly<Record<string, Json>> = { true: true, false: false, null: null };
const PYTHON: Readonly<Record<string, Json>> = { True: true, False: false, None: null };
const CLOSING: Readonly<Record<string, string>> = { '"': '"', "'": "'", '\u201C': '\u201D' };
const ESCAPES: Readonly<Record<string, string>> = {
  '"': '"',
  '\\': '\\',
  '/': '/',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
};

/**
 * Reads one JSON value that begins at an offset, in the spellings that have exactly one reading. Nothing is
 * ever completed: text that ends in the middle is `truncated`. Whole numbers beyond 2^53 stay text; the same
 * key twice with different values, an escape that is none and quotes in quotes are refused.
 */
export class LenientJson {
  readonly repairs = new Set<Repair>();
  readonly #text: string;
  /** Where the next character is read. */
  at: number;

  constructor(text: string, at = 0) {
    this.#text = text;
    this.at = at;
  }

  /** The value, with `at` behind it. Throws Unreadable. */
  value(depth = 0): Json {
    if (depth > MAX_DEPTH) throw new Unreadable('too_deep');
    this.space();
    const character = this.#text[this.at];
    if (character === undefined) throw new Unreadable('truncated');
    if (character === '{') return this.#object(depth);
    if (character === '[') return this.#list(depth);
    if (CLOSING[character] !== undefined) return this.#string(character);
    if (character === '-' || (character >= '0' && character <= '9')) return this.#number();
    return this.#literal();
  }

  /** Passes over white space, comments and line breaks that were escaped although they are in no text. */
  space(): void {
    for (;;) {
      const character = this.#text[this.at];
      if (character === undefined) return;
      if (/\s/.test(character) || character === '\uFEFF') this.at++;
      else if (character === '\\' && /[nrt]/.test(this.#text[this.at + 1] ?? '')) {
        this.repairs.add('escaped_line_breaks');
        this.at += 2;
      } else if (this.#text.startsWith('//', this.at) || this.#text.startsWith('/*', this.at)) {
        const block = this.#text[this.at + 1] === '*';
        const end = this.#text.indexOf(block ? '*/' : '\n', this.at + 2);
        this.repairs.add('comments');
        this.at = end === -1 ? this.#text.length : end + (block ? 2 : 1);
      } else return;
    }
  }

  #object(depth: number): Json {
    const members = new Map<string, Json>();
    this.at++;
    for (let first = true; ; first = false) {
      if (this.#closes('}', first)) return Object.fromEntries(members);
      const key = this.#key();
      this.space();
      this.#expect(':');
      const value = this.value(depth + 1);
      const known = members.get(key);
      if (known !== undefined && JSON.stringify(known) !== JSON.stringify(value))
        throw new Unreadable('duplicate_key');
      members.set(key, value);
    }
  }

  #list(depth: number): Json {
    const items: Json[] = [];
    this.at++;
    for (let first = true; ; first = false) {
      if (this.#closes(']', first)) return items;
      items.push(this.value(depth + 1));
    }
  }

  /** True at the closing bracket; otherwise just behind the comma that another member needs. */
  #closes(bracket: string, first: boolean): boolean {
    this.space();
    if (this.#text[this.at] === bracket) {
      this.at++;
      return true;
    }
    if (first) return false;
    this.#expect(',');
    this.space();
    if (this.#text[this.at] !== bracket) return false;
    this.repairs.add('trailing_comma');
    this.at++;
    return true;
  }

  #expect(character: string): void {
    const found = this.#text[this.at];
    if (found === undefined) throw new Unreadable('truncated');
    if (found !== character) throw new Unreadable('ambiguous');
    this.at++;
  }

  #key(): string {
    this.space();
    const character = this.#text[this.at];
    if (character === undefined) throw new Unreadable('truncated');
    if (CLOSING[character] !== undefined) return this.#string(character);
    WORD.lastIndex = this.at;
    const word = WORD.exec(this.#text)?.[0];
    if (word === undefined) throw new Unreadable('not_json');
    this.repairs.add('unquoted_keys');
    this.at += word.length;
    return word;
  }

  #string(quote: string): string {
    const close = CLOSING[quote] as string;
    if (quote === "'") this.repairs.add('single_quotes');
    if (quote === '\u201C') this.repairs.add('smart_quotes');
    let text = '';
    this.at++;
    for (;;) {
      const character = this.#text[this.at++];
      if (character === undefined) throw new Unreadable('truncated');
      if (character === close) break;
      if (character === '\\') text += this.#escape(quote);
      else {
        if (character < ' ') this.repairs.add('control_characters');
        text += character;
      }
    }
    // A quote of another kind inside could as well be where the text was meant to end.
    if (quote !== '"' && text.includes(quote)) throw new Unreadable('ambiguous');
    return text;
  }

  #escape(quote: string): string {
    const character = this.#text[this.at++];
    if (character === undefined) throw new Unreadable('truncated');
    if (character === 'u') {
      const digits = this.#text.slice(this.at, this.at + 4);
      if (!/^[0-9a-fA-F]{4}$/.test(digits))
        throw new Unreadable(digits.length < 4 ? 'truncated' : 'invalid_escape');
      this.at += 4;
      return String.fromCharCode(Number.parseInt(digits, 16));
    }
    if (character === quote) return quote;
    const escaped = ESCAPES[character];
    // C:\proj: nobody knows whether the backslash was meant.
    if (escaped === undefined) throw new Unreadable('invalid_escape');
    return escaped;
  }

  #number(): Json {
    NUMBER.lastIndex = this.at;
    const source = NUMBER.exec(this.#text)?.[0];
    if (source === undefined) throw new Unreadable('not_json');
    this.at += source.length;
    if (/[\w.]/.test(this.#text[this.at] ?? '')) throw new Unreadable('not_json');
    const number = Number(source);
    if (!Number.isFinite(number)) throw new Unreadable('number_out_of_range');
    return Number.isSafeInteger(number) || /[.eE]/.test(source) ? number : source;
  }

  #literal(): Json {
    WORD.lastIndex = this.at;
    const word = WORD.exec(this.#text)?.[0] ?? '';
    const value = LITERALS[word];
    const python = PYTHON[word];
    if (value === undefined && python === undefined)
      throw new Unreadable(
        isCutWord(word, this.#text.length === this.at + word.length) ? 'truncated' : 'not_json',
      );
    if (value === undefined) this.repairs.add('python_literals');
    this.at += word.length;
    return value === undefined ? (python as Json) : value;
  }
}

function isCutWord(word: string, atEnd: boolean): boolean {
  return (
    atEnd &&
    word !== '' &&
    [...Object.keys(LITERALS), ...Object.keys(PYTHON)].some((whole) => whole.startsWith(word))
  );
}
