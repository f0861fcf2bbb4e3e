import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ExecutionContext } from '../../../src/index.ts';

export async function execute(
  { limit }: { readonly limit: number },
  { dataDir }: ExecutionContext,
): Promise<unknown> {
  const folder = join(dataDir, 'outbox');
  const files = await readdir(folder).catch(absent);
  const newest = files
    .filter((file) => file.endsWith('.eml'))
    .sort()
    .toReversed()
    .slice(0, limit);
  const messages = await Promise.all(
    newest.map(async (file) => {
      const head = (await readFile(join(folder, file), 'utf8')).split(/\r?\n\r?\n/, 1)[0] ?? '';
      return { path: join(folder, file), subject: header(head, 'Subject'), to: header(head, 'To') };
    }),
  );
  return { messages };
}

function absent(error: NodeJS.ErrnoException): string[] {
  if (error.code === 'ENOENT') return [];
  throw error;
}

function header(head: string, name: string): string {
  const unfolded = head.replaceAll(/\r?\n[ \t]+/g, ' ');
  return new RegExp(`^${name}: (.*)$`, 'im').exec(unfolded)?.[1] ?? '';
}
