import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { parseJson, type Json } from '../base/json.ts';
import { compileTemplate, evaluate, expressionsIn, type ExpressionScope } from './expression.ts';
import { ToolError } from './tool-error.ts';

const scope: ExpressionScope = {
  inputs: { region: 'North', day: { iso: '2026-03-01' }, 'a/b~c': [10, { '': 'empty' }], no: null },
  steps: {
    lookup: { outputs: { id: 7, rows: [{ name: 'first' }, { name: 'second' }] }, stale: false },
    saved: { outputs: 'yesterday', stale: true },
    skipped: { outputs: undefined, stale: false },
  },
};

function refused(work: () => unknown, message: RegExp): void {
  assert.throws(work, (error: unknown) => {
    assert(ToolError.is(error));
    assert.equal(error.code, 'INTERNAL_ERROR');
    assert.match(error.message, message);
    return true;
  });
}

test('a string that is one expression gives the value with its type', () => {
  const cases: [string, Json][] = [
    ['$inputs', scope.inputs],
    ['$inputs.region', 'North'],
    ['$inputs.day.iso', '2026-03-01'],
    ['$inputs.day', { iso: '2026-03-01' }],
    ['$inputs#/day/iso', '2026-03-01'],
    ['$inputs#/a~1b~0c/0', 10],
    ['$inputs#/a~1b~0c/1/', 'empty'],
    ['$inputs#', scope.inputs],
    ['$inputs.no', null],
    ['$steps.lookup.outputs.id', 7],
    ['$steps.lookup.outputs#/rows/1/name', 'second'],
    ['$steps.lookup.outputs.rows#/0/name', 'first'],
    ['$steps.saved.outputs', 'yesterday'],
    ['$steps.saved.stale', true],
    ['$steps.lookup.stale', false],
  ];
  for (const [text, expected] of cases) assert.deepEqual(evaluate(text, scope), expected, text);
});

test('fills in deeply, and text around an expression makes text of it', () => {
  const template = {
    title: 'Revenue of {$inputs.region}: {$steps.lookup.outputs#/rows/0} ({$steps.saved.stale})',
    list: ['$steps.lookup.outputs.id', { name: '$inputs.region' }],
    plain: { n: 1, yes: true, nothing: null },
  };
  assert.deepEqual(evaluate(template, scope), {
    title: 'Revenue of North: {"name":"first"} (true)',
    list: [7, { name: 'North' }],
    plain: { n: 1, yes: true, nothing: null },
  });
});

test('$$ stands for a plain $ at the beginning of text and of braces', () => {
  const cases: [string, string][] = [
    ['$$inputs.region', '$inputs.region'],
    ['$$', '$'],
    ['$$$', '$$'],
    ['$$ {$inputs.region} {$$inputs.region}', '$ North {$inputs.region}'],
    ['cost: 5$ {} {x} $inputs.region', 'cost: 5$ {} {x} $inputs.region'],
  ];
  for (const [text, expected] of cases) assert.equal(evaluate(text, scope), expected);
});

test('what an absent input or a skipped step stands for is left out, in an array it is null', () => {
  const template = {
    absent: '$inputs.note',
    deeper: '$inputs.region.code',
    inherited: '$inputs.toString',
    text: 'Note: {$inputs.note}',
    skipped: '$steps.skipped.outputs.id',
    list: ['$inputs.note', 1],
    kept: '$inputs.no',
  };
  assert.deepEqual(evaluate(template, scope), { list: [null, 1], kept: null });
  assert.equal(evaluate('$inputs.note', scope), null);
});

test('an output that a step did not give is an error that names it', () => {
  refused(
    () => evaluate('$steps.lookup.outputs#/rows/2/name', scope),
    /^\$steps\.lookup\.outputs#\/rows\/2\/name has no value: step lookup gave no rows\.2\.name\./,
  );
  refused(() => evaluate({ a: '{$steps.lookup.outputs.total}' }, scope), /gave no total/);
  refused(() => evaluate('$steps.mail.outputs', scope), /step mail has not run/);
  refused(() => evaluate('$steps.mail.stale', { inputs: {} }), /step mail has not run/);
});

test('reads own members only', () => {
  const inputs = JSON.parse('{"list": [1], "text": "abc"}');
  for (const path of ['__proto__', 'constructor', 'list.length', 'text.length', 'list.00']) {
    assert.deepEqual(evaluate({ found: `$inputs.${path}` }, { inputs }), {}, path);
  }
  refused(() => evaluate('$steps.constructor.outputs', { inputs: {}, steps: {} }), /has not run/);
  refused(() => evaluate('$steps.lookup.outputs.constructor', scope), /gave no constructor/);
  const template = JSON.parse('{"__proto__": {"polluted": true}, "kept": 1}');
  const filled = evaluate(template, scope);
  assert.deepEqual(filled, { kept: 1 });
  assert.equal(Object.getPrototypeOf(filled), Object.prototype);
});

test('refuses what only looks like an expression', () => {
  const malformed = [
    '$',
    '$inputs.',
    '$inputs.a b',
    '$inputs.region and more',
    '$inputs#region',
    '$inputs#/a~2',
    '$input.region',
    '$steps.lookup',
    '$steps.lookup.output',
    '$steps.lookup.stale.x',
    '$steps.lookup.stale#/x',
    '$response.body#/id',
    'text {$inputs.region',
    'text {$inputs.region and {$inputs.day}}',
    'text {$}',
  ];
  for (const text of malformed) {
    refused(() => compileTemplate({ deep: [text] }), /is no runtime expression\. Write \$inputs/);
    refused(() => expressionsIn(text), /is no runtime expression/);
  }
});

test('refuses a template so deep that it could exhaust the stack', () => {
  let deep: Json = 1;
  for (let level = 0; level < 5000; level++) deep = [deep];
  refused(() => compileTemplate(deep), /nested deeper than 100/);
});

test('finds every expression of a template', () => {
  const template = {
    a: ['$inputs.x.y', 'in {$steps.s.outputs#/0/k} text {$steps.s.stale}'],
    b: '$$inputs.no',
    c: 'plain',
  };
  assert.deepEqual(expressionsIn(template), [
    { from: 'inputs', text: '$inputs.x.y', path: ['x', 'y'] },
    { from: 'outputs', text: '$steps.s.outputs#/0/k', step: 's', path: ['0', 'k'] },
    { from: 'stale', text: '$steps.s.stale', step: 's' },
  ]);
});

test('one compiled template serves many calls, and none can change the next', () => {
  const fill = compileTemplate({ tags: ['a'], region: '$inputs.region' });
  const first = fill(scope);
  assert(typeof first === 'object' && first !== null && !Array.isArray(first));
  assert(Array.isArray(first['tags']));
  first['tags'].push('b');
  assert.deepEqual(fill({ inputs: { region: 'South' } }), { tags: ['a'], region: 'South' });
});

test('JSON without expressions comes out as it went in', () => {
  const plain = fc
    .jsonValue()
    .filter((value) => !/"\$|\{\$/.test(JSON.stringify(value)))
    .map((value) => parseJson(JSON.stringify(value)));
  fc.assert(
    fc.property(plain, (value) => {
      assert.deepEqual(evaluate(value, { inputs: {} }), value);
      assert.deepEqual(expressionsIn(value), []);
    }),
  );
});

test('any value an input or an output can have comes through unchanged', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const given = parseJson(JSON.stringify(value));
      const filled = evaluate(['$inputs.x', '$steps.s.outputs'], {
        inputs: { x: given },
        steps: { s: { outputs: given, stale: false } },
      });
      assert.deepEqual(filled, [given, given]);
    }),
  );
});
