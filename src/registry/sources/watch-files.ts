import { once } from 'node:events';
import { basename } from 'node:path';

const QUIET_MS = 100;

/** A watch that is under way. */
export interface Watching {
  /** Watches these files, too. */
  add(files: readonly string[]): void;
  close(): Promise<void>;
}

/**
 * Calls `changed` once something under these files and folders (real paths) has changed and all has been
 * quiet for a moment; dot files, node_modules and what links lead to are left aside. Resolves once watching
 * has begun; rejects when it cannot.
 */
export async function watchFiles(paths: readonly string[], changed: () => void): Promise<Watching> {
  // fs.watch misses the write after an atomic save; chokidar sees them all (docs/decisions).
  const { watch } = await import('chokidar');
  const roots = new Set(paths);
  const watcher = watch([...roots], {
    ignoreInitial: true,
    followSymlinks: false,
    ignored: (path) => !roots.has(path) && /^\.|^node_modules$/.test(basename(path)),
  });
  try {
    await once(watcher, 'ready');
  } catch (cause) {
    await watcher.close();
    throw new Error(
      `The library cannot be watched: ${String(cause)}. Raise the system's limit of watched files, or do not watch.`,
      { cause },
    );
  }
  let timer: NodeJS.Timeout | undefined;
  const changing = (): void => {
    clearTimeout(timer);
    timer = setTimeout(changed, QUIET_MS);
  };
  watcher.on('all', changing);
  // A folder that becomes unreadable later must not end the process; the next reload reports it.
  watcher.on('error', changing);
  return {
    add: (files) => {
      const fresh = files.filter((file) => !roots.has(file));
      for (const file of fresh) roots.add(file);
      watcher.add(fresh);
    },
    close: async () => {
      clearTimeout(timer);
      await watcher.close();
    },
  };
}
