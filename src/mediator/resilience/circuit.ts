import type { BreakerPolicy } from '../../contract/contract.ts';

const SLOT_MS = 10_000;
const SLOTS = 30;

/** Whether a circuit lets an attempt through; `probe` is the one attempt that decides about an open one. */
export type Admission =
  | { readonly admit: 'pass' | 'probe' }
  | { readonly admit: 'refuse'; readonly retryAfterMs: number };

const PASS: Admission = { admit: 'pass' };
const PROBE: Admission = { admit: 'probe' };

/**
 * A circuit breaker over a rolling five minutes of wall time (30 slots of 10 s): opens when at least
 * `minimum` attempts were seen and the failed share reaches `failure_rate`; after `open_ms` one probe
 * is let through and decides. Times are monotonic ms given by the caller (Nygard, Release It!, 2007).
 */
export class Circuit {
  readonly #rate: number;
  readonly #minimum: number;
  readonly #openMs: number;
  readonly #good = new Uint32Array(SLOTS);
  readonly #bad = new Uint32Array(SLOTS);
  #slot = 0;
  #goodSum = 0;
  #badSum = 0;
  #openedAt: number | undefined;
  #probing = false;

  constructor(policy: BreakerPolicy = {}) {
    this.#rate = policy.failure_rate ?? 0.5;
    this.#minimum = policy.minimum ?? 20;
    this.#openMs = policy.open_ms ?? 30_000;
  }

  /** True while attempts are refused; false again once a probe may go. */
  isOpen(now: number): boolean {
    return this.#openedAt !== undefined && (this.#probing || now - this.#openedAt < this.#openMs);
  }

  /** True when every attempt may pass: the usual case, for which nobody need look at the clock. */
  get isClosed(): boolean {
    return this.#openedAt === undefined;
  }

  /** Asks for one attempt; a probe must be followed by `record` or `release`. */
  admit(now: number): Admission {
    if (this.#openedAt === undefined) return PASS;
    const wait = this.#openedAt + this.#openMs - now;
    if (wait > 0 || this.#probing) return { admit: 'refuse', retryAfterMs: Math.max(wait, 1_000) };
    this.#probing = true;
    return PROBE;
  }

  /** Counts one finished attempt. Returns true when the circuit opened or closed by it. */
  record(ok: boolean, now: number): boolean {
    if (this.#openedAt !== undefined) return this.#decide(ok, now);
    this.#turnTo(Math.floor(now / SLOT_MS));
    const index = this.#slot % SLOTS;
    if (ok) {
      this.#good[index] = (this.#good[index] ?? 0) + 1;
      this.#goodSum++;
      return false;
    }
    this.#bad[index] = (this.#bad[index] ?? 0) + 1;
    this.#badSum++;
    const seen = this.#goodSum + this.#badSum;
    if (seen < this.#minimum || this.#badSum / seen < this.#rate) return false;
    this.#openedAt = now;
    return true;
  }

  /** Gives a probe back that ended without a verdict, for example by cancellation. */
  release(): void {
    this.#probing = false;
  }

  /** Attempts seen and failed in the window, and whether it is open. */
  state(now: number): {
    readonly open: boolean;
    readonly attempts: number;
    readonly failures: number;
  } {
    this.#turnTo(Math.floor(now / SLOT_MS));
    return {
      open: this.isOpen(now),
      attempts: this.#goodSum + this.#badSum,
      failures: this.#badSum,
    };
  }

  #decide(ok: boolean, now: number): boolean {
    // An attempt that began before the circuit opened says nothing about whether it is well again.
    if (!this.#probing) return false;
    this.#probing = false;
    if (!ok) {
      this.#openedAt = now;
      return false;
    }
    this.#openedAt = undefined;
    this.#good.fill(0);
    this.#bad.fill(0);
    this.#goodSum = 0;
    this.#badSum = 0;
    return true;
  }

  /** Forgets the slots that time has passed over, however long nothing was called. */
  #turnTo(slot: number): void {
    const steps = Math.min(slot - this.#slot, SLOTS);
    for (let step = 1; step <= steps; step++) {
      const index = (slot - steps + step) % SLOTS;
      this.#goodSum -= this.#good[index] ?? 0;
      this.#badSum -= this.#bad[index] ?? 0;
      this.#good[index] = 0;
      this.#bad[index] = 0;
    }
    if (slot > this.#slot) this.#slot = slot;
  }
}
