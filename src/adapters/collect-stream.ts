import type { ToolCall } from './tool-call.ts';

/** A piece of a call as it is streamed; what is absent stays as it was. */
export interface CallDelta {
  readonly index?: number;
  readonly id?: string;
  readonly name?: string;
  readonly arguments?: string;
}

interface Open {
  id: string;
  name: string;
  text: string;
}

const CUT = new Set(['length', 'max_tokens', 'MAX_TOKENS', 'incomplete', 'error', 'aborted']);

/**
 * Puts streamed calls together. Nothing is handed out before the end, however complete it looks, and after
 * an end that is none, a cut or a broken stream, every call is marked incomplete: none may run.
 */
export class CallCollector {
  readonly #open = new Map<string, Open>();
  #last = '';

  /** Takes the next piece; returns the place of its call among all. */
  push({ index, id = '', name = '', arguments: text = '' }: CallDelta): number {
    const key = index !== undefined ? `#${index}` : id !== '' ? id : this.#last;
    this.#last = key;
    const call = this.#open.get(key) ?? { id: '', name: '', text: '' };
    this.#open.set(key, call);
    // Some repeat the id with every piece, some send it empty after the first.
    if (id !== '') call.id = id;
    if (name !== '' && call.name !== name) call.name += name;
    call.text += text;
    return [...this.#open.keys()].indexOf(key);
  }

  /** The calls, in the order in which they began. `reason` is what the vendor gave for the end; undefined when the stream just stopped. */
  end(reason: string | undefined): readonly ToolCall[] {
    const complete = reason !== undefined && !CUT.has(reason);
    const calls = [...this.#open.values()].map(({ id, name, text }) => ({
      id,
      name,
      arguments: text,
      complete,
    }));
    this.#open.clear();
    return calls;
  }
}
