import { readdirSync, statSync, type Stats } from 'node:fs';

/** One entry of a skill's folder. */
export interface FolderFile {
  readonly name: string;
  readonly isLink: boolean;
  /** Of what a link leads to; undefined when it leads nowhere. */
  readonly stat: Stats | undefined;
}

/** What is in a skill's folder, dot files aside, by name; and a text that changes when any of it does. */
export function folderFiles(path: string): {
  readonly files: readonly FolderFile[];
  readonly stamp: string;
} {
  const files: FolderFile[] = [];
  let stamp = '';
  for (const entry of readdirSync(path, { withFileTypes: true })) {
    const { name } = entry;
    if (name.startsWith('.')) continue;
    const stat = statOf(`${path}/${name}`);
    files.push({ name, isLink: entry.isSymbolicLink(), stat });
    stamp += `${name}:${stat?.ino}:${stat?.mtimeMs}:${stat?.size}|`;
  }
  files.sort((left, right) => (left.name < right.name ? -1 : 1));
  return { files, stamp };
}

function statOf(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}
