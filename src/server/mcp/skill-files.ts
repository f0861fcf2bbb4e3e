import { relative, sep } from 'node:path';
import type { SkillFiles } from '@modelcontextprotocol/server/ext/skills';
import { nodeSkillFiles } from '@modelcontextprotocol/server/ext/skills/node';
import type { Runtime } from '../../runtime/runtime.ts';

const DOCUMENT = /^(?:schema\.json|LICENSE.*|[^.].*\.(?:md|txt))$/;
const FOLDERS = new Set(['assets', 'references']);

/**
 * What clients may read of the library under `root`: of each skill that loaded, its documents, its
 * contract, `references/` and `assets/`; never code, dot files or anything beside the skills.
 */
export function skillFiles(runtime: Runtime, root: string): SkillFiles {
  const files = nodeSkillFiles(root);
  let folders = foldersOf(runtime, root);
  return {
    async list(dir) {
      // Every scan starts at the root; the skills may have changed since the last.
      if (dir === '') folders = foldersOf(runtime, root);
      const entries = await files.list(dir);
      return entries.filter(({ name, kind }) => isServed(dir, name, kind === 'directory', folders));
    },
    read: (path) => files.read(path),
  };
}

interface Folders {
  readonly skills: ReadonlySet<string>;
  /** The folders on the way to skills. */
  readonly above: ReadonlySet<string>;
}

function foldersOf({ snapshot }: Runtime, root: string): Folders {
  const skills = new Set<string>();
  const above = new Set<string>();
  for (const { folder } of snapshot.skills) {
    const path = folder === undefined ? '' : relative(root, folder).split(sep).join('/');
    if (path === '' || path.startsWith('..')) continue;
    skills.add(path);
    for (let end = path.lastIndexOf('/'); end > 0; end = path.lastIndexOf('/', end - 1)) {
      above.add(path.slice(0, end));
    }
  }
  return { skills, above };
}

function isServed(
  dir: string,
  name: string,
  isFolder: boolean,
  { skills, above }: Folders,
): boolean {
  const path = dir === '' ? name : `${dir}/${name}`;
  if (skills.has(path) || above.has(path)) return isFolder;
  if (skills.has(dir)) return isFolder ? FOLDERS.has(name) : DOCUMENT.test(name);
  // Elsewhere only what lies in a served folder of a skill is ever asked for.
  return dir !== '' && !above.has(dir) && !name.startsWith('.');
}
