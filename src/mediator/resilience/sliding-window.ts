import type { Limiter } from './limiter.ts';

/** Never more than `count` calls in any stretch of `windowMs`: remembers when each of the last `count` was admitted. */
export function createSlidingWindow(count: number, windowMs: number): Limiter {
  // A fractional rate such as half a call a second is one call in the longer window.
  const size = Math.max(1, Math.floor(count));
  const span = count < 1 ? windowMs / count : windowMs;
  const admitted = new Float64Array(size).fill(-Infinity);
  let next = 0;
  return {
    take(now) {
      const wait = (admitted[next] as number) + span - now;
      if (wait > 0) return wait;
      admitted[next] = now;
      next = (next + 1) % size;
      return 0;
    },
  };
}
