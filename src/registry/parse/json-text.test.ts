import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import * as fc from 'fast-check';
import { parseJsonText } from './json-text.ts';

suite('parseJsonText', () => {
  const rows: readonly (readonly [string, string, number, RegExp])[] = [
    ['a comma too many', '{\n  "a": 1,\n}', 3, /line 3, column 1: .*property name/],
    ['a comma too few', '{\n  "a": 1\n  "b": 2\n}', 3, /line 3, column 3: Expected ','/],
    [
      'a word that is none',
      '{\n  "a": 1,\n  "b": tru\n}',
      3,
      /line 3, column 11: Unexpected token/,
    ],
    ['a name without quotes', '{\n a: 1}', 2, /line 2, column 2/],
    ['a comment', '// hello\n{}', 1, /line 1, column 1: Unexpected token '\/'/],
    ['a text that does not end', '{"a": "b', 1, /line 1, column 9: Unterminated string/],
    ['an end that does not come', '{"a": [1,\n2', 2, /line 2, column 2/],
    ['nothing', '', 1, /line 1, column 1: Unexpected end/],
    ['something after the end', '{}\n\n}', 3, /line 3, column 1/],
    ['Windows line ends', '{\r\n  "a": oops\r\n}', 2, /line 2, column 8/],
  ];
  for (const [what, text, line, message] of rows)
    test(`${what}: line and column`, () => {
      const read = parseJsonText(text);
      assert.ok('message' in read);
      assert.match(read.message, message);
      assert.match(read.message, /Correct it\.$/);
      assert.equal(read.line, line);
    });

  test('a sign that fits nowhere is found wherever it stands between values', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.nat(), (value, seed) => {
        const text = JSON.stringify(value, null, 1);
        const places = [...text.matchAll(/"[^"\\]*(?:\\.[^"\\]*)*"|([[\]{},:])/g)]
          .filter(([, sign]) => sign !== undefined)
          .map(({ index }) => index);
        const at = places[seed % places.length] ?? 0;
        const read = parseJsonText(`${text.slice(0, at)}%${text.slice(at)}`);
        assert.ok('message' in read);
        assert.equal(read.line, text.slice(0, at).split('\n').length);
      }),
      { numRuns: 300 },
    );
  });

  test('JSON is read, without prototypes', () => {
    assert.deepEqual(parseJsonText('{"a": [1, {"__proto__": {"b": 1}}]}'), {
      value: { a: [1, {}] },
    });
  });
});
