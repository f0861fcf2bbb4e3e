import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { LineSplitter } from './line-splitter.ts';

test('gives the same lines whatever the chunks', () => {
  const line = fc.string({ unit: 'grapheme' }).map((text) => text.replaceAll('\n', ''));
  fc.assert(
    fc.property(fc.array(line), line, fc.infiniteStream(fc.nat(9)), (lines, rest, sizes) => {
      const bytes = Buffer.from([...lines, rest].join('\n'));
      const seen: string[] = [];
      const splitter = new LineSplitter((text) => seen.push(text));
      for (let at = 0; at < bytes.length;) {
        const size = sizes.next().value + 1;
        splitter.push(bytes.subarray(at, at + size));
        at += size;
      }
      assert.deepEqual(seen, lines);
      assert.equal(splitter.pending, Buffer.byteLength(rest));
      splitter.flush();
      assert.deepEqual(seen, rest === '' ? lines : [...lines, rest]);
      assert.equal(splitter.pending, 0);
    }),
  );
});
