import { readdirSync, realpathSync, statSync, type Dirent } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Skill } from '../skill.ts';
import type { Problem } from '../snapshot.ts';
import type { Loaded, SkillSettings, SkillSource, SourceOptions } from '../source.ts';
import { folderFiles } from './folder-files.ts';
import { isInside } from './is-inside.ts';
import { readSkillFolder, refused, type SkillFolder } from './skill-folder.ts';
import { watchFiles } from './watch-files.ts';

// A turn of this many folders takes some 5 ms: other work of the process gets its chance in between.
const FOLDERS_A_TURN = 50;

/**
 * Skills as folders: `<root>/<domain>/<action>/` with SKILL.md and schema.json. Folders that begin with a
 * dot or hold neither file are passed over; links that lead out of the library are refused.
 */
export function createDirectorySource(root: string, { configure }: SourceOptions): SkillSource {
  let known: ReadonlyMap<string, Reading> = new Map();

  const load = async (): Promise<Loaded> => {
    const next = new Map<string, Reading>();
    const problems: Problem[] = [];
    const skills: Skill[] = [];
    for (const [index, folder] of findFolders(root, problems).entries()) {
      if (index % FOLDERS_A_TURN === FOLDERS_A_TURN - 1) await nextTurn();
      const reading = readAgain(folder, configure(folder.name), known.get(folder.path));
      next.set(folder.path, reading);
      skills.push(...reading.loaded.skills);
      problems.push(...reading.loaded.problems);
    }
    known = next;
    return { skills, problems };
  };

  return { id: root, load, watch: (changed) => watchFiles([realpathSync.native(root)], changed) };
}

/** What a folder was read as, and what it looked like then. */
interface Reading {
  readonly stamp: string;
  readonly loaded: Loaded;
}

function readAgain(
  folder: SkillFolder,
  settings: SkillSettings,
  before: Reading | undefined,
): Reading {
  try {
    const { files, stamp: look } = folderFiles(folder.path);
    const stamp = look + JSON.stringify(settings);
    // An unchanged skill stays the same object: what was compiled for it, and its circuit, live on.
    if (before?.stamp === stamp) return before;
    return { stamp, loaded: readSkillFolder(folder, files, settings) };
  } catch (error) {
    const message = `It cannot be read: ${(error as Error).message}.`;
    return { stamp: '', loaded: refused(folder, { message }) };
  }
}

function findFolders(path: string, problems: Problem[]): readonly SkillFolder[] {
  const root = realpathSync.native(path);
  const folders: SkillFolder[] = [];
  const refuse = (skill: string, file: string, message: string): void =>
    void problems.push({ severity: 'error', skill, file, message });
  for (const domain of entriesOf(path).filter(isFolder)) {
    const place = join(path, domain.name);
    let entries: readonly Dirent[];
    try {
      entries = entriesOf(place);
    } catch (error) {
      refuse(domain.name, place, `The folder cannot be read: ${(error as Error).message}.`);
      continue;
    }
    if (entries.some(({ name }) => name === 'schema.json'))
      refuse(
        domain.name,
        place,
        'A schema.json lies one folder too high. Move the skill to <domain>/<action>/.',
      );
    for (const action of entries.filter(isFolder)) {
      const folder = {
        path: join(place, action.name),
        name: `${domain.name}.${action.name}`,
        root,
      };
      const linked = domain.isSymbolicLink() || action.isSymbolicLink();
      if (!linked || isInside(folder.path, root)) folders.push(folder);
      else
        refuse(
          folder.name,
          folder.path,
          'The folder is a link that leads out of the library. Copy the skill in.',
        );
    }
  }
  return folders;
}

function entriesOf(path: string): readonly Dirent[] {
  return readdirSync(path, { withFileTypes: true })
    .filter(({ name }) => !name.startsWith('.') && name !== 'node_modules')
    .sort((left, right) => (left.name < right.name ? -1 : 1));
}

function isFolder(entry: Dirent): boolean {
  if (!entry.isSymbolicLink()) return entry.isDirectory();
  try {
    return statSync(join(entry.parentPath, entry.name)).isDirectory();
  } catch {
    return false;
  }
}
