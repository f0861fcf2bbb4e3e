import { nearest } from '../../base/nearest.ts';
import type { Problem } from '../snapshot.ts';
import { pointerTokens, type Locator } from './locator.ts';

/** Whose file it is and how it is read. */
export interface About {
  readonly skill: string;
  readonly file?: string;
  readonly locate?: Locator;
  /** Whether a key that nobody reads is an error. Default false: a warning. */
  readonly strict?: boolean;
}

/** Collects what is wrong with one skill, each with its place (a JSON pointer) and the line where that is known. */
export class Findings {
  readonly problems: Problem[] = [];
  readonly #about: About;

  constructor(about: About) {
    this.#about = about;
  }

  get failed(): boolean {
    return this.problems.some(({ severity }) => severity === 'error');
  }

  /** The skill is left out. What is said follows the name of the place. */
  error(pointer: string, says: string): void {
    this.#add('error', pointer, says);
  }

  /** The skill is served all the same. */
  warn(pointer: string, says: string): void {
    this.#add('warning', pointer, says);
  }

  /** A key that nobody reads: most are typing errors that would silently do nothing. */
  unknown(pointer: string, known: readonly string[]): void {
    const key = pointerTokens(pointer).at(-1) ?? '';
    const [close] = nearest(key, known, 1);
    const hint = close === undefined ? 'remove it' : `did you mean ${close}?`;
    this.#add(
      this.#about.strict === true ? 'error' : 'warning',
      pointer,
      `is not known and does nothing; ${hint}`,
    );
  }

  #add(severity: Problem['severity'], pointer: string, says: string): void {
    const { skill, file, locate } = this.#about;
    const line = locate?.(pointer);
    const message = `${spell(pointer)} ${says}`.trimStart();
    this.problems.push({
      severity,
      skill,
      message: /[.?]$/.test(message) ? message : `${message}.`,
      ...(file === undefined ? {} : { file }),
      ...(line === undefined ? {} : { line }),
    });
  }
}

/** `/errors/0/code` as people write it: `errors[0].code`. */
function spell(pointer: string): string {
  return pointerTokens(pointer)
    .map((token) => {
      if (/^\d+$/.test(token)) return `[${token}]`;
      return /^[\w$-]{1,80}$/.test(token) ? `.${token}` : `[${JSON.stringify(token.slice(0, 80))}]`;
    })
    .join('')
    .replace(/^\./, '');
}
