import { readFileSync, statSync, type Stats } from 'node:fs';

const MIB = 1024 * 1024;

/** What is known of a file to read, and how large it may be. */
export interface ReadOptions {
  /** Saves looking it up. */
  readonly stat?: Stats | undefined;
  /** Default 1. */
  readonly mostMib?: number;
}

/** The text of a file that is not too large, without a byte order mark. Throws Error when it cannot be read. */
export function readBounded(file: string, options: ReadOptions = {}): string {
  const { stat = statSync(file), mostMib = 1 } = options;
  // Reading a named pipe would wait for its writer for ever.
  if (!stat.isFile()) throw new Error(`${file} is not a file`);
  if (stat.size > mostMib * MIB)
    throw new Error(`${file} has over ${mostMib} MiB; make it smaller`);
  const text = readFileSync(file, 'utf8');
  return text.startsWith('\uFEFF') ? text.slice(1) : text;
}
