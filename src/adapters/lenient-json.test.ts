import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import * as fc from 'fast-check';
import { parseArguments } from './parse-arguments.ts';

/** What becomes of arguments: JSON, or the reason why not. */
function read(sent: unknown, write = false): string {
  const parsed = parseArguments(sent, write);
  return parsed.ok ? JSON.stringify(parsed.value) : parsed.reason;
}

suite('arguments as models send them', () => {
  const rows: readonly (readonly [what: string, sent: unknown, read: string, write: string])[] = [
    ['an object', { a: 1 }, '{"a":1}', '{"a":1}'],
    ['its text', ' {"a": 1}\n', '{"a":1}', '{"a":1}'],
    ['nothing', '', '{}', '{}'],
    ['white space', ' \n', '{}', '{}'],
    ['null', 'null', '{}', '{}'],
    ['absent', undefined, '{}', '{}'],
    ['a fence', '```json\n{"a":1}\n```', '{"a":1}', '{"a":1}'],
    ['a fence without a language', '```\n{"a":1}```', '{"a":1}', '{"a":1}'],
    ['an open fence', '```json\n{"a":1}', 'truncated', 'truncated'],
    ['doubled encoding', '"{\\"a\\":1}"', '{"a":1}', '{"a":1}'],
    ['a byte order mark', '\uFEFF{"a":1}', '{"a":1}', '{"a":1}'],
    ['a trailing comma', '{"a":[1,],}', '{"a":[1]}', '{"a":[1]}'],
    ['Python’s words', '{"a": True, "b": None}', '{"a":true,"b":null}', '{"a":true,"b":null}'],
    ['a raw line break in a text', '{"a":"x\ny"}', '{"a":"x\\ny"}', '{"a":"x\\ny"}'],
    ['escaped breaks outside texts', '{\\n"a": 1\\n}', '{"a":1}', '{"a":1}'],
    ['words around', 'Sure: {"a":1} done.', '{"a":1}', 'prose'],
    ['single quotes', "{'a': 'x'}", '{"a":"x"}', 'single_quotes'],
    ['typographic quotes', '{\u201Ca\u201D: 1}', '{"a":1}', 'smart_quotes'],
    ['names without quotes', '{a: 1}', '{"a":1}', 'unquoted_keys'],
    ['a comment', '{"a":1 /* one */}', '{"a":1}', 'comments'],
    ['the same twice', '{"a":1}{"a":1}', '{"a":1}', 'sent_twice'],
    ['two different', '{"a":1}{"a":2}', 'several_payloads', 'several_payloads'],
    ['two in lines', '{"a":1}\n{"b":2}', 'several_payloads', 'several_payloads'],
    ['cut in a text', '{"a":"x', 'truncated', 'truncated'],
    ['cut behind a comma', '{"a":1,', 'truncated', 'truncated'],
    ['cut in a word', '{"a":tru', 'truncated', 'truncated'],
    ['quotes in quotes', '{"a":"f("K", "d")"}', 'ambiguous', 'ambiguous'],
    ['a path of Windows', '{"a":"C:\\proj\\data"}', 'invalid_escape', 'invalid_escape'],
    ['one name, two values', '{"a":1,"a":2}', 'duplicate_key', 'duplicate_key'],
    ['one name, one value, twice', '{"a":1,"a":1}', '{"a":1}', '{"a":1}'],
    ['a list', '[{"a":1}]', 'not_an_object', 'not_an_object'],
    ['a number', '5', 'not_json', 'not_json'],
    ['words alone', 'I will call it', 'not_json', 'not_json'],
    ['not a number', '{"a":NaN}', 'not_json', 'not_json'],
    ['infinity', '{"a":1e999}', 'number_out_of_range', 'number_out_of_range'],
    [
      'a whole number beyond 2^53',
      '{"a":12345678901234567890}',
      '{"a":"12345678901234567890"}',
      '{"a":"12345678901234567890"}',
    ],
    ['XML', '<a>1</a>', 'not_json', 'not_json'],
    ['no object at all', 5, 'not_an_object', 'not_an_object'],
    ['a list as a value', [1], 'not_an_object', 'not_an_object'],
    ['too much', `{"a":"${'x'.repeat(1_100_000)}"}`, 'too_large', 'too_large'],
    ['too deep', `{ "a": ${'['.repeat(300)}1${']'.repeat(300)}}`, 'too_deep', 'too_deep'],
    ['far too deep', `${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`, 'too_deep', 'too_deep'],
  ];
  for (const [what, sent, expected, write] of rows) {
    test(what, () => {
      assert.equal(read(sent), expected);
      assert.equal(read(sent, true), write);
    });
  }

  // A text never ends by itself: only what is all there is read.
  const object = fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 2 }), { minKeys: 1 });

  test('JSON is read as JSON.parse reads it', () => {
    fc.assert(
      fc.property(object, (value) => {
        const text = JSON.stringify(value);
        if (/\d{16}|e\+?\d{3}/.test(text)) return;
        assert.equal(read(text, true), JSON.stringify(JSON.parse(text)));
        assert.equal(read(JSON.stringify(text), true), JSON.stringify(JSON.parse(text)));
      }),
    );
  });

  test('nothing that was cut off is ever completed', () => {
    fc.assert(
      fc.property(object, fc.nat(), (value, at) => {
        for (const whole of [
          JSON.stringify(value),
          `\`\`\`json\n${JSON.stringify(value)}\n\`\`\``,
          JSON.stringify(JSON.stringify(value)),
        ]) {
          const end = whole.lastIndexOf('}');
          const cut = whole.slice(0, 1 + (at % end));
          const parsed = parseArguments(cut, false);
          assert.ok(!parsed.ok, `${cut} was read`);
        }
      }),
      { numRuns: 500 },
    );
  });

  test('whatever comes is read or refused, never thrown at', () => {
    const odd = fc.oneof(
      fc.string(),
      fc.string({
        unit: fc.constantFrom('{', '}', '"', ',', ':', '\\', "'", 'a', '1', '[', ']', '`', '\n'),
      }),
    );
    fc.assert(
      fc.property(odd, fc.boolean(), (text, write) => void parseArguments(text, write)),
      { numRuns: 3_000 },
    );
  });
});
