import { lstatSync, mkdirSync, realpathSync } from 'node:fs';
import { dirname, join, resolve, sep } from 'node:path';
import { ToolError } from '../../src/index.ts';

/** The absolute path of a file in the library's file area. Throws UNAUTHORISED for a path that leads out of it, by `..` or by a link. */
export function resolveInside(dataDir: string, path: string): string {
  const area = join(dataDir, 'files');
  mkdirSync(area, { recursive: true });
  const full = resolve(area, path);
  const real = realpathSync(area);
  const existing = existingPart(full);
  if (full.startsWith(area + sep) && (existing === real || existing.startsWith(real + sep)))
    return full;
  throw new ToolError(
    'UNAUTHORISED',
    'That path leads out of the file area. Send a relative path without "..".',
    {
      details: { reason: 'path' },
    },
  );
}

/** Where the part of a path that is there really lies. A link that leads to nothing counts as leading out. */
function existingPart(path: string): string {
  if (lstatSync(path, { throwIfNoEntry: false }) === undefined) return existingPart(dirname(path));
  try {
    return realpathSync(path);
  } catch {
    return '';
  }
}
