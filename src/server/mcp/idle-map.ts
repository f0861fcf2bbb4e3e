import { monotonicMs } from '../../base/clock.ts';

const MAX_ENTRIES = 10_000;

/** What an `IdleMap` holds: it is kept as long as it is busy. */
export interface Busy {
  readonly busy: boolean;
}

/** A map that forgets what nobody has asked for in `idleMs`, and the longest unused beyond ten thousand. */
export class IdleMap<V extends Busy> {
  /** In order of use, the longest unused first. */
  readonly #entries = new Map<string, { readonly value: V; readonly usedAt: number }>();
  readonly #idleMs: number;
  readonly #onForget: (value: V) => void;
  readonly #timer: NodeJS.Timeout;

  constructor(idleMs: number, onForget: (value: V) => void = () => {}) {
    this.#idleMs = idleMs;
    this.#onForget = onForget;
    this.#timer = setInterval(() => this.#sweep(), Math.max(idleMs / 4, 10)).unref();
  }

  get(key: string): V | undefined {
    const value = this.#entries.get(key)?.value;
    if (value !== undefined) this.#use(key, value);
    return value;
  }

  set(key: string, value: V): void {
    this.#use(key, value);
    if (this.#entries.size <= MAX_ENTRIES) return;
    for (const [oldest, entry] of this.#entries) {
      if (!entry.value.busy) return this.delete(oldest);
    }
  }

  /** Forgets an entry. */
  delete(key: string): void {
    const entry = this.#entries.get(key);
    this.#entries.delete(key);
    if (entry !== undefined) this.#onForget(entry.value);
  }

  values(): readonly V[] {
    return [...this.#entries.values()].map((entry) => entry.value);
  }

  /** Forgets everything. */
  close(): void {
    clearInterval(this.#timer);
    for (const key of this.#entries.keys()) this.delete(key);
  }

  #use(key: string, value: V): void {
    this.#entries.delete(key);
    this.#entries.set(key, { value, usedAt: monotonicMs() });
  }

  #sweep(): void {
    const limit = monotonicMs() - this.#idleMs;
    for (const [key, { value, usedAt }] of this.#entries) {
      if (usedAt > limit) return;
      if (value.busy) this.#use(key, value);
      else this.delete(key);
    }
  }
}
