import { basename } from 'node:path';

const QUIET_MS = 100;

/** Calls `changed` once files below a path (or the file itself) have changed and been quiet for a moment. */
export async function watchFiles(
  path: string,
  changed: () => void,
): Promise<{ close(): Promise<void> }> {
  // fs.watch misses the write after an atomic save; chokidar sees them all (docs/decisions).
  const { watch } = await import('chokidar');
  const watcher = watch(path, {
    ignoreInitial: true,
    ignored: (candidate) =>
      candidate !== path &&
      (basename(candidate).startsWith('.') || basename(candidate) === 'node_modules'),
  });
  let timer: NodeJS.Timeout | undefined;
  watcher.on('all', () => {
    clearTimeout(timer);
    timer = setTimeout(changed, QUIET_MS);
  });
  await new Promise<void>((resolve, reject) => {
    watcher.once('ready', resolve);
    watcher.once('error', reject);
  });
  // A folder that becomes unreadable later must not end the process; the next reload reports it.
  watcher.on('error', () => changed());
  return {
    close: async () => {
      clearTimeout(timer);
      await watcher.close();
    },
  };
}
