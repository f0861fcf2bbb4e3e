import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { LineReader } from './line-reader.ts';

const TOO_LONG = Symbol('too long');

function read(bytes: Buffer, sizes: Iterator<number>, maxBytes = 1_000_000): unknown[] {
  const seen: unknown[] = [];
  const reader = new LineReader(maxBytes, {
    line: (text) => seen.push(text),
    tooLong: () => seen.push(TOO_LONG),
  });
  for (let at = 0; at < bytes.length;) {
    const size = (sizes.next().value as number) + 1;
    reader.push(bytes.subarray(at, at + size));
    at += size;
  }
  reader.end();
  return seen;
}

test('gives the same lines whatever the chunks and line ends', () => {
  const line = fc
    .string({ unit: 'grapheme', minLength: 1 })
    .map((text) => text.replaceAll(/[\r\n]/g, '.'));
  const ended = fc.tuple(line, fc.constantFrom('\n', '\r\n', '\n\n', '\r\n\r\n'));
  fc.assert(
    fc.property(fc.array(ended), fc.infiniteStream(fc.nat(9)), (lines, sizes) => {
      const bytes = Buffer.from(lines.flat().join(''));
      assert.deepEqual(
        read(bytes, sizes),
        lines.map(([text]) => text),
      );
    }),
  );
});

test('hands on a last line without an end', () => {
  assert.deepEqual(read(Buffer.from('one\ntwo'), [2, 2, 2].values()), ['one', 'two']);
});

test('drops a line that is too long, says so once and goes on with the next', () => {
  const bytes = Buffer.from(`${'x'.repeat(30)}\nnext\n${'y'.repeat(11)}\n`);
  for (const size of [0, 3, 100]) {
    const sizes = Array.from({ length: 60 }, () => size).values();
    assert.deepEqual(read(bytes, sizes, 10), [TOO_LONG, 'next', TOO_LONG]);
  }
});
