import { has, isPlainObject } from '../../base/json.ts';
import { nearest } from '../../base/nearest.ts';
import type { Problem } from '../snapshot.ts';

/** Collects what is wrong with one skill's file, each with the line it stands on where that is known. */
export class Findings {
  readonly problems: Problem[] = [];
  readonly #skill: string;
  readonly #file: string | undefined;
  readonly #text: string | undefined;

  constructor(skill: string, file?: string, text?: string) {
    this.#skill = skill;
    this.#file = file;
    this.#text = text;
  }

  get failed(): boolean {
    return this.problems.some(({ severity }) => severity === 'error');
  }

  /** The skill is left out. `key` is where to look for the line. */
  error(message: string, key?: string): void {
    this.#add('error', message, key);
  }

  /** The skill is served all the same. */
  warn(message: string, key?: string): void {
    this.#add('warning', message, key);
  }

  #add(severity: Problem['severity'], message: string, key: string | undefined): void {
    const line =
      key === undefined || this.#text === undefined ? undefined : lineOf(this.#text, key);
    this.problems.push({
      severity,
      skill: this.#skill,
      message,
      ...(this.#file === undefined ? {} : { file: this.#file }),
      ...(line === undefined ? {} : { line }),
    });
  }
}

function lineOf(text: string, key: string): number | undefined {
  const at = text.indexOf(JSON.stringify(key));
  return at < 0 ? undefined : text.slice(0, at).split('\n').length;
}

/** Reports keys that nobody reads: most are typing errors that would silently do nothing. */
export function unknownKeys(
  value: Record<string, unknown>,
  known: readonly string[],
  where: string,
  findings: Findings,
): void {
  for (const key of Object.keys(value)) {
    if (known.includes(key)) continue;
    const close = nearest(key, known, 1)[0];
    findings.warn(
      `${where}${key} is not known and does nothing${close === undefined ? '' : `; did you mean ${close}?`}`,
      key,
    );
  }
}

/** The text under a key; undefined (and an error when it is there but no text) otherwise. */
export function text(
  value: Record<string, unknown>,
  key: string,
  findings: Findings,
): string | undefined {
  if (!has(value, key)) return undefined;
  const found = value[key];
  if (typeof found === 'string' && found.trim() !== '') return found;
  findings.error(`${key} must be a non-empty text`, key);
  return undefined;
}

/** The list of texts under a key; empty when absent. */
export function texts(
  value: Record<string, unknown>,
  key: string,
  findings: Findings,
): readonly string[] {
  if (!has(value, key)) return [];
  const found = value[key];
  if (Array.isArray(found) && found.every((item) => typeof item === 'string')) return found;
  findings.error(`${key} must be a list of texts`, key);
  return [];
}

/** The objects of the list under a key; empty when absent. */
export function objects(
  value: Record<string, unknown>,
  key: string,
  findings: Findings,
): readonly Record<string, unknown>[] {
  if (!has(value, key)) return [];
  const found = value[key];
  if (Array.isArray(found) && found.every(isPlainObject)) return found;
  findings.error(`${key} must be a list of objects`, key);
  return [];
}
