import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { skillOf } from '../../test/support/executor-fixture.ts';
import type { Contract } from './contract.ts';
import { flowFaults, parseFlow } from './flow-check.ts';
import { stepGroups } from './flow.ts';
import { ToolError } from './tool-error.ts';

const { contract } = skillOf({ kind: 'composite' }, undefined, {
  parameters: {
    type: 'object',
    properties: { region: { type: 'string' }, day: { type: 'string' } },
    additionalProperties: false,
  },
  dependencies: [
    'region.lookup',
    'revenue.query',
    'revenue.snapshot',
    'mail.send',
    'mail.recall',
  ].map((skill) => ({
    skill,
    minVersion: '1.0.0',
  })),
});

const GOOD = {
  steps: [
    { id: 'lookup', skill: 'region.lookup', with: { name: '$inputs.region' } },
    {
      id: 'revenue',
      skill: 'revenue.query',
      with: { id: '$steps.lookup.outputs.id', day: '$inputs#/day' },
      fallback: { skill: 'revenue.snapshot', with: { id: '$steps.lookup.outputs.id' }, after: 500 },
    },
    {
      id: 'mail',
      skill: 'mail.send',
      when: '$steps.revenue.outputs.total > 0 && !$steps.revenue.stale',
      with: { text: 'Revenue of {$inputs.region}: {$steps.revenue.outputs.total}' },
      compensate: { skill: 'mail.recall', with: { id: '$steps.mail.outputs.id' } },
    },
  ],
  outputs: { id: '$steps.mail.outputs.id', stale: '$steps.revenue.stale' },
};

function faultOf(flow: unknown, of: Contract = contract): string {
  const faults = flowFaults(flow, of);
  assert.equal(faults.length, 1, faults.join('\n'));
  return faults[0] ?? '';
}

/** A flow of one good step with these changes. */
function one(step: object): unknown {
  return { steps: [{ id: 'lookup', skill: 'region.lookup', ...step }] };
}

/** A flow of these steps, each of the skill it may call. */
function steps(...given: object[]): unknown {
  return {
    steps: given.map((step, index) => ({ id: `s${index}`, skill: 'region.lookup', ...step })),
  };
}

test('finds nothing in a flow that is well', () => {
  assert.deepEqual(flowFaults(GOOD, contract), []);
});

test('names what is wrong with the form, with a hint', () => {
  const cases: [unknown, RegExp][] = [
    [[], /^The flow must be an object with steps, outputs\.$/],
    [null, /must be an object/],
    [{}, /steps must be a list of at least one step/],
    [{ steps: [] }, /steps must be a list/],
    [{ ...GOOD, output: 1 }, /The flow has the unknown key "output"\. Did you mean outputs\?/],
    [{ steps: ['region.lookup'] }, /^Step 1 must be an object with id, skill/],
    [
      one({ paralel: true }),
      /^Step 1 \(lookup\) has the unknown key "paralel"\. Did you mean parallel\?/,
    ],
    [one({ xyz: 1 }), /unknown key "xyz"\. Use id, skill, with/],
    [one({ id: '__proto__' }), /id must be a letter, then/],
    [one({ id: undefined }), /id must be a letter/],
    [one({ skill: 7 }), /skill must be a text/],
    [one({ with: [] }), /with must be an object/],
    [one({ when: true }), /when must be a text/],
    [one({ parallel: 'yes' }), /parallel must be true or false/],
    [one({ compensate: {} }), /^Step 1 \(lookup\): compensate: skill must be a text/],
    [one({ fallback: { after: 5 } }), /fallback needs either skill or value/],
    [one({ fallback: { skill: 'mail.send', value: 1 } }), /fallback needs either skill or value/],
    [one({ fallback: { value: 1, with: {} } }), /fallback\.with goes with fallback\.skill only/],
    [
      one({ fallback: { value: null, after: 0 } }),
      /after must be a number of ms from 1 to 3600000/,
    ],
    [one({ fallback: { value: null, after: 1e12 } }), /after must be a number of ms/],
    [steps({ id: 'a' }, { id: 'a' }), /Two steps have the id "a"\. Rename one\./],
  ];
  for (const [flow, message] of cases) assert.match(faultOf(flow), message);
});

test('every skill a flow calls is a declared dependency', () => {
  assert.match(
    faultOf(one({ skill: 'region.lokup' })),
    /Step lookup calls region\.lokup, .* did you mean region\.lookup\./,
  );
  assert.match(
    faultOf(one({ fallback: { skill: 'task.find' } })),
    /calls task\.find, which is no dependency/,
  );
  assert.match(faultOf(one({ compensate: { skill: 'task.drop' } })), /calls task\.drop/);
});

test('expressions lead to declared parameters', () => {
  assert.match(
    faultOf(one({ with: { name: '$inputs.regoin' } })),
    /^Step lookup: \$inputs\.regoin leads nowhere: .* Did you mean region\?$/,
  );
  assert.match(
    faultOf(one({ when: '$inputs.constructor == 1' })),
    /no parameter constructor\. There is region, day\./,
  );
  assert.match(faultOf({ ...GOOD, outputs: '$inputs.total' }), /^outputs: \$inputs\.total/);
  const open = { ...contract, parameters: { type: 'object', additionalProperties: true } };
  assert.deepEqual(flowFaults(one({ with: { name: '$inputs.anything' } }), open), []);
  const combined = {
    ...contract,
    parameters: {
      type: 'object',
      allOf: [{ $ref: '#/$defs/more' }],
      $defs: { more: { properties: { extra: {} } } },
    },
  };
  assert.deepEqual(flowFaults(one({ with: { name: '$inputs.extra' } }), combined), []);
});

test('expressions lead to steps that have run by then', () => {
  const cases: [unknown, RegExp][] = [
    [
      one({ with: { n: '$steps.lokup.outputs' } }),
      /there is no step lokup\. Did you mean lookup\?/,
    ],
    [one({ with: { n: '$steps.lookup.outputs' } }), /step lookup is not finished by then/],
    [one({ when: '$steps.lookup.stale' }), /step lookup is not finished by then/],
    [
      one({ fallback: { skill: 'mail.send', with: { n: '$steps.lookup.outputs' } } }),
      /not finished/,
    ],
    [
      steps({ with: { n: '$steps.s1.outputs' } }, {}),
      /^Step s0: \$steps\.s1\.outputs leads nowhere: step s1 comes later/,
    ],
    [
      steps({ parallel: true }, { parallel: true, with: { n: '$steps.s0.outputs' } }),
      /^Step s1: .*not to those in the same parallel group/,
    ],
    [
      steps({ compensate: { skill: 'mail.recall', with: { n: '$steps.s1.outputs' } } }, {}),
      /step s1 comes later/,
    ],
  ];
  for (const [flow, message] of cases) assert.match(faultOf(flow), message);
  const apart = steps(
    { parallel: true },
    { parallel: true },
    {},
    { parallel: true, with: { n: '$steps.s1.outputs' } },
  );
  assert.deepEqual(flowFaults(apart, contract), []);
});

test('expressions and conditions are well written', () => {
  assert.match(
    faultOf(one({ with: { name: '$input.region' } })),
    /^Step lookup: "\$input\.region" is no runtime expression/,
  );
  assert.match(
    faultOf(one({ when: '$inputs.region = 1' })),
    /^Step lookup: The condition .* is wrong at character 16/,
  );
});

test('reports everything at once', () => {
  const flow = steps(
    { skill: 'a.b', with: { x: '$inputs.x', y: '$steps.y.outputs' } },
    { when: '(' },
  );
  assert.equal(flowFaults(flow, contract).length, 4);
});

test('reads a flow, or says what is wrong with its text', () => {
  assert.deepEqual(parseFlow(JSON.stringify(GOOD)), GOOD);
  assert.throws(() => parseFlow('{"steps": ['), SyntaxError);
  assert.throws(
    () => parseFlow('{"steps": [{"id": "a"}, {}]}'),
    (error: unknown) =>
      ToolError.is(error) &&
      /Step 1 \(a\): skill .* Step 2: id .* Step 2: skill/.test(error.message),
  );
});

test('any JSON is judged without throwing', () => {
  const keys = [
    'steps',
    'id',
    'skill',
    'with',
    'when',
    'fallback',
    'compensate',
    'value',
    'after',
    'parallel',
    'outputs',
  ];
  const text = fc.constantFrom(
    'a',
    'region.lookup',
    '$inputs.region',
    '$steps.a.outputs',
    '{$',
    '(',
    '',
  );
  const { json } = fc.letrec<{ json: unknown }>((tie) => ({
    json: fc.oneof(
      { maxDepth: 5, withCrossShrink: true },
      text,
      fc.constantFrom(null, true, 1),
      fc.array(tie('json'), { maxLength: 3 }),
      fc.dictionary(fc.constantFrom(...keys), tie('json'), { maxKeys: 4 }),
    ),
  }));
  fc.assert(fc.property(json, (flow) => Array.isArray(flowFaults(flow, contract))));
});

test('groups neighbouring parallel steps', () => {
  const flags = [true, true, false, false, true, false, true, true];
  const given = flags.map((parallel, index) => ({ id: `${index}`, skill: 'a.b', parallel }));
  const groups = stepGroups(given).map((group) => group.map(({ id }) => id).join(''));
  assert.deepEqual(groups, ['01', '2', '3', '4', '5', '67']);
});
