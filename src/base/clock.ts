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
  previous: Alarm | undefined;
  next: Alarm | undefined;
}

const TICK_MS = 5;
// A power of two; an alarm further away than one turn of the wheel is passed over until its tick has come.
const SLOTS = 2_048;

/**
 * Many deadlines on one interval: setting and clearing an alarm costs no timer of its own (hashed timing
 * wheel, Varghese and Lauck 1987). An alarm runs at its time or up to 10 ms later, never before. The
 * process stays alive while an alarm is pending and for one tick more.
 */
export class Wheel {
  readonly #heads = Array.from<Alarm | undefined>({ length: SLOTS });
  #pending = 0;
  #lastTick = 0;
  #interval: NodeJS.Timeout | undefined;

  /** Runs `run` once after `ms` milliseconds unless the returned alarm is cleared first. */
  set(ms: number, run: () => void): Alarm {
    return this.setAt(monotonicMs() + ms, run);
  }

  /** Runs `run` once at a monotonic time in ms; a time that has passed counts as now. */
  setAt(time: number, run: () => void): Alarm {
    if (this.#interval === undefined) this.#start();
    const tick = Math.max(Math.ceil(time / TICK_MS), this.#lastTick + 1);
    const slot = tick % SLOTS;
    const next = this.#heads[slot];
    const alarm: Alarm = { run, tick, previous: undefined, next };
    if (next !== undefined) next.previous = alarm;
    this.#heads[slot] = alarm;
    this.#pending++;
    return alarm;
  }

  /** Forgets an alarm; harmless when it has run or was cleared before. */
  clear(alarm: Alarm): void {
    if (alarm.run === undefined) return;
    alarm.run = undefined;
    if (alarm.previous === undefined) this.#heads[alarm.tick % SLOTS] = alarm.next;
    else alarm.previous.next = alarm.next;
    if (alarm.next !== undefined) alarm.next.previous = alarm.previous;
    this.#pending--;
  }

  #start(): void {
    this.#lastTick = Math.floor(monotonicMs() / TICK_MS);
    this.#interval = setInterval(() => this.#advance(), TICK_MS);
  }

  #advance(): void {
    if (this.#pending === 0) {
      // Stopped here and not by the last alarm, since the next call usually sets another at once.
      clearInterval(this.#interval);
      this.#interval = undefined;
      return;
    }
    const now = Math.floor(monotonicMs() / TICK_MS);
    const due: Alarm[] = [];
    for (let tick = Math.max(this.#lastTick + 1, now - SLOTS + 1); tick <= now; tick++) {
      for (let alarm = this.#heads[tick % SLOTS]; alarm !== undefined; alarm = alarm.next) {
        if (alarm.tick <= now) due.push(alarm);
      }
    }
    this.#lastTick = now;
    // A slot holds its newest first; within one tick the oldest alarm goes first.
    due.reverse();
    due.sort((left, right) => left.tick - right.tick);
    for (const alarm of due) {
      const { run } = alarm;
      this.clear(alarm);
      try {
        run?.();
      } catch (error) {
        // The others must run all the same, and a timer that threw would end the process.
        process.emitWarning(
          `An alarm failed: ${error instanceof Error ? error.name : typeof error}.`,
        );
      }
    }
  }
}
