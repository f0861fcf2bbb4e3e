/** A line of a tree with the lines under it. */
export interface Branch {
  readonly label: string;
  readonly children: readonly Branch[];
}

/** The tree as lines of text, children under their parent. */
export function renderTree(root: Branch): string {
  const lines = [root.label];
  const open: { readonly branch: Branch; readonly indent: string; readonly last: boolean }[] = [];
  const push = (children: readonly Branch[], indent: string): void => {
    const last = children.at(-1);
    for (const branch of children.toReversed())
      open.push({ branch, indent, last: branch === last });
  };
  push(root.children, '');
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    lines.push(`${next.indent}${next.last ? '└─' : '├─'} ${next.branch.label}`);
    push(next.branch.children, `${next.indent}${next.last ? '   ' : '│  '}`);
  }
  return lines.join('\n');
}
