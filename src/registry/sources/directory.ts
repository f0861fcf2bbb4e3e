import { readdirSync, realpathSync, statSync, type Dirent } from 'node:fs';
import { join, sep } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Loaded, SkillSource, SourceOptions } from '../source.ts';
import type { Problem } from '../snapshot.ts';
import { readSkillFolder, type SkillFolder } from './skill-folder.ts';
import { watchFiles } from './watch-files.ts';

// A turn of this many folders takes some 5 ms: other work of the process gets its chance in between.
const FOLDERS_A_TURN = 50;

/**
 * Skills as folders: `<root>/<domain>/<action>/` with SKILL.md and schema.json. Folders that begin with a
 * dot or hold neither file are passed over; links that lead out of the library are refused.
 */
export function createDirectorySource(root: string, { configure }: SourceOptions): SkillSource {
  let known = new Map<string, { readonly stamp: string; readonly read: Loaded }>();

  const load = async (): Promise<Loaded> => {
    const next: typeof known = new Map();
    const problems: Problem[] = [];
    const skills: Loaded['skills'][number][] = [];
    const folders = findFolders(root, problems);
    for (const [index, folder] of folders.entries()) {
      if (index % FOLDERS_A_TURN === FOLDERS_A_TURN - 1) await nextTurn();
      const settings = configure(folder.name);
      const stamp = stampOf(folder.path) + JSON.stringify(settings);
      const before = known.get(folder.path);
      // An unchanged skill stays the same object: what was compiled for it, and its circuit, live on.
      const read = before?.stamp === stamp ? before.read : readSkillFolder(folder, settings);
      next.set(folder.path, { stamp, read });
      skills.push(...read.skills);
      problems.push(...read.problems);
    }
    known = next;
    return { skills, problems };
  };

  return { id: root, load, watch: (changed) => watchFiles(root, changed) };
}

function findFolders(root: string, problems: Problem[]): SkillFolder[] {
  const real = realpathSync(root);
  const folders: SkillFolder[] = [];
  for (const domain of subfolders(root)) {
    for (const action of subfolders(join(root, domain.name))) {
      const path = join(root, domain.name, action.name);
      const name = `${domain.name}.${action.name}`;
      if ((domain.isSymbolicLink() || action.isSymbolicLink()) && !inside(path, real)) {
        problems.push({
          severity: 'error',
          skill: name,
          file: path,
          message: 'The folder is a link that leads out of the library. Copy the skill in.',
        });
      } else folders.push({ path, name });
    }
  }
  return folders;
}

function subfolders(path: string): Dirent[] {
  return readdirSync(path, { withFileTypes: true })
    .filter((entry) => !entry.name.startsWith('.') && entry.name !== 'node_modules')
    .filter(
      (entry) =>
        entry.isDirectory() || (entry.isSymbolicLink() && isFolder(join(path, entry.name))),
    )
    .sort((left, right) => (left.name < right.name ? -1 : 1));
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}

function inside(path: string, root: string): boolean {
  return realpathSync(path).startsWith(root + sep);
}

function stampOf(folder: string): string {
  return readdirSync(folder)
    .sort()
    .map((name) => {
      const stat = statSync(join(folder, name), { throwIfNoEntry: false });
      return `${name}:${stat?.mtimeMs}:${stat?.size}`;
    })
    .join('|');
}
