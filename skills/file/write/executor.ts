import { mkdir, rename, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { ExecutionContext } from '../../../src/index.ts';
import { resolveInside } from '../../_shared/file-area.ts';

interface Params {
  readonly path: string;
  readonly text: string;
}

export async function execute(
  { path, text }: Params,
  { dataDir, signal }: ExecutionContext,
): Promise<unknown> {
  const full = resolveInside(dataDir, path);
  await mkdir(dirname(full), { recursive: true });
  // Written beside and moved: a reader sees the old text or the new, never half of it.
  await writeFile(`${full}.part`, text, { signal });
  await rename(`${full}.part`, full);
  return { path, bytes: Buffer.byteLength(text) };
}
