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
 * has begun.
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
