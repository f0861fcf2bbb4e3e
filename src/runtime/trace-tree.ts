import type { CallRow } from '../contract/call-row.ts';
import type { TraceNode } from './runtime.ts';

/** The rows of one trace as a tree, steps in order of start; undefined when there is no root among them. */
export function buildTraceTree(rows: readonly CallRow[]): TraceNode | undefined {
  const ordered = [...rows].sort((left, right) => left.at - right.at);
  const byParent = Map.groupBy(ordered, (row) => row.parentId);
  const spans = new Set(ordered.map((row) => row.spanId));
  const root = ordered.find((row) => row.parentId === null || !spans.has(row.parentId));
  return root === undefined ? undefined : grow(root, byParent);
}

function grow(row: CallRow, byParent: ReadonlyMap<string | null, readonly CallRow[]>): TraceNode {
  return { ...row, steps: (byParent.get(row.spanId) ?? []).map((step) => grow(step, byParent)) };
}
