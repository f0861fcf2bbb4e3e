import { mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { makeFolder } from '../base/make-folder.ts';

/** A folder for working files, and what to do with it at the end. */
export interface DataDir {
  readonly path: string;
  /** Removes it when it was made for this runtime alone; leaves every other as it is. */
  release(): Promise<void>;
}

/**
 * The folder given, else $SKILLWRIGHT_DATA_DIR, else `.skillwright` beside the library, else a passing one for
 * skills that are code alone. Throws Error with what to do when it cannot be created.
 */
export function openDataDir(given: string | undefined, root: string | undefined): DataDir {
  const chosen = given ?? process.env['SKILLWRIGHT_DATA_DIR'];
  if (chosen === undefined && root === undefined) {
    const path = mkdtempSync(join(tmpdir(), 'skillwright-'));
    return { path, release: () => rm(path, { recursive: true, force: true }) };
  }
  const path =
    chosen === undefined ? join(dirname(root as string), '.skillwright') : resolve(chosen);
  try {
    makeFolder(path);
  } catch (error) {
    throw new Error(
      `The data folder ${path} cannot be created. Make its parent writable, or choose another with dataDir or SKILLWRIGHT_DATA_DIR.`,
      { cause: error },
    );
  }
  return { path, release: async () => {} };
}
