import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import * as fc from 'fast-check';
import type { Json, JsonObject } from '../../base/json.ts';
import { compileValidator } from './compile.ts';
import { schemaFaults } from './guard.ts';
import { compilePattern } from './pattern.ts';

const first = (schema: unknown): string => {
  const [fault] = schemaFaults(schema);
  return fault === undefined ? '' : `${fault.path} ${fault.message}`;
};

suite('schemas that cannot be used are refused with a reason', () => {
  const rows: readonly (readonly [string, unknown, RegExp])[] = [
    ['no schema', 5, /object or a boolean/],
    ['a type that does not exist', { type: 'text' }, /type is one of/],
    ['required that is no list', { required: 'a' }, /array of names/],
    ['an empty enum', { enum: [] }, /non-empty/],
    ['a negative length', { minLength: -1 }, /whole number/],
    ['draft-4 exclusiveMinimum', { minimum: 1, exclusiveMinimum: true }, /is a number/],
    ['a step of nothing', { multipleOf: 0 }, /positive/],
    [
      'a reference to a file',
      { properties: { a: { $ref: 'file:///etc/passwd' } } },
      /inside the document/,
    ],
    [
      'a reference to a URL',
      { properties: { a: { $ref: 'https://example.com/s.json' } } },
      /inside the document/,
    ],
    [
      'a reference to nothing',
      { properties: { a: { $ref: '#/$defs/none' } } },
      /points to nothing/,
    ],
    ['a prototype as a name', JSON.parse('{"properties":{"__proto__":{}}}'), /__proto__/],
    ['an empty union', { anyOf: [] }, /non-empty array/],
    ['a pattern that is none', { pattern: '(' }, /pattern|paren/i],
    ['a look-ahead that could backtrack', { pattern: '^(?=.*a)(?=.*b).+$' }, /linear time/],
    ['a back-reference', { pattern: '^(a+)\\1+$' }, /linear time/],
    [
      '20,000 properties',
      {
        properties: Object.fromEntries(
          Array.from({ length: 20_000 }, (_, index) => [`p${index}`, { type: 'string' }]),
        ),
      },
      /nodes/,
    ],
    ['depth 20,000', deep(20_000), /nested deeper/],
    ['an enum of megabytes', { enum: ['x'.repeat(600_000)] }, /characters/],
    [
      'a default of depth 20,000',
      { default: JSON.parse('['.repeat(20_000) + ']'.repeat(20_000)) as Json },
      /nested deeper/,
    ],
  ];
  for (const [what, schema, message] of rows)
    test(what, () => assert.match(first(schema), message));

  test('ordinary schemas pass, circles of local references too', () => {
    assert.deepEqual(
      schemaFaults({
        type: 'object',
        properties: { a: { $ref: '#/$defs/A' } },
        $defs: { A: { type: 'array', items: { $ref: '#/$defs/A' } } },
      }),
      [],
    );
    assert.deepEqual(
      schemaFaults({
        type: 'object',
        properties: { constructor: { type: 'string', pattern: '^[a-z]+$' } },
        required: ['constructor'],
      }),
      [],
    );
  });

  test('anything at all is judged without an exception', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 6 }), (value) => void schemaFaults(value)),
      { numRuns: 1_000 },
    );
  });
});

suite('patterns', () => {
  test('no text can make a pattern hang', () => {
    for (const source of [
      '^(a+)+$',
      '(a|a)*b',
      '^([a-z]+)*$',
      '(x+x+)+y',
      'a+b',
      '^(\\w+\\s?)*$',
    ]) {
      const pattern = compilePattern(source);
      const started = performance.now();
      pattern.test(`${'a'.repeat(60_000)}!`);
      assert.ok(performance.now() - started < 1_500, `${source} took too long`);
    }
  });

  test('native and linear engines agree on plain patterns', () => {
    const texts = [
      '',
      'a',
      'AB-1234',
      'AB-12',
      'x@y.z',
      '中文',
      'a b',
      '2026-01-01',
      'aaaa',
      '\u00a0',
    ];
    for (const source of [
      '^[A-Z]{2}-\\d{4}$',
      '^[^@]+@[^@]+$',
      '^\\p{L}+$',
      '^a*$',
      '^\\S+( \\S+)*$',
      '^\\d{4}-\\d{2}-\\d{2}$',
    ]) {
      for (const text of texts)
        assert.equal(
          compilePattern(source).test(text),
          new RegExp(source, 'u').test(text),
          `${source} on ${JSON.stringify(text)}`,
        );
    }
  });

  test('two patterns in one schema are told apart', () => {
    const validate = compileValidator({
      type: 'object',
      properties: {
        a: { type: 'string', pattern: '^(x+)+$' },
        b: { type: 'string', pattern: '^(y+)+$' },
      },
    });
    assert.equal(validate({ a: 'xx', b: 'yy' }), undefined);
    assert.notEqual(validate({ a: 'yy', b: 'yy' }), undefined);
  });
});

suite('values that could hang or crash a check', () => {
  test('many unique objects are checked in time', () => {
    const validate = compileValidator({
      type: 'object',
      properties: { list: { type: 'array', uniqueItems: true } },
    });
    const list = Array.from({ length: 20_000 }, (_, index) => ({ index }));
    const started = performance.now();
    validate({ list });
    assert.ok(performance.now() - started < 2_000);
  });

  test('inherited names do not count as sent', () => {
    const validate = compileValidator({ type: 'object', properties: {}, required: ['toString'] });
    assert.notEqual(validate({}), undefined);
  });

  test('a meta-schema of another draft is not looked for', () => {
    const validate = compileValidator({
      $schema: 'http://json-schema.org/draft-07/schema#',
      type: 'object',
    });
    assert.equal(validate({}), undefined);
  });
});

function deep(levels: number): JsonObject {
  let schema: JsonObject = { type: 'string' };
  for (let level = 0; level < levels; level++)
    schema = { type: 'object', properties: { a: schema } };
  return schema;
}
