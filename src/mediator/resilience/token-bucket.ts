import type { Limiter } from './limiter.ts';

/**
 * A token bucket that holds `count` tokens and refills them over `windowMs`, kept as the time at which
 * it will be full again (GCRA, ITU-T I.371): no drift from adding fractions.
 */
export function createTokenBucket(count: number, windowMs: number): Limiter {
  const interval = windowMs / count;
  const tolerance = windowMs - interval;
  let fullAt = -Infinity;
  return {
    take(now) {
      const base = Math.max(fullAt, now);
      const wait = base - now - Math.max(tolerance, 0);
      if (wait > 1e-6) return wait;
      fullAt = base + interval;
      return 0;
    },
  };
}
