import { mkdirSync, realpathSync } from 'node:fs';
import { dirname, join, resolve, sep } from 'node:path';
import { ToolError } from '../../src/index.ts';

/** The absolute path of a file in the library's file area. Throws UNAUTHORISED for a path that leads out of it, by `..` or by a link. */
export function resolveInside(dataDir: string, path: string): string {
  const area = join(dataDir, 'files');
  mkdirSync(area, { recursive: true });
  const full = resolve(area, path);
  if (full.startsWith(area + sep) && existingPart(full).startsWith(realpathSync(area))) return full;
  throw new ToolError(
    'UNAUTHORISED',
    'That path leads out of the file area. Send a relative path without "..".',
    {
      details: { reason: 'path' },
    },
  );
}

function existingPart(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return existingPart(dirname(path));
  }
}
