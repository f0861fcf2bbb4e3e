import { monotonicMs } from '../base/clock.ts';

// A terminal signals the whole group and npm passes the signal on as well: one Ctrl-C comes twice.
const ECHO_MS = 1_000;

/** Runs `stop` on the first SIGINT or SIGTERM; one that comes more than a second later ends the process at once. */
export function onStop(stop: () => void): void {
  const { exit } = process;
  let first: number | undefined;
  const listener = (): void => {
    if (first === undefined) {
      first = monotonicMs();
      stop();
    } else if (monotonicMs() - first > ECHO_MS) {
      exit.call(process, 130);
    }
  };
  process.on('SIGINT', listener).on('SIGTERM', listener);
}
