import type { TraceNode } from '../runtime/runtime.ts';
import { renderTree, type Branch } from './render-tree.ts';
import type { Colors } from './colors.ts';

/** The steps of a finished call as a tree of lines: skill, version, time, attempts and what went wrong. */
export function renderTrace(root: TraceNode, colors: Colors): string {
  const branch = (node: TraceNode): Branch => ({
    label: describe(node, colors),
    children: [
      ...(node.cause ?? '')
        .split('\n')
        .filter((line) => line.trim() !== '')
        .map((line) => ({ label: colors.dim(line), children: [] })),
      ...node.steps.map(branch),
    ],
  });
  return renderTree(branch(root));
}

function describe(node: TraceNode, colors: Colors): string {
  const attempts = node.attempts > 1 ? `, ${node.attempts} attempts` : '';
  const mark = node.ok ? colors.green('✓') : colors.red('✗');
  const error = node.ok ? '' : colors.red(` ${node.code ?? ''} ${node.message ?? ''}`);
  const facts = colors.dim(`${node.version}  ${node.duration.toFixed(1)} ms${attempts}`);
  return `${mark} ${node.skill} ${facts}${error}`;
}
