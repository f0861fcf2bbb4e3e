import { realpathSync } from 'node:fs';
import { sep } from 'node:path';

/** True when a path, followed through all links, lies in a folder, itself given as a real path. */
export function isInside(path: string, folder: string): boolean {
  try {
    return realpathSync.native(path).startsWith(folder.endsWith(sep) ? folder : folder + sep);
  } catch {
    return false;
  }
}
