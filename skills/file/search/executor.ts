import { readdir, readFile } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import type { ExecutionContext } from '../../../src/index.ts';

interface Match {
  readonly path: string;
  readonly line: number;
  readonly text: string;
}

const MOST = 200;
const LINE = 500;

export async function execute(
  { text }: { readonly text: string },
  { dataDir, signal }: ExecutionContext,
): Promise<unknown> {
  const area = join(dataDir, 'files');
  const wanted = text.toLowerCase();
  const matches: Match[] = [];
  for (const file of await filesOf(area)) {
    const lines = (await readFile(file, { encoding: 'utf8', signal })).split('\n');
    for (const [index, line] of lines.entries()) {
      if (!line.toLowerCase().includes(wanted)) continue;
      const path = relative(area, file).split(sep).join('/');
      matches.push({ path, line: index + 1, text: line.slice(0, LINE) });
      if (matches.length === MOST) return { matches };
    }
  }
  return { matches };
}

async function filesOf(area: string): Promise<string[]> {
  const entries = await readdir(area, { recursive: true, withFileTypes: true }).catch(absent);
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
}

function absent(error: NodeJS.ErrnoException): [] {
  if (error.code === 'ENOENT') return [];
  throw error;
}
