import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { TestContext } from 'node:test';

/** Files by path; what is no text is written as JSON. */
export type Files = Readonly<Record<string, unknown>>;

/** A contract that says just enough, and what is given over it. */
export function contractOf(over: Files = {}): Record<string, unknown> {
  return {
    version: '1.0.0',
    purpose: 'To be read by tests.',
    side_effect: { kind: 'none' },
    parameters: {
      type: 'object',
      properties: { text: { type: 'string' }, day: { type: 'string' } },
      additionalProperties: false,
    },
    rules: { none: 'There is nothing to rule.' },
    ...over,
  };
}

/** The files of one skill that loads without a warning, and what is given over them. */
export function skillFiles(name: string, contract: Files = {}, over: Files = {}): Files {
  const action = name.slice(name.indexOf('.') + 1);
  const folder = name.replace('.', '/');
  const files = {
    'SKILL.md': `---\nname: ${action}\ndescription: Does ${action}.\n---\n\nCall it.\n`,
    'schema.json': contractOf(contract),
    'executor.mjs': 'export const execute = () => ({});\n',
    ...over,
  };
  return Object.fromEntries(
    Object.entries(files).map(([file, content]) => [`${folder}/${file}`, content]),
  );
}

/** Writes files into a folder; those that are undefined are left out. */
export function writeFiles(root: string, files: Files): void {
  for (const [path, content] of Object.entries(files)) {
    if (content === undefined) continue;
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(
      join(root, path),
      typeof content === 'string' ? content : JSON.stringify(content, null, 2),
    );
  }
}

/** A folder with these files, removed when the test ends. */
export function libraryOf(t: TestContext, files: Files = {}): string {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'skillwright-library-')));
  t.after(() => rmSync(root, { recursive: true, force: true }));
  writeFiles(root, files);
  return root;
}
