import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { extname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { Skill } from '../registry/skill.ts';

const resolver = new URL(`./resolve-self${extname(import.meta.url)}`, import.meta.url).href;

/**
 * Runs the skill.test.ts (.mjs, .js) of a skill's folder with node:test, its data in `dataDir`; one
 * finding, undefined when it passes and its output when it fails, none when there is no such file.
 */
export async function runOwnTest(
  { folder }: Skill,
  dataDir: string,
): Promise<readonly (string | undefined)[]> {
  const file = ['ts', 'mjs', 'js']
    .map((ending) => join(folder ?? '', `skill.test.${ending}`))
    .find((path) => existsSync(path));
  if (folder === undefined || file === undefined) return [];
  const { NODE_TEST_CONTEXT: _parent, ...env } = process.env;
  const child = spawn(
    process.execPath,
    ['--import', resolver, '--test', '--test-reporter=spec', '--test-timeout=60000', file],
    {
      cwd: folder,
      env: { ...env, SKILLWRIGHT_DATA_DIR: dataDir, NO_COLOR: '1' },
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  );
  const exit = new Promise<number | null>((resolve) => child.on('close', resolve));
  const [code, stdout, stderr] = await Promise.all([exit, text(child.stdout), text(child.stderr)]);
  return [code === 0 ? undefined : `skill.test: ${stdout}${stderr}`.trimEnd()];
}
