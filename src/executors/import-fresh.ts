import { createHash } from 'node:crypto';
import { realpathSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { dirname } from 'node:path';
import { pathToFileURL } from 'node:url';
import { ToolError } from '../contract/tool-error.ts';
import { folderFiles } from '../registry/sources/folder-files.ts';

/** What a module exports, by name. */
export type Exports = Readonly<Record<string, unknown>>;

const BEYOND_STRIPPING = new Set([
  'ERR_UNSUPPORTED_TYPESCRIPT_SYNTAX',
  'ERR_UNSUPPORTED_NODE_MODULES_TYPE_STRIPPING',
  'ERR_UNSUPPORTED_DIR_IMPORT',
]);

const compiled = new Map<string, { readonly url: string; readonly exports: Exports }>();

/**
 * Imports a file as it is now: again when anything in its folder or below has changed since the last
 * time, else the module there is. What it imports from there is read again with it; what lies elsewhere
 * is read once per process, so that skills can share it. TypeScript that Node cannot strip goes through
 * the optional peer `jiti`; without it a ToolError says so. Rejects with what the module throws.
 */
export async function importFresh(file: string): Promise<Exports> {
  const folder = dirname(file);
  const version = createHash('sha256').update(folderFiles(folder).stamp).digest('hex').slice(0, 16);
  followVersions();
  versions.set(version, `${pathToFileURL(realpathSync.native(folder)).href}/`);
  const url = `${pathToFileURL(file).href}?v=${version}`;
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

/** The folder whose files are imported under a version. */
const versions = new Map<string, string>();
let following = false;

/** Lets a module imported under a version import the other files of its folder under the same. */
function followVersions(): void {
  if (following) return;
  following = true;
  registerHooks({
    resolve: (specifier, context, nextResolve) => {
      const resolved = nextResolve(specifier, context);
      const version = /\?v=(\w+)$/.exec(context.parentURL ?? '')?.[1] ?? '';
      const folder = versions.get(version);
      if (folder === undefined || !resolved.url.startsWith(folder)) return resolved;
      if (resolved.url.includes('?') || resolved.url.includes('/node_modules/')) return resolved;
      return { ...resolved, url: `${resolved.url}?v=${version}` };
    },
  });
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
