import type { Contract } from '../contract/contract.ts';

const MAX_CHARACTERS = 8 * 1024 * 1024;

/** How a model reads on where a result was too long: one more read-only tool, answered from what the session kept. */
export const READ_RESULT: Contract = {
  name: 'result.read',
  version: '1.0.0',
  title: 'Read on',
  description:
    'Reads another page of a result that was too long to be shown at once. Use when a result says that there are more pages. Returns that page.',
  tags: [],
  purpose: 'A result was cut and the rest is needed.',
  preconditions: [],
  related: [],
  side_effect: { kind: 'none' },
  parameters: {
    type: 'object',
    properties: {
      result: { type: 'string', description: 'The name the cut result gives, for example "r1".' },
      page: { type: 'integer', description: 'Which page, from 1.', minimum: 1 },
    },
    required: ['result', 'page'],
    additionalProperties: false,
  },
  rules: { none: 'A name and a number.' },
  aliases: { id: 'result' },
  errors: [],
  secrets: [],
  examples: [],
  queries: [],
  dependencies: [],
  permissions: [],
  policy: {},
  executor: { kind: 'module' },
};

/** The pages of results that were too long for one turn; the oldest go when there are too many. */
export class KeptResults {
  readonly #kept = new Map<string, readonly string[]>();
  #characters = 0;
  #count = 0;

  /** True once something was kept: only then is there anything to read on. */
  get any(): boolean {
    return this.#count > 0;
  }

  /** Keeps pages; returns the name to ask for them by. */
  keep(pages: readonly string[]): string {
    const name = `r${++this.#count}`;
    this.#kept.set(name, pages);
    this.#characters += sizeOf(pages);
    for (const [oldest, others] of this.#kept) {
      if (this.#characters <= MAX_CHARACTERS || oldest === name) break;
      this.#kept.delete(oldest);
      this.#characters -= sizeOf(others);
    }
    return name;
  }

  /** A page, or what to do when there is none. */
  read(name: string, page: number): { readonly ok: boolean; readonly text: string } {
    const pages = this.#kept.get(name);
    if (pages === undefined)
      return { ok: false, text: `There is no result ${name} any more. Call its tool again.` };
    const text = pages[page - 1];
    return text === undefined
      ? { ok: false, text: `${name} has ${pages.length} pages. Ask for one of them.` }
      : { ok: true, text };
  }
}

function sizeOf(pages: readonly string[]): number {
  return pages.reduce((sum, page) => sum + page.length, 0);
}
