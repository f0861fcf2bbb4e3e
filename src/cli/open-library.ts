import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { CommanderError } from 'commander';
import type { RuntimeOptions } from '../runtime/create-runtime.ts';
import type { Runtime } from '../runtime/runtime.ts';

/** The error of a command that was asked for in the wrong way; its message says what to do. */
export function usageError(message: string): CommanderError {
  return new CommanderError(2, 'skillwright.usage', message);
}

/** Opens the library given, else $SKILLWRIGHT_LIBRARY, else ./skills; rejects with a usage error when there is none. */
export async function openLibrary(
  given: string | undefined,
  options: Omit<RuntimeOptions, 'library'> = {},
): Promise<Runtime> {
  const library = findLibrary(given);
  // Reading a library leaves much behind that dies at once: room for it would never be given back.
  setFlagsFromString('--semi-space-growth-factor=1');
  try {
    const { createRuntime } = await import('../runtime/create-runtime.ts');
    return await createRuntime({ ...options, library });
  } finally {
    setFlagsFromString('--semi-space-growth-factor=2');
  }
}

/** Opens the library only to look at it: nothing is left on disk, so that it may be read-only. */
export async function inspectLibrary<T>(
  given: string | undefined,
  look: (runtime: Runtime) => Promise<T>,
): Promise<T> {
  const dataDir = await mkdtemp(join(tmpdir(), 'skillwright-look-'));
  try {
    const runtime = await openLibrary(given, { dataDir });
    try {
      return await look(runtime);
    } finally {
      await runtime.close();
    }
  } finally {
    await rm(dataDir, { recursive: true, force: true });
  }
}

function findLibrary(given: string | undefined): string {
  const path =
    given ?? process.env['SKILLWRIGHT_LIBRARY'] ?? (existsSync('skills') ? 'skills' : undefined);
  if (path === undefined) {
    throw usageError(
      'There is no library here. Pass --library <folder or registry file>, set SKILLWRIGHT_LIBRARY, ' +
        'or start one in ./skills with "skillwright new skill greeting.say-hello".',
    );
  }
  if (!existsSync(path)) {
    throw usageError(`The library ${path} does not exist. Check --library or SKILLWRIGHT_LIBRARY.`);
  }
  return resolve(path);
}
