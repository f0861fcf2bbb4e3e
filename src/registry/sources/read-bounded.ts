import { closeSync, fstatSync, openSync, readSync } from 'node:fs';

const MAX_BYTES = 1024 * 1024;

/** The text of a file of at most 1 MiB, without a byte order mark; undefined when it does not exist. Throws Error otherwise. */
export function readBounded(file: string): string | undefined {
  let descriptor: number;
  try {
    descriptor = openSync(file, 'r');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
  try {
    const stat = fstatSync(descriptor);
    if (!stat.isFile()) throw new Error('it is not a file');
    if (stat.size > MAX_BYTES) throw new Error('it has over 1 MiB; make it smaller');
    const buffer = Buffer.allocUnsafe(stat.size);
    const length = readSync(descriptor, buffer, 0, stat.size, 0);
    return buffer.toString('utf8', 0, length).replace(/^\uFEFF/, '');
  } finally {
    closeSync(descriptor);
  }
}
