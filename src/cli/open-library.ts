import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { CommanderError } from 'commander';
import type { RuntimeOptions } from '../runtime/create-runtime.ts';
import type { Runtime } from '../runtime/runtime.ts';

/** The error of a command that was asked for in the wrong way; its message says what to do. */
export function usageError(message: string): CommanderError {
  return new CommanderError(2, 'skillwright.usage', message);
}

/** Absolute path of the library: the one given, else $SKILLWRIGHT_LIBRARY, else ./skills. Throws a usage error when there is none. */
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

/** Opens the library the global options name. */
export async function openLibrary(
  given: string | undefined,
  options: Omit<RuntimeOptions, 'library'> = {},
): Promise<Runtime> {
  const library = findLibrary(given);
  const { createRuntime } = await import('../runtime/create-runtime.ts');
  return createRuntime({ ...options, library });
}
