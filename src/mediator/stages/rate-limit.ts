import { monotonicMs } from '../../base/clock.ts';
import { fail } from '../../contract/outcome.ts';
import type { Stage } from '../stage.ts';

/** Holds a skill to its contract's calls per second or minute, and says how long to wait. */
export const rateLimit: Stage = {
  name: 'rate-limit',
  wrap: (next, skill, services) => {
    const limiter = services.limiter(skill);
    if (limiter === undefined) return next;
    return (call) => {
      const wait = limiter.take(monotonicMs());
      if (wait === 0) return next(call);
      const seconds = Math.max(1, Math.ceil(wait / 1_000));
      return fail(
        'RATE_LIMITED',
        `${skill.contract.name} is called too often. Wait ${seconds} s, then call it again, or do without it.`,
        {
          details: { reason: 'rate_limit', retry_after: seconds },
        },
      );
    };
  },
};
