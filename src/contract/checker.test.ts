import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import * as fc from 'fast-check';
import type { Json, JsonObject } from '../base/json.ts';
import { compileChecker } from './checker.ts';
import type { Contract } from './contract.ts';
import type { Rule } from './rules.ts';

function contract(parameters: JsonObject, more: Partial<Contract> = {}): Contract {
  return {
    name: 'demo.check',
    version: '1.0.0',
    description: 'd',
    purpose: 'p',
    tags: [],
    preconditions: [],
    related: [],
    side_effect: { kind: 'read' },
    parameters,
    rules: { none: 'test' },
    aliases: {},
    errors: [],
    secrets: [],
    examples: [],
    queries: [],
    dependencies: [],
    permissions: [],
    policy: {},
    executor: { kind: 'module' },
    ...more,
  };
}

const SECRET = 'canary-Zx81-value';

suite('what is wrong with parameters', () => {
  const rows: readonly (readonly [string, JsonObject, JsonObject, string, RegExp])[] = [
    [
      'missing',
      { properties: { a: { type: 'string', description: 'The name.' } }, required: ['a'] },
      {},
      'required',
      /a is missing.*send a: string \(The name\.\)/,
    ],
    [
      'type',
      { properties: { a: { type: 'integer', minimum: 1 } } },
      { a: SECRET },
      'type',
      /a must be integer.*minimum 1/,
    ],
    [
      'enum',
      { properties: { a: { enum: ['pdf', 'html'] } } },
      { a: 'pfd' },
      'enum',
      /one of "pdf", "html".*did you mean "pdf"\?/,
    ],
    [
      'enum far off',
      { properties: { a: { enum: ['pdf', 'html'] } } },
      { a: SECRET },
      'enum',
      /one of "pdf", "html"/,
    ],
    [
      'format',
      { properties: { a: { type: 'string', format: 'date' } } },
      { a: SECRET },
      'format',
      /valid date.*2026-03-31/,
    ],
    [
      'pattern',
      { properties: { a: { type: 'string', pattern: '^[A-Z]+$' } } },
      { a: SECRET },
      'pattern',
      /a must match pattern/,
    ],
    [
      'bounds',
      { properties: { a: { type: 'number', maximum: 5 } } },
      { a: 9 },
      'maximum',
      /a must be <= 5/,
    ],
    [
      'length',
      { properties: { a: { type: 'string', maxLength: 3 } } },
      { a: SECRET },
      'maxLength',
      /NOT have more than 3/,
    ],
    [
      'items',
      { properties: { a: { type: 'array', uniqueItems: true } } },
      { a: [SECRET, SECRET] },
      'uniqueItems',
      /same item twice/,
    ],
    [
      'inside',
      {
        properties: {
          a: { type: 'array', items: { type: 'object', properties: { b: { type: 'integer' } } } },
        },
      },
      { a: [{ b: SECRET }] },
      'type',
      /a\.0\.b must be integer/,
    ],
    [
      'union',
      { properties: { a: { anyOf: [{ type: 'integer' }, { type: 'boolean' }] } } },
      { a: SECRET },
      'anyOf',
      /none of the allowed forms/,
    ],
    ['const', { properties: { a: { const: 5 } } }, { a: SECRET }, 'const', /equal to constant/],
  ];
  for (const [what, schema, params, rule, told] of rows) {
    test(what, () => {
      const violations =
        compileChecker(contract({ type: 'object', ...schema }), {}).check(params, 0) ?? [];
      assert.equal(violations[0]?.rule, rule);
      const text = violations
        .map(({ message, suggestion }) => `${message} ${suggestion ?? ''}`)
        .join('\n');
      assert.match(text, told);
      assert.ok(!JSON.stringify(violations).includes(SECRET), 'a received value was repeated');
    });
  }
});

suite('business rules', () => {
  const schema: JsonObject = {
    type: 'object',
    properties: { from: {}, to: {}, kind: {}, a: {}, b: {} },
  };
  const broken = (rule: Omit<Rule, 'id' | 'message'>, params: JsonObject): string | undefined =>
    compileChecker(contract(schema, { rules: [{ id: 'r', message: 'm', ...rule }] }), {}).check(
      params,
      Date.UTC(2026, 2, 31),
    )?.[0]?.path;
  test('compare', () => {
    const order: Omit<Rule, 'id' | 'message'> = {
      compare: [{ param: 'from' }, '<=', { param: 'to' }],
    };
    assert.equal(broken(order, { from: '2026-02-01', to: '2026-01-01' }), '/from');
    assert.equal(broken(order, { from: '2026-01-01', to: '2026-01-01' }), undefined);
    assert.equal(
      broken(order, { from: '2026-01-01' }),
      undefined,
      'what is absent breaks no comparison',
    );
    assert.equal(
      broken(order, { from: 1, to: 'x' }),
      '/from',
      'what cannot be compared does not hold',
    );
    assert.equal(
      broken(order, { from: '2026-01-01T10:00:00+02:00', to: '2026-01-01T09:00:00Z' }),
      undefined,
      'zones count',
    );
    assert.equal(
      broken({ compare: [{ param: 'to' }, '<', { today: 1 }] }, { to: '2026-03-31' }),
      undefined,
    );
    assert.equal(
      broken({ compare: [{ param: 'to' }, '<', { today: 0 }] }, { to: '2026-03-31' }),
      '/to',
    );
    assert.equal(broken({ compare: [{ param: 'a' }, '!=', { value: 5 }] }, { a: 5 }), '/a');
  });
  test('presence', () => {
    assert.equal(broken({ require: ['a', 'b'] }, { a: 1 }), '/b');
    assert.equal(broken({ forbid: ['b'] }, { b: 1 }), '/b');
    assert.equal(broken({ one_of: ['a', 'b'] }, { a: 1, b: 1 }), '/a');
    assert.equal(broken({ one_of: ['a', 'b'] }, { b: 1 }), undefined);
    assert.equal(broken({ any_of: ['a', 'b'] }, {}), '/a');
  });
  test('when', () => {
    const rule: Omit<Rule, 'id' | 'message'> = { when: { kind: { equals: 'x' } }, require: ['a'] };
    assert.equal(broken(rule, { kind: 'y' }), undefined);
    assert.equal(broken(rule, { kind: 'x' }), '/a');
    assert.equal(broken({ when: { a: { present: true } }, require: ['b'] }, {}), undefined);
    assert.equal(
      broken({ when: { kind: { in: ['x', 'y'] } }, require: ['a'] }, { kind: 'y' }),
      '/a',
    );
  });
});

suite('examples', () => {
  test('the contract’s own example goes first, a made one else, neither shows a secret', () => {
    const schema: JsonObject = {
      type: 'object',
      properties: { a: { type: 'integer' }, pin: { type: 'string', writeOnly: true } },
      required: ['a', 'pin'],
    };
    const own = contract(schema, { examples: [{ description: '', input: { a: 7, pin: SECRET } }] });
    assert.deepEqual(compileChecker(own, {}).example(), { a: 7, pin: '<secret>' });
    assert.deepEqual(compileChecker(contract(schema), {}).example(), { a: 1, pin: '<secret>' });
    assert.deepEqual(compileChecker(own, {}).shown({ a: 1, pin: SECRET }), {
      a: 1,
      pin: '<secret>',
    });
  });

  const leaf = fc.oneof(
    fc.record({ type: fc.constant('integer'), minimum: fc.integer({ min: -50, max: 50 }) }),
    fc.record({ type: fc.constant('number'), exclusiveMaximum: fc.integer({ min: -50, max: 50 }) }),
    fc.record({
      type: fc.constant('string'),
      minLength: fc.nat(12),
      format: fc.constantFrom('date', 'email', 'uri', 'uuid', 'time'),
    }),
    fc.record({ type: fc.constant('string'), minLength: fc.nat(12) }),
    fc.record({ enum: fc.uniqueArray(fc.oneof(fc.string(), fc.integer()), { minLength: 1 }) }),
    fc.record({
      type: fc.constant('array'),
      minItems: fc.nat(3),
      items: fc.constant({ type: 'boolean' }),
    }),
  );
  test('what is shown as valid is valid', () => {
    fc.assert(
      fc.property(
        fc.dictionary(fc.stringMatching(/^[a-z]{1,6}$/), leaf, { maxKeys: 5 }),
        (properties) => {
          const checker = compileChecker(
            contract({
              type: 'object',
              properties: properties,
              required: Object.keys(properties),
              additionalProperties: false,
            }),
            {},
          );
          const example = checker.example();
          if (example === undefined) return;
          const { params, violations } = checker.clean(example);
          assert.deepEqual([violations, checker.check(params, 0)], [[], undefined]);
        },
      ),
      { numRuns: 150 },
    );
  });
});

suite('parameters that are sound', () => {
  const closed = (properties: JsonObject, more: JsonObject = {}): JsonObject => ({
    type: 'object',
    properties,
    additionalProperties: false,
    ...more,
  });
  /** A schema and a value that is often right by it. */
  interface Pair {
    readonly schema: JsonObject;
    readonly value: Json;
  }
  const pair = (schema: JsonObject, ...values: readonly Json[]): fc.Arbitrary<Pair> =>
    fc.constantFrom(...values).map((value) => ({ schema, value }));
  const odd: readonly Json[] = [
    '1',
    'true',
    null,
    '{"a":1}',
    JSON.parse('{"__proto__":1}') as Json,
  ];
  const { node } = fc.letrec<{ node: Pair }>((tie) => ({
    node: fc.oneof(
      { maxDepth: 3 },
      pair({ type: 'string' }, 'a', '1', 'null'),
      pair({ type: 'integer', minimum: 0 }, 1, 0),
      pair({ type: ['number', 'null'] }, 1.5, null),
      pair({ type: 'boolean' }, true, false),
      pair({ type: 'string', enum: ['a', 'b'] }, 'a'),
      pair({ type: 'string', default: 'd' }, 'a'),
      pair({ anyOf: [{ type: 'integer' }, { type: 'string' }] }, 1, '1'),
      pair({ type: 'object' }, {}, ...odd),
      pair({ type: 'string' }, ...odd),
      pair({ type: ['array', 'string'], items: { type: 'string' } }, '[1]', ['a']),
      tie('node').map(({ schema, value }) => ({
        schema: { type: 'array', items: schema },
        value: [value, value],
      })),
      fc.record({ a: tie('node'), b: tie('node') }).map(({ a, b }) => ({
        schema: closed({ a: a.schema, b: b.schema }),
        value: { a: a.value, b: b.value },
      })),
      tie('node').map(({ schema, value }) => ({
        schema: { type: 'object', properties: { a: schema } },
        value: { a: value, z: value },
      })),
    ),
  }));

  test('are clean and valid as they are', () => {
    let sound = 0;
    fc.assert(
      fc.property(node, node, fc.boolean(), (a, b, write) => {
        const checker = compileChecker(
          contract(
            closed({ a: a.schema, b: b.schema }),
            write ? { side_effect: { kind: 'write' } } : {},
          ),
          {},
        );
        const params: JsonObject = { a: a.value, b: b.value };
        if (!checker.isSound(params)) return;
        sound++;
        const cleaned = checker.clean(params);
        assert.equal(cleaned.params, params);
        assert.deepEqual([cleaned.warnings, cleaned.violations], [[], []]);
        assert.equal(checker.check(params, 0), undefined);
      }),
      { numRuns: 500 },
    );
    assert.ok(sound > 50, `${sound}`);
  });

  test('are recognised where it matters: a closed contract and a right call', () => {
    const parameters = closed(
      {
        a: { type: 'string' },
        n: { type: 'integer', default: 1 },
        list: { type: 'array', items: closed({}) },
      },
      { required: ['a'] },
    );
    const checker = compileChecker(contract(parameters), {});
    assert.equal(checker.isSound({ a: 'x', n: 2, list: [{}] }), true);
    // A default is missing, a field is too many, a text is a number.
    for (const params of [{ a: 'x' }, { a: 'x', n: 2, z: 1 }, { a: 'x', n: '2' }])
      assert.equal(checker.isSound(params), false);
    assert.equal(compileChecker(contract({ type: 'object' }), {}).isSound({}), false);
  });
});
