import { constants } from 'node:fs';
import { appendFile, mkdir, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { ToolError, type ExecutionContext } from '../../../src/index.ts';
import { resolveInside } from '../../_shared/file-area.ts';

interface Params {
  readonly path: string;
  readonly text: string;
}

// A folder where the file should be, a file where a folder should be, or a link.
const TAKEN = new Set(['EISDIR', 'ENOTDIR', 'EEXIST', 'ELOOP']);

// A link to a file that is not there yet looks like a new file, and could lead out of the area.
const APPEND = constants.O_APPEND | constants.O_CREAT | constants.O_WRONLY | constants.O_NOFOLLOW;

export async function execute(
  { path, text }: Params,
  { dataDir }: ExecutionContext,
): Promise<unknown> {
  const full = resolveInside(dataDir, path);
  try {
    await mkdir(dirname(full), { recursive: true });
    await appendFile(full, text, { flag: APPEND });
  } catch (error) {
    if (!TAKEN.has((error as NodeJS.ErrnoException).code ?? '')) throw error;
    throw new ToolError(
      'INVALID_PARAMS',
      `${path} cannot be appended to: a folder, a file or a link of that name is in the way. Use file.list and send another path.`,
      { details: { reason: 'taken' } },
    );
  }
  return { path, added: Buffer.byteLength(text), bytes: (await stat(full)).size };
}
