import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import * as fc from 'fast-check';
import { createLimiter } from './create-limiter.ts';

const calls = fc.array(fc.integer({ min: 0, max: 400 }), { minLength: 1, maxLength: 200 });

function admittedAt(limiter: ReturnType<typeof createLimiter>, gaps: readonly number[]): number[] {
  let now = 1_000;
  return gaps.flatMap((gap) => {
    now += gap;
    return limiter.take(now) === 0 ? [now] : [];
  });
}

suite('limits', () => {
  test('a sliding window never admits more than its count in any window', () => {
    fc.assert(
      fc.property(calls, fc.integer({ min: 1, max: 12 }), (gaps, count) => {
        const admitted = admittedAt(createLimiter({ calls_per_second: count }), gaps);
        for (const [index, first] of admitted.entries()) {
          const inside = admitted.slice(index).filter((time) => time - first < 1_000).length;
          assert.ok(inside <= count, `${inside} in one second`);
        }
      }),
    );
  });

  test('a token bucket never admits more than its size plus what has been refilled', () => {
    fc.assert(
      fc.property(calls, fc.integer({ min: 1, max: 12 }), (gaps, count) => {
        const limiter = createLimiter({ calls_per_second: count, algorithm: 'token_bucket' });
        const admitted = admittedAt(limiter, gaps);
        for (const [from, first] of admitted.entries()) {
          for (const [to, last] of admitted.entries()) {
            if (to < from) continue;
            const bound = count + ((last - first) * count) / 1_000;
            assert.ok(to - from + 1 <= bound + 1e-6, `${to - from + 1} of at most ${bound}`);
          }
        }
      }),
    );
  });

  test('the wait that is told is enough, and not too much', () => {
    for (const algorithm of ['sliding_window', 'token_bucket'] as const) {
      const limiter = createLimiter({ calls_per_minute: 3, algorithm });
      let now = 0;
      for (let call = 0; call < 3; call++) assert.equal(limiter.take(now), 0);
      const wait = limiter.take(now);
      assert.ok(wait > 0);
      now += wait - 1;
      assert.ok(limiter.take(now) > 0, algorithm);
      now += 1;
      assert.equal(limiter.take(now), 0, algorithm);
    }
  });

  test('less than one call a second is one call in the longer window', () => {
    const limiter = createLimiter({ calls_per_second: 0.5 });
    assert.deepEqual(
      [0, 1_000, 1_999, 2_000].map((now) => limiter.take(now) === 0),
      [true, false, false, true],
    );
  });
});
