import assert from 'node:assert/strict';
import { test } from 'node:test';
import { renderTree } from './render-tree.ts';

test('renderTree draws each branch under its parent', () => {
  const leaf = (label: string): { label: string; children: [] } => ({ label, children: [] });
  const root = {
    label: 'root',
    children: [{ label: 'a', children: [leaf('b'), leaf('c')] }, leaf('d')],
  };
  assert.equal(renderTree(root), 'root\n├─ a\n│  ├─ b\n│  └─ c\n└─ d');
});
