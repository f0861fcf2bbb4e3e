import { existsSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { ToolError, type ExecutionContext } from '../../../src/index.ts';
import { resolveInside } from '../../_shared/file-area.ts';

const GUIDE = 'Files of the sample library.\n';

export async function execute(
  { path }: { readonly path: string },
  { dataDir, signal }: ExecutionContext,
): Promise<unknown> {
  const guide = resolveInside(dataDir, 'README.txt');
  if (!existsSync(guide)) writeFileSync(guide, GUIDE);
  try {
    const text = await readFile(resolveInside(dataDir, path), { encoding: 'utf8', signal });
    return { path, text, bytes: Buffer.byteLength(text) };
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== 'ENOENT' && code !== 'EISDIR' && code !== 'ENOTDIR') throw error;
    throw new ToolError(
      'NOT_FOUND',
      `There is no file ${path}. Use file.list to see what there is.`,
      { details: { reason: 'file' } },
    );
  }
}
