import type { RateLimit } from '../../contract/contract.ts';
import { createSlidingWindow } from './sliding-window.ts';
import { createTokenBucket } from './token-bucket.ts';
import type { Limiter } from './limiter.ts';

/** The limiter a contract asks for: never more than the limit in any window, unless bursts are asked for by `token_bucket`. */
export function createLimiter(limit: RateLimit): Limiter {
  const [count, windowMs] =
    limit.calls_per_second === undefined
      ? [limit.calls_per_minute ?? 1, 60_000]
      : [limit.calls_per_second, 1_000];
  return limit.algorithm === 'token_bucket'
    ? createTokenBucket(count, windowMs)
    : createSlidingWindow(count, windowMs);
}
