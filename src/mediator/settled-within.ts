import type { Wheel } from '../base/clock.ts';
import type { Attempted } from './call.ts';

const GRACE_MS = 60;

/**
 * Waits for a stopped run to be really gone, where its executor can promise that, but at most a moment:
 * a process that is killed takes some milliseconds to die, and its call should not be answered before.
 */
export async function settledWithin(attempt: Attempted | undefined, wheel: Wheel): Promise<void> {
  if (attempt?.running === undefined || !attempt.stops) return;
  const { running } = attempt;
  await new Promise<void>((resolve) => {
    const alarm = wheel.set(GRACE_MS, resolve);
    const done = (): void => {
      wheel.clear(alarm);
      resolve();
    };
    running.then(done, done);
  });
}
