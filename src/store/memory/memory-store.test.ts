import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { assertChained, callRow, storeSuite } from '../../../test/suites/store.ts';
import { createMemoryStore } from './memory-store.ts';

storeSuite('memory store', () => () => createMemoryStore());

suite('memory store: capacity', () => {
  test('keeps the newest rows', async () => {
    const store = createMemoryStore({ capacity: 3 });
    for (let turn = 1; turn <= 5; turn++) void store.record?.(callRow({ turn }));
    assert.deepEqual(
      (await store.calls.list()).map((row) => row.turn),
      [5, 4, 3],
    );
    assert.equal((await store.audit.list({ limit: 2 })).at(-1)?.seq, 4);
  });

  test('keeps one chain over rows that were seen before they went', async () => {
    const store = createMemoryStore({ capacity: 3 });
    for (let turn = 1; turn <= 3; turn++) void store.record?.(callRow({ turn }));
    const seen = await store.audit.list();
    for (let turn = 4; turn <= 6; turn++) void store.record?.(callRow({ turn }));
    const all = [...seen, ...(await store.audit.list())];
    assert.deepEqual(
      all.map((row) => row.seq),
      [1, 2, 3, 4, 5, 6],
    );
    assertChained(all);
  });

  test('begins a new chain behind rows that went unseen', async () => {
    const store = createMemoryStore({ capacity: 3 });
    void store.record?.(callRow());
    await store.audit.list();
    for (let turn = 2; turn <= 8; turn++) void store.record?.(callRow({ turn }));
    const kept = await store.audit.list();
    assert.deepEqual([kept[0]?.seq, kept[0]?.prev], [6, '0'.repeat(64)]);
    assertChained(kept);
  });

  test('refuses one that keeps nothing', () => {
    for (const capacity of [0, -1, 1.5, Number.NaN]) {
      assert.throws(() => createMemoryStore({ capacity }), RangeError);
    }
  });
});
