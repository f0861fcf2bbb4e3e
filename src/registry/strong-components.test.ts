import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { strongComponents } from './strong-components.ts';

function componentsOf(graph: Readonly<Record<string, string>>): string[] {
  const components = strongComponents(Object.keys(graph), (node) => graph[node] ?? '');
  return components.map((members) => members.toSorted().join(''));
}

test('groups what reaches one another, after what it leads to', () => {
  assert.deepEqual(componentsOf({ a: 'b', b: 'c', c: 'a', d: 'a', e: '' }), ['abc', 'd', 'e']);
  assert.deepEqual(componentsOf({ a: 'bc', b: 'd', c: 'd', d: '' }), ['d', 'b', 'c', 'a']);
  assert.deepEqual(componentsOf({ a: 'a', b: 'ac', c: 'b' }), ['a', 'bc']);
  assert.deepEqual(componentsOf({}), []);
});

test('agrees with reachability on any graph', () => {
  const graph = fc
    .integer({ min: 1, max: 9 })
    .chain((size) =>
      fc.array(fc.uniqueArray(fc.nat(size - 1)), { minLength: size, maxLength: size }),
    );
  fc.assert(
    fc.property(graph, (edges) => {
      const reach = edges.map((_, node) => {
        const seen = new Set(edges[node]);
        for (const next of seen) for (const target of edges[next] ?? []) seen.add(target);
        return seen;
      });
      const components = strongComponents(edges.keys(), (node) => edges[node] ?? []);
      const place = new Map(
        components.flatMap((members, index) => members.map((node) => [node, index] as const)),
      );
      assert.deepEqual(new Set(place.keys()), new Set(edges.keys()));
      for (const [node, reached] of reach.entries()) {
        for (const target of edges.keys()) {
          const mutual =
            node === target || (reached.has(target) && reach[target]?.has(node) === true);
          assert.equal(place.get(node) === place.get(target), mutual);
          if (reached.has(target)) assert((place.get(target) ?? 0) <= (place.get(node) ?? 0));
        }
      }
    }),
  );
});
