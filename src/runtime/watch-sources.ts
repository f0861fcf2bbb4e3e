import type { SkillSource } from '../registry/source.ts';

// Watching a thousand folders costs more than reading them: the first requests go before.
const START_AFTER_MS = 1_000;

/**
 * Reloads when files of the sources change, beginning a second after start; what changed before that is
 * found by one reload when watching begins.
 */
export function watchSources(
  sources: readonly SkillSource[],
  reload: () => Promise<unknown>,
): { close(): Promise<void> } {
  const changed = (): void =>
    void reload().catch((error: unknown) =>
      process.emitWarning(`The library could not be read again: ${String(error)}`),
    );
  let starting: Promise<readonly ({ close(): Promise<void> } | undefined)[]> | undefined;
  const start = (): void => {
    starting = Promise.all(sources.map(async (source) => source.watch?.(changed)));
    starting.then(changed, (error: unknown) =>
      process.emitWarning(`Changes of the library will not be noticed: ${String(error)}`),
    );
  };
  const timer = setTimeout(start, START_AFTER_MS);
  timer.unref();
  return {
    close: async () => {
      clearTimeout(timer);
      const watchers = (await starting?.catch(() => undefined)) ?? [];
      await Promise.all(watchers.map(async (watcher) => watcher?.close()));
    },
  };
}
