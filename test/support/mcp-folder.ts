import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { TestContext } from 'node:test';
import { createRuntime, type Runtime } from '../../src/index.ts';

/** A library on disk and its runtime, both gone with the test. */
export interface MutableLibrary {
  readonly runtime: Runtime;
  /** Writes a skill that gives back its name; `files` are added or replace what it would have. */
  write(name: string, files?: Readonly<Record<string, string>>): Promise<void>;
  remove(name: string): Promise<void>;
}

/** Makes a library of the skills named. */
export async function mcpFolder(t: TestContext, names: readonly string[]): Promise<MutableLibrary> {
  const root = await mkdtemp(join(tmpdir(), 'skillwright-mcp-'));
  // Reached by a link, as temporary folders are on some systems.
  const library = join(root, 'link');
  await mkdir(join(root, 'skills'));
  await symlink(join(root, 'skills'), library, 'junction');
  const write: MutableLibrary['write'] = async (name, files = {}) => {
    const folder = join(library, ...name.split('.'));
    for (const [path, text] of Object.entries({ ...skill(name), ...files })) {
      await mkdir(dirname(join(folder, path)), { recursive: true });
      await writeFile(join(folder, path), text);
    }
  };
  for (const name of names) await write(name);
  const runtime = await createRuntime({ library, dataDir: join(root, 'data') });
  t.after(async () => {
    await runtime.close();
    await rm(root, { recursive: true, force: true });
  });
  const remove = (name: string): Promise<void> =>
    rm(join(library, ...name.split('.')), { recursive: true });
  return { runtime, write, remove };
}

function skill(name: string): Record<string, string> {
  const action = name.slice(name.indexOf('.') + 1);
  const contract = {
    version: '1.0.0',
    purpose: 'Testing the server.',
    side_effect: { kind: 'none' },
    rules: { none: 'It has no parameters.' },
    parameters: { type: 'object', properties: {}, required: [], additionalProperties: false },
  };
  return {
    'SKILL.md': `---\nname: ${action}\ndescription: Gives back its name. Use it to test. Returns text. Changes nothing.\n---\n# ${name}\n`,
    'schema.json': JSON.stringify(contract),
    'executor.mjs': `export const execute = () => ${JSON.stringify(name)};\n`,
  };
}
