import { readdir, stat } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import type { ExecutionContext } from '../../../src/index.ts';
import { resolveInside } from '../../_shared/file-area.ts';

const MOST = 1_000;

export async function execute(
  { folder }: { readonly folder?: string },
  { dataDir }: ExecutionContext,
): Promise<unknown> {
  const area = join(dataDir, 'files');
  const start =
    folder === undefined ? (resolveInside(dataDir, 'x'), area) : resolveInside(dataDir, folder);
  const entries = await readdir(start, { recursive: true, withFileTypes: true }).catch(absent);
  const paths = entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
  const files = await Promise.all(
    paths
      .sort()
      .slice(0, MOST)
      .map(async (path) => ({
        path: relative(area, path).split(sep).join('/'),
        bytes: (await stat(path)).size,
      })),
  );
  return { files };
}

function absent(error: NodeJS.ErrnoException): [] {
  if (error.code === 'ENOENT') return [];
  throw error;
}
