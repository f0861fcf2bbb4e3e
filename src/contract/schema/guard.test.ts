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
    ['a root that is itself', { $ref: '#' }, /leads back to itself/],
    [
      'references in a circle',
      {
        properties: { a: { $ref: '#/$defs/a' } },
        $defs: {
          a: { $ref: '#/$defs/b' },
          b: { anyOf: [{ type: 'null' }, { $ref: '#/$defs/a' }] },
        },
      },
      /leads back to itself/,
    ],
    [
      'a circle that only an item reaches',
      { items: { not: { allOf: [{ if: { $ref: '#/items' } }] } } },
      /leads back to itself/,
    ],
    ['a name that nothing has', { properties: { a: { $ref: '#gone' } } }, /cannot be followed/],
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

suite('what is not refused compiles, and judges any value', () => {
  const values: readonly Json[] = [{}, { a: { a: { b: 1 } } }, { b: [] }, 'x', null];
  const judge = (schema: JsonObject): void => {
    const validate = compileValidator(schema);
    for (const value of values) validate(value);
  };

  test('references, anchors, recursion, ids', () => {
    const list: JsonObject = { type: 'object', properties: { next: { $ref: '#' } } };
    assert.equal(schemaFaults(list).length, 0);
    assert.equal(compileValidator(list)({ next: { next: 1 } })?.[0]?.path, '/next/next');
    for (const schema of [
      { properties: { a: { $anchor: 'x', type: 'string' }, b: { $ref: '#x' } } },
      { properties: { a: { $dynamicRef: '#node' } } },
      { $id: 'http://a.b/c', properties: { a: { $ref: '#/$defs/q' } }, $defs: { q: {} } },
      { properties: { a: { $id: 'urn:x', items: { $ref: '#/$defs/q' } } }, $defs: { q: {} } },
    ]) {
      assert.deepEqual(schemaFaults(schema), [], JSON.stringify(schema));
      // Another skill may well use the same id for something else.
      judge(schema);
      judge({ ...schema, title: 'other' });
    }
  });

  test('whatever is made of references and unions', () => {
    const pointers = ['#', '#/$defs/p', '#/$defs/q', '#/properties/a', '#/items', '#p'];
    const { schema } = fc.letrec<{ schema: JsonObject }>((tie) => ({
      schema: fc.oneof(
        { maxDepth: 4, withCrossShrink: true },
        fc.constantFrom<JsonObject>({ type: 'string' }, { type: 'object' }, {}),
        fc.record({ $ref: fc.constantFrom(...pointers) }),
        fc.record({ anyOf: fc.array(tie('schema'), { minLength: 1, maxLength: 2 }) }),
        fc.record({ not: tie('schema'), if: tie('schema') }, { requiredKeys: [] }),
        fc.record({ items: tie('schema') }),
        fc.record({ properties: fc.record({ a: tie('schema'), b: tie('schema') }) }),
      ),
    }));
    let usable = 0;
    fc.assert(
      fc.property(schema, schema, schema, (root, p, q) => {
        const whole: JsonObject = { ...root, $defs: { p, q } };
        if (schemaFaults(whole).length > 0) return;
        usable++;
        judge(whole);
      }),
      { numRuns: 1_000 },
    );
    assert.ok(usable > 100);
  });
});
