import { readdirSync, statSync, type Stats } from 'node:fs';

/** One entry of a skill's folder. */
export interface FolderFile {
  readonly name: string;
  readonly isLink: boolean;
  /** Of what a link leads to; undefined when it leads nowhere. */
  readonly stat: Stats | undefined;
}

/** What is in a skill's folder, dot files aside, by name; and a text that changes when any of it does, in folders below, too. */
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
    // A folder's own time does not change with the files in it. Links could lead round in a circle.
    if (entry.isDirectory() && name !== 'node_modules') stamp += stampOf(`${path}/${name}`, 1);
  }
  files.sort((left, right) => (left.name < right.name ? -1 : 1));
  return { files, stamp };
}

const MAX_DEPTH = 8;

function stampOf(path: string, depth: number): string {
  if (depth > MAX_DEPTH) return '';
  let stamp = '';
  for (const entry of readdirSync(path, { withFileTypes: true })) {
    const place = `${path}/${entry.name}`;
    const stat = statOf(place);
    stamp += `${place}:${stat?.ino}:${stat?.mtimeMs}:${stat?.size}|`;
    if (entry.isDirectory() && entry.name !== 'node_modules') stamp += stampOf(place, depth + 1);
  }
  return stamp;
}

function statOf(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}
