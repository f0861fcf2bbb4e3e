import { stat } from 'node:fs/promises';
import { pathToFileURL } from 'node:url';
import { ToolError } from '../contract/tool-error.ts';

/** What a module exports, by name. */
export type Exports = Readonly<Record<string, unknown>>;

const BEYOND_STRIPPING = new Set([
  'ERR_UNSUPPORTED_TYPESCRIPT_SYNTAX',
  'ERR_UNSUPPORTED_NODE_MODULES_TYPE_STRIPPING',
  'ERR_UNSUPPORTED_DIR_IMPORT',
]);

const compiled = new Map<string, { readonly url: string; readonly exports: Exports }>();

/**
 * Imports a file as it is now: again when it has changed since the last time, else the module there
 * is. What it imports itself is read once per process. TypeScript that Node cannot strip goes through
 * the optional peer `jiti`; without it a ToolError says so. Rejects with what the module throws.
 */
export async function importFresh(file: string): Promise<Exports> {
  const { mtimeMs, size } = await stat(file);
  const url = `${pathToFileURL(file).href}?v=${mtimeMs}-${size}`;
  const known = compiled.get(file);
  if (known?.url === url) return known.exports;
  try {
    return (await import(url)) as Exports;
  } catch (error) {
    if (!needsCompiling(file, error)) throw error;
    const exports = await compile(file, error);
    compiled.set(file, { url, exports });
    return exports;
  }
}

function needsCompiling(file: string, error: unknown): error is Error {
  if (!/\.[cm]?ts$/.test(file) || !(error instanceof Error)) return false;
  const { code, message, name } = error as NodeJS.ErrnoException;
  if (code === undefined) return name === 'SyntaxError';
  // A file without its extension can be found by jiti, a package that is not installed cannot.
  return (
    BEYOND_STRIPPING.has(code) ||
    (code === 'ERR_MODULE_NOT_FOUND' && message.startsWith('Cannot find module'))
  );
}

async function compile(file: string, why: Error): Promise<Exports> {
  const { createJiti } = await import('jiti').catch((cause: unknown) => {
    throw new ToolError(
      'INTERNAL_ERROR',
      `It needs more TypeScript than Node runs by itself (${why.message}). Run npm install jiti, or leave out enum, decorators and parameter properties and end imports in .ts.`,
      { details: { reason: 'jiti_missing' }, cause },
    );
  });
  return createJiti(import.meta.url, { moduleCache: false, fsCache: false }).import<Exports>(file);
}
