import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runInThisContext } from 'node:vm';
import * as fc from 'fast-check';
import { compileCondition, expressionsInCondition } from './condition.ts';
import type { ExpressionScope } from './expression.ts';
import { ToolError } from './tool-error.ts';

const scope: ExpressionScope = {
  inputs: {
    send: true,
    quiet: false,
    count: 3,
    name: 'Ada',
    day: '2026-03-01',
    list: [1, { a: 2 }],
  },
  steps: {
    find: { outputs: { n: 0, rows: [{ id: 5 }], next: null }, stale: true },
    skipped: { outputs: undefined, stale: false },
  },
};

function holds(text: string): boolean {
  return compileCondition(text)(scope);
}

test('compares expressions and literals', () => {
  const cases: [string, boolean][] = [
    ['$inputs.count == 3', true],
    ['$inputs.count != 3', false],
    ['$inputs.count < 3.5', true],
    ['$inputs.count <= 3', true],
    ['$inputs.count > 3', false],
    ['$inputs.count >= 3e0', true],
    ['$inputs.count > -1', true],
    ["$inputs.day < '2026-03-02'", true],
    ['$inputs.send == true', true],
    ['$steps.find.outputs#/rows/0/id == 5', true],
    ['$steps.find.outputs.next == null', true],
    ['$steps.find.stale', true],
    ['$inputs.list == $inputs.list', true],
    ['$inputs.list == $inputs', false],
    ['null == $inputs', false],
    ['3==$inputs.count', true],
  ];
  for (const [text, expected] of cases) assert.equal(holds(text), expected, text);
});

test('text compares whatever the case, and may hold quotes', () => {
  assert.equal(holds("$inputs.name == 'ADA'"), true);
  assert.equal(holds('"ada" == $inputs.name'), true);
  assert.equal(holds("$inputs.name != 'ada'"), false);
  assert.equal(holds("'ABC' < 'abd'"), true);
  assert.equal(compileCondition("$inputs.x == 'it''s'")({ inputs: { x: "it's" } }), true);
  assert.equal(compileCondition('$inputs.x == "a\\"b\\u0041"')({ inputs: { x: 'a"bA' } }), true);
});

test('values of different kinds are never equal and have no order', () => {
  for (const text of [
    "3 == '3'",
    "3 < '4'",
    'true > false',
    'null <= 0',
    '$inputs.list >= 1',
    '1 == true',
  ]) {
    assert.equal(holds(text), false, text);
  }
});

test('what is absent equals null', () => {
  for (const text of [
    '$inputs.note == null',
    '$steps.find.outputs.total == null',
    '$steps.skipped.outputs.id == null',
    '!$inputs.note',
    '!($inputs.note > 0)',
    '$inputs.constructor == null',
  ]) {
    assert.equal(holds(text), true, text);
  }
});

test('! binds before comparisons, those before &&, and && before ||', () => {
  const cases: [string, boolean][] = [
    ['true || false && false', true],
    ['(true || false) && false', false],
    ['!false && !!true', true],
    ['!$inputs.send == false', true],
    ['!($inputs.count == 3)', false],
    ['false || $inputs.count > 2 && $inputs.send', true],
    ['($inputs.count > 2) == true', true],
    ['$inputs.count', true],
    ['$steps.find.outputs.n', false],
  ];
  for (const [text, expected] of cases) assert.equal(holds(text), expected, text);
});

test('says where a mistake is and what is needed there', () => {
  const cases: [string, RegExp][] = [
    ['', /at character 1: an expression, a literal, ! or \( is needed, but it ends/],
    ['$inputs.a = 3', /at character 11: an expression, an operator/],
    ['$inputs.a ==', /at character 13: .* but it ends/],
    ['1 == 1 == 1', /at character 8: &&, \|\| or the end is needed, but there is "=="/],
    ['(1 == 1', /at character 8: \) is needed/],
    ['1 == 1)', /at character 7: &&/],
    ["$inputs.a == 'open", /at character 14: .* but there is "'open"/],
    ['$inputs.a == yes', /at character 14/],
    ['12abc == 1', /at character 1/],
    ['"\\x" == 1', /at character 1: a JSON literal/],
    ['1 & 2', /at character 3/],
    ['$input.a == 1', /"\$input\.a" is no runtime expression/],
  ];
  for (const [text, message] of cases) {
    assert.throws(
      () => compileCondition(text),
      (error: unknown) => {
        assert(ToolError.is(error), text);
        assert.equal(error.code, 'INTERNAL_ERROR');
        assert.match(error.message, message);
        return true;
      },
    );
  }
});

test('bounds nesting, not length', () => {
  assert.throws(() => compileCondition('('.repeat(60) + '1' + ')'.repeat(60)), /at most 50 levels/);
  assert.throws(() => compileCondition('!'.repeat(10_000) + '1'), /at most 50 levels/);
  assert.equal(holds(Array.from({ length: 10_000 }, () => 'true').join(' && ')), true);
});

test('finds every expression of a condition', () => {
  assert.deepEqual(
    expressionsInCondition('!($inputs.a > 1) || $steps.s.outputs#/0 == $steps.t.stale').map(
      ({ text }) => text,
    ),
    ['$inputs.a', '$steps.s.outputs#/0', '$steps.t.stale'],
  );
});

test('any text either compiles or is refused as a ToolError', () => {
  const piece = fc.constantFrom(
    '$inputs.a',
    '$steps.s.outputs#/0',
    '$',
    '&&',
    '||',
    '!',
    '(',
    ')',
    '==',
    '<=',
    '<',
    '=',
    "'",
    '"',
    'x',
    '1',
    '-',
    '.5',
    'null',
    ' ',
    '\\',
    '~',
  );
  const text = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 60 }),
    fc.array(piece, { maxLength: 30 }).map((pieces) => pieces.join('')),
  );
  fc.assert(
    fc.property(text, (text) => {
      try {
        assert.equal(typeof compileCondition(text)(scope), 'boolean');
      } catch (error) {
        assert(ToolError.is(error), String(error));
      }
    }),
    { numRuns: 1000 },
  );
});

test('agrees with JavaScript on booleans and numbers', () => {
  const operand = fc.constantFrom('true', 'false', '1 < 2', '2 <= 1', '1 == 1', '1 != 1');
  const { condition } = fc.letrec<{ condition: string }>((tie) => ({
    condition: fc.oneof(
      { maxDepth: 5 },
      operand,
      tie('condition').map((inner) => `!(${inner})`),
      fc
        .tuple(tie('condition'), fc.constantFrom('&&', '||'), tie('condition'))
        .map((parts) => parts.join(' ')),
      tie('condition').map((inner) => `(${inner})`),
    ),
  }));
  fc.assert(
    fc.property(condition, (text) => {
      assert.equal(holds(text), runInThisContext(text));
    }),
  );
});
