import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import * as fc from 'fast-check';
import type { Json, JsonObject } from '../../base/json.ts';
import { compileCleaner, type CleanRules } from './clean.ts';
import { compileValidator } from './compile.ts';

const RULES: CleanRules = { aliases: {}, defaults: {}, write: false };

const SCHEMA: JsonObject = {
  type: 'object',
  properties: {
    title: { type: 'string' },
    count: { type: 'integer' },
    price: { type: 'number' },
    done: { type: 'boolean' },
    tags: { type: 'array', items: { type: 'string' } },
    place: {
      type: 'object',
      properties: { x: { type: 'integer' }, y: { type: 'integer', default: 0 } },
      required: ['x'],
      additionalProperties: false,
    },
    note: { type: ['string', 'null'] },
    size: { anyOf: [{ type: 'integer' }, { type: 'null' }] },
    either: { anyOf: [{ type: 'string' }, { type: 'integer' }] },
    limit: { type: 'integer', default: 10 },
    parentFolderId: { type: 'string' },
    open: { type: 'object' },
    points: { type: 'array', items: { type: 'object', properties: { x: { type: 'number' } } } },
  },
  required: ['title'],
  additionalProperties: false,
};

interface Row {
  readonly what: string;
  readonly send: JsonObject;
  readonly get?: JsonObject;
  readonly rules?: Partial<CleanRules>;
  readonly warns?: RegExp;
  readonly refuses?: RegExp;
}

const base = { title: 'x', limit: 10 };
const TABLE: readonly Row[] = [
  { what: 'what fits stays', send: { ...base, count: 5 }, get: { ...base, count: 5 } },
  { what: 'a default fills in', send: { title: 'x' }, get: base },
  { what: 'null is absent where null is not allowed', send: { ...base, count: null }, get: base },
  { what: 'null takes the default', send: { title: 'x', limit: null }, get: base },
  {
    what: 'null stays where it is allowed',
    send: { ...base, note: null, size: null },
    get: { ...base, note: null, size: null },
  },
  {
    what: 'null for a required field stays for the validator',
    send: { ...base, title: null },
    get: { ...base, title: null },
  },
  {
    what: 'text that is a whole number',
    send: { ...base, count: ' 5 ' },
    get: { ...base, count: 5 },
  },
  {
    what: 'text that is a whole number in a nullable',
    send: { ...base, size: '5' },
    get: { ...base, size: 5 },
  },
  {
    what: 'text that is 5.0 for a whole number',
    send: { ...base, count: '5.0' },
    get: { ...base, count: 5 },
  },
  {
    what: 'text that is no whole number',
    send: { ...base, count: '5.5' },
    get: { ...base, count: '5.5' },
  },
  {
    what: 'text that is a number',
    send: { ...base, price: '1.5e2' },
    get: { ...base, price: 150 },
  },
  {
    what: 'text that no double holds exactly',
    send: { ...base, count: '12345678901234567890' },
    get: { ...base, count: '12345678901234567890' },
  },
  {
    what: 'text that is nearly a number',
    send: { ...base, count: '5 items' },
    get: { ...base, count: '5 items' },
  },
  {
    what: 'text that is hexadecimal',
    send: { ...base, count: '0x10' },
    get: { ...base, count: '0x10' },
  },
  { what: 'empty text is no number', send: { ...base, count: '' }, get: { ...base, count: '' } },
  { what: 'text that is a boolean', send: { ...base, done: 'True' }, get: { ...base, done: true } },
  {
    what: 'text that is no boolean',
    send: { ...base, done: 'yes' },
    get: { ...base, done: 'yes' },
  },
  { what: 'a number is no boolean', send: { ...base, done: 1 }, get: { ...base, done: 1 } },
  { what: 'text that is a list', send: { ...base, tags: '["a"]' }, get: { ...base, tags: ['a'] } },
  {
    what: 'text that is an object, cleaned inside',
    send: { ...base, place: '{"x":"1"}' },
    get: { ...base, place: { x: 1, y: 0 } },
  },
  {
    what: 'text that is broken JSON',
    send: { ...base, tags: '["a"' },
    get: { ...base, tags: '["a"' },
  },
  {
    what: 'text stays where text is allowed',
    send: { ...base, title: '{"a":1}', either: '5' },
    get: { ...base, title: '{"a":1}', either: '5' },
  },
  {
    what: 'inside lists of objects',
    send: { ...base, points: [{ x: '1' }, { x: 2 }] },
    get: { ...base, points: [{ x: 1 }, { x: 2 }] },
  },
  {
    what: 'an open object is left alone',
    send: { ...base, open: { any: '5' } },
    get: { ...base, open: { any: '5' } },
  },
  {
    what: 'an alias',
    send: { ...base, name: 'y', title: null },
    rules: { aliases: { name: 'title' } },
    get: { ...base, title: 'y' },
  },
  {
    what: 'an alias with the same value',
    send: { ...base, name: 'x' },
    rules: { aliases: { name: 'title' } },
    get: base,
  },
  {
    what: 'an alias that contradicts, on a read',
    send: { ...base, name: 'y' },
    rules: { aliases: { name: 'title' } },
    get: base,
    warns: /title was used/,
  },
  {
    what: 'an alias that contradicts, on a write',
    send: { ...base, name: 'y' },
    rules: { aliases: { name: 'title' }, write: true },
    refuses: /different values/,
  },
  {
    what: 'an extra field on a read',
    send: { ...base, zzz: 1 },
    get: base,
    warns: /zzz is not a parameter and was left out/,
  },
  {
    what: 'an extra field on a write',
    send: { ...base, zzz: 1 },
    rules: { write: true },
    refuses: /zzz is not a parameter, and nothing is dropped/,
  },
  {
    what: 'a near miss on a read',
    send: { ...base, folderId: 'f' },
    refuses: /folderId.*did you mean parentFolderId/s,
  },
  {
    what: 'a near miss in the spelling',
    send: { ...base, titel: 'f' },
    refuses: /did you mean title/,
  },
  {
    what: 'an extra field inside',
    send: { ...base, place: { x: 1, zzz: 1 } },
    get: { ...base, place: { x: 1, y: 0 } },
    warns: /place\.zzz/,
  },
  {
    what: 'a business default goes before the schema’s',
    send: { title: 'x' },
    rules: { defaults: { limit: '7' } },
    get: { title: 'x', limit: 7 },
  },
  {
    what: 'what the caller sends goes before any default',
    send: { title: 'x', limit: 3 },
    rules: { defaults: { limit: 7 } },
    get: { title: 'x', limit: 3 },
  },
  {
    what: 'a prototype key',
    send: JSON.parse('{"title":"x","limit":10,"__proto__":{"a":1}}') as JsonObject,
    get: base,
    warns: /__proto__/,
  },
  ...['{"open":{"a":[{"__proto__":1}]}}', '{"open":"{\\"a\\":[{\\"__proto__\\":1}]}"}'].flatMap(
    (text): readonly Row[] => {
      const send = { title: 'x', limit: 10, ...(JSON.parse(text) as JsonObject) };
      const kept = { ...base, open: { a: [{}] } };
      return [
        {
          what: 'a prototype key where anything goes',
          send,
          get: kept,
          warns: /open\.a\.0\.__pro/,
        },
        {
          what: 'a prototype key where anything goes, on a write',
          send,
          rules: { write: true },
          refuses: /open\.a\.0\.__proto__ is not a parameter, and nothing is dropped from a write/,
        },
      ];
    },
  ),
  {
    what: 'a prototype key on a write',
    send: JSON.parse('{"title":"x","limit":10,"__proto__":{"a":1}}') as JsonObject,
    rules: { write: true },
    refuses: /^__proto__ is not a parameter/,
  },
  { what: 'an inherited name', send: { ...base, constructor: 1 }, get: base, warns: /constructor/ },
];

suite('cleaning', () => {
  for (const { what, send, get, rules, warns, refuses } of TABLE) {
    test(what, () => {
      const before = JSON.stringify(send);
      const { params, warnings, violations } = compileCleaner(SCHEMA, { ...RULES, ...rules })(send);
      const refused = violations
        .map(({ message, suggestion }) => `${message} ${suggestion ?? ''}`)
        .join('\n');
      if (refuses === undefined) assert.equal(refused, '');
      else assert.match(refused, refuses);
      if (get !== undefined) assert.deepEqual(params, get);
      if (warns === undefined) assert.deepEqual(warnings, []);
      else assert.match(warnings.join('\n'), warns);
      assert.equal(JSON.stringify(send), before, 'the caller’s own object must not change');
      assert.equal(Object.getPrototypeOf(params), Object.prototype);
    });
  }

  test('a member of an enumeration is known in any case, where only one can be meant', () => {
    const schema: JsonObject = {
      type: 'object',
      properties: {
        level: { type: 'string', enum: ['low', 'High'] },
        unit: { enum: ['m', 'M', 'km', null] },
        list: { type: 'array', items: { type: 'string', enum: ['A'] } },
      },
    };
    const clean = compileCleaner(schema, RULES);
    assert.deepEqual(clean({ level: ' HIGH ', unit: 'KM', list: ['a', 'b'] }).params, {
      level: 'High',
      unit: 'km',
      list: ['A', 'b'],
    });
    for (const kept of ['m', 'M', 'mm']) assert.equal(clean({ unit: kept }).params['unit'], kept);
    const send = { level: 'low', unit: null };
    assert.equal(clean(send).params, send);
  });

  test('a default of a type that is not allowed is none', () => {
    const schema: JsonObject = {
      type: 'object',
      properties: {
        list: { type: 'array', default: null },
        text: { type: 'string', default: 5 },
        count: { type: 'integer', default: '5' },
        free: { type: ['array', 'null'], default: null },
      },
    };
    assert.deepEqual(compileCleaner(schema, RULES)({}).params, { count: 5, free: null });
  });

  test('a valid call comes back as the very same object', () => {
    const send = { title: 'x', limit: 1, tags: ['a'], place: { x: 1, y: 2 } };
    assert.equal(compileCleaner(SCHEMA, RULES)(send).params, send);
  });

  test('an open root lets everything pass, a pattern what it matches, a branch its own members', () => {
    const clean = (schema: JsonObject, send: JsonObject): JsonObject =>
      compileCleaner(schema, RULES)(send).params;
    assert.deepEqual(
      clean({ type: 'object', additionalProperties: true, properties: {} }, { any: 1 }),
      { any: 1 },
    );
    assert.deepEqual(
      clean(
        { type: 'object', patternProperties: { '^x-': {} }, additionalProperties: false },
        { 'x-a': 1, b: 2 },
      ),
      { 'x-a': 1 },
    );
    const branches: JsonObject = {
      type: 'object',
      properties: { kind: { type: 'string' } },
      oneOf: [
        { properties: { a: { type: 'integer' } } },
        { properties: { b: { type: 'integer' } } },
      ],
    };
    assert.deepEqual(clean(branches, { kind: 'a', a: '1', b: 2, zzz: 3 }), {
      kind: 'a',
      a: 1,
      b: 2,
    });
    const referred: JsonObject = {
      type: 'object',
      properties: { p: { $ref: '#/$defs/P' } },
      $defs: {
        P: { type: 'object', properties: { n: { type: 'integer' }, next: { $ref: '#/$defs/P' } } },
      },
    };
    assert.deepEqual(clean(referred, { p: { n: '1', next: { n: '2' } } }), {
      p: { n: 1, next: { n: 2 } },
    });
  });

  const values = fc.oneof(
    fc.constant(null),
    fc.boolean(),
    fc.integer(),
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.constantFrom('5', 'true', '[]', '{"x":"1"}', 'text', ''),
    fc.array(fc.constantFrom<Json>('1', 2, null)),
    fc.constant<Json>({ x: '1', q: 2 }),
  );
  const calls = fc.dictionary(
    fc.constantFrom(...Object.keys(SCHEMA['properties'] as JsonObject), 'zzz', 'folderId'),
    values as fc.Arbitrary<Json>,
  );

  test('cleaning what is clean changes nothing more', () => {
    const clean = compileCleaner(SCHEMA, RULES);
    fc.assert(
      fc.property(calls, (call) => {
        const once = clean(call).params;
        assert.equal(clean(once).params, once);
      }),
      { numRuns: 500 },
    );
  });

  test('a call the validator takes keeps its meaning', () => {
    const clean = compileCleaner(SCHEMA, RULES);
    const validate = compileValidator(SCHEMA);
    fc.assert(
      fc.property(calls, (call) => {
        if (validate(call) !== undefined) return;
        const { params, warnings, violations } = clean(call);
        assert.deepEqual([warnings, violations], [[], []]);
        for (const [key, value] of Object.entries(call))
          if (key !== 'place') assert.deepEqual(params[key], value);
        assert.equal(validate(params), undefined);
      }),
      { numRuns: 2_000 },
    );
  });
});
