import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import type { JsonObject } from '../base/json.ts';
import { compileChecker } from '../contract/checker.ts';
import type { Contract } from '../contract/contract.ts';
import { extremesOf } from './extremes.ts';

function contractOf(
  parameters: JsonObject,
  kind: 'read' | 'write',
  given: Partial<Contract> = {},
): Contract {
  return {
    name: 'task.create',
    version: '1.0.0',
    description: 'Creates a task.',
    tags: [],
    purpose: 'testing',
    preconditions: [],
    related: [],
    side_effect: { kind },
    parameters: { type: 'object', additionalProperties: false, ...parameters },
    rules: { none: 'a probe' },
    aliases: {},
    errors: [],
    secrets: [],
    examples: [],
    queries: [],
    dependencies: [],
    permissions: [],
    policy: {},
    executor: { kind: 'module' },
    ...given,
  };
}

const RICH: JsonObject = {
  $defs: { day: { type: 'string', format: 'date' } },
  properties: {
    title: { type: 'string', minLength: 2, maxLength: 10, pattern: '^[a-z ]+$' },
    due: { $ref: '#/$defs/day' },
    priority: { enum: ['low', 'high'] },
    effort: { type: 'integer', minimum: 1, exclusiveMaximum: 100 },
    urgent: { type: 'boolean' },
    tags: { type: 'array', minItems: 1, maxItems: 3, items: { type: 'string', minLength: 1 } },
    owner: {
      type: 'object',
      properties: { id: { type: 'integer' }, nick: { type: ['string', 'null'] } },
      required: ['id', 'nick'],
    },
  },
  required: ['title', 'due', 'priority', 'effort', 'tags', 'owner'],
};

const VALID: JsonObject = {
  title: 'paper',
  due: '2026-03-31',
  priority: 'low',
  effort: 3,
  tags: ['a'],
  owner: { id: 1, nick: null },
};

function labels(
  contract: Contract,
  valid: JsonObject,
  defaults: JsonObject = {},
): readonly string[] {
  return extremesOf(contract, valid, defaults).map(({ label }) => label);
}

suite('extremesOf', () => {
  for (const kind of ['read', 'write'] as const) {
    test(`everything it makes of a rich ${kind} contract is invalid after cleaning`, () => {
      const contract = contractOf(RICH, kind);
      const checker = compileChecker(contract, {});
      assert.deepEqual(checker.check(checker.clean(VALID).params, 0), undefined);
      const extremes = extremesOf(contract, VALID, {});
      assert.ok(extremes.length > 40, `${extremes.length} cases`);
      for (const { label, params } of extremes) {
        const { params: cleaned, violations } = checker.clean(params);
        assert.ok(violations.length > 0 || checker.check(cleaned, 0) !== undefined, label);
      }
    });
  }

  test('it covers every way to be wrong', () => {
    const found = labels(contractOf(RICH, 'write'), VALID);
    for (const label of [
      'title is missing',
      'title is null',
      'title is number',
      'title is too short',
      'title is too long',
      'title does not match the pattern',
      'due is no date',
      'priority is outside the enum',
      'effort is under the minimum',
      'effort is at the exclusive maximum',
      'effort is string',
      'urgent is string',
      'tags has too few items',
      'tags has too many items',
      'tags.0 is too short',
      'owner.id is missing',
      'owner.id is string',
      'zz_unheard_of is not declared',
      'title_x is a near miss',
      'owner.zz_unheard_of is not declared',
    ])
      assert.ok(found.includes(label), label);
  });

  test('it leaves out what cleaning may mend', () => {
    const contract = contractOf(
      {
        properties: {
          a: { type: 'string', default: 'x' },
          b: { type: 'string' },
          c: { type: ['string', 'null'] },
        },
        required: ['a', 'b', 'c'],
      },
      'read',
    );
    const found = labels(contract, { a: 'x', b: 'y', c: 'z' }, { b: 'y' });
    assert.ok(found.includes('c is missing'));
    for (const label of [
      'a is missing',
      'a is null',
      'b is missing',
      'c is null',
      'zz_unheard_of is not declared',
    ])
      assert.ok(!found.includes(label), label);
  });

  test('it says nothing of unknown fields where any are welcome', () => {
    const contract = contractOf(
      { properties: { title: { type: 'string' } }, additionalProperties: true },
      'write',
    );
    assert.deepEqual(
      labels(contract, { title: 'a' }).filter((label) => /declared|near/.test(label)),
      [],
    );
  });
});
