/** Milliseconds on a clock that never goes back; for durations and deadlines only. */
export function monotonicMs(): number {
  return performance.now();
}

let lastMs = -1;
let lastIso = '';

/** ISO 8601 UTC text of a Unix time in ms; calls within one millisecond share the string. */
export function isoTime(unixMs: number): string {
  if (unixMs !== lastMs) {
    lastMs = unixMs;
    lastIso = new Date(unixMs).toISOString();
  }
  return lastIso;
}

/** A pending alarm of a `Wheel`; opaque to its holder. */
export interface Alarm {
  run: (() => void) | undefined;
  readonly tick: number;
  readonly slot: Set<Alarm>;
}

const TICK_MS = 5;

/**
 * Many deadlines on one interval: setting and clearing an alarm costs no timer of its own.
 * An alarm runs at its time or up to 10 ms later, never before. While any alarm is pending the
 * process stays alive; with none the interval stops.
 */
export class Wheel {
  readonly #slots = new Map<number, Set<Alarm>>();
  #pending = 0;
  #lastTick = 0;
  #interval: NodeJS.Timeout | undefined;

  /** Runs `run` once after `ms` milliseconds unless the returned alarm is cleared first. */
  set(ms: number, run: () => void): Alarm {
    return this.setAt(monotonicMs() + ms, run);
  }

  /** Runs `run` once at a monotonic time in ms; a time that has passed counts as now. */
  setAt(time: number, run: () => void): Alarm {
    const tick = Math.max(Math.ceil(time / TICK_MS), this.#lastTick + 1);
    let slot = this.#slots.get(tick);
    if (slot === undefined) this.#slots.set(tick, (slot = new Set()));
    const alarm: Alarm = { run, tick, slot };
    slot.add(alarm);
    if (this.#pending++ === 0) this.#wake();
    return alarm;
  }

  /** Forgets an alarm; harmless when it has run or was cleared before. */
  clear(alarm: Alarm): void {
    if (alarm.run === undefined) return;
    alarm.run = undefined;
    alarm.slot.delete(alarm);
    if (alarm.slot.size === 0) this.#slots.delete(alarm.tick);
    // The interval outlives the last alarm by one turn, since the next call usually sets another.
    if (--this.#pending === 0) this.#interval?.unref();
  }

  /** Resolves after `ms` milliseconds, or at once when the signal is or becomes aborted. */
  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      if (signal?.aborted === true) return resolve();
      const done = (): void => {
        this.clear(alarm);
        signal?.removeEventListener('abort', done);
        resolve();
      };
      const alarm = this.set(ms, done);
      signal?.addEventListener('abort', done, { once: true });
    });
  }

  #wake(): void {
    if (this.#interval !== undefined) {
      this.#interval.ref();
      return;
    }
    this.#lastTick = Math.floor(monotonicMs() / TICK_MS);
    this.#interval = setInterval(() => this.#advance(), TICK_MS);
  }

  #advance(): void {
    const now = Math.floor(monotonicMs() / TICK_MS);
    if (this.#pending === 0) {
      clearInterval(this.#interval);
      this.#interval = undefined;
      return;
    }
    // After a long stall walking the used slots is cheaper than walking every missed tick.
    const due =
      now - this.#lastTick > this.#slots.size
        ? [...this.#slots.keys()].filter((tick) => tick <= now).sort((left, right) => left - right)
        : Array.from({ length: now - this.#lastTick }, (_, index) => this.#lastTick + 1 + index);
    this.#lastTick = now;
    for (const tick of due) {
      for (const alarm of this.#slots.get(tick) ?? []) {
        const { run } = alarm;
        this.clear(alarm);
        run?.();
      }
    }
  }
}
