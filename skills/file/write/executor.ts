import { mkdir, rename, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { ToolError, type ExecutionContext } from '../../../src/index.ts';
import { resolveInside } from '../../_shared/file-area.ts';

interface Params {
  readonly path: string;
  readonly text: string;
}

// A folder where the file should be, or a file where a folder should be.
const TAKEN = new Set(['EISDIR', 'ENOTDIR', 'EEXIST']);

export async function execute(
  { path, text }: Params,
  { dataDir, signal }: ExecutionContext,
): Promise<unknown> {
  const full = resolveInside(dataDir, path);
  try {
    await mkdir(dirname(full), { recursive: true });
    // Written beside and moved: a reader sees the old text or the new, never half of it.
    await writeFile(`${full}.part`, text, { signal });
    await rename(`${full}.part`, full);
  } catch (error) {
    if (!TAKEN.has((error as NodeJS.ErrnoException).code ?? '')) throw error;
    throw new ToolError(
      'INVALID_PARAMS',
      `${path} cannot be written: a folder or a file of that name is in the way. Use file.list and send another path.`,
      { details: { reason: 'taken' } },
    );
  }
  return { path, bytes: Buffer.byteLength(text) };
}
