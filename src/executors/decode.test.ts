import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import * as fc from 'fast-check';
import { compileValidator } from '../contract/schema/compile.ts';
import { decode, type DecodeOptions } from './decode.ts';
import { RawOutput } from './executor.ts';

const JSON_READ: DecodeOptions = {
  format: 'json',
  checkResult: undefined,
  budget: 256 * 1024,
  write: false,
};
const value = (given: unknown, options: Partial<DecodeOptions> = {}): unknown => {
  const { outcome } = decode(given, { ...JSON_READ, ...options });
  return outcome.ok ? outcome.value : outcome.error;
};

suite('decoding', () => {
  test('text is parsed, or given untouched as raw', () => {
    assert.deepEqual(value(new RawOutput(' {"a":1}\n')), { a: 1 });
    assert.equal(value(new RawOutput('not json'), { format: 'raw' }), 'not json');
    assert.equal(value('a function may return any text'), 'a function may return any text');
  });

  test('what is no JSON is PARSE_ERROR, and a write is told not to repeat', () => {
    for (const text of ['not json', '', '{"a":', '{} {}'])
      assert.equal((value(new RawOutput(text)) as { code: string }).code, 'PARSE_ERROR');
    assert.match(
      (value(new RawOutput('x'), { write: true }) as { message: string }).message,
      /carried out: do not repeat/,
    );
  });

  test('whole numbers beyond 2^53 are kept as text', () => {
    assert.deepEqual(
      value(
        new RawOutput('{"id":12345678901234567890,"n":1234567890123456.5,"m":9007199254740991}'),
      ),
      { id: '12345678901234567890', n: 1234567890123456.5, m: 9007199254740991 },
    );
  });

  test('a prototype key is dropped', () => {
    assert.deepEqual(
      Object.keys(value(new RawOutput('{"__proto__":{"a":1},"b":12345678901234567}')) as object),
      ['b'],
    );
  });

  test('an error returned as data is a failure', () => {
    const rows: readonly (readonly [unknown, string, RegExp])[] = [
      [
        { isError: true, content: [{ type: 'text', text: 'no such task' }] },
        'EXECUTION_ERROR',
        /no such task/,
      ],
      [{ is_error: true, message: 'm' }, 'EXECUTION_ERROR', /^m$/],
      [{ error: true, message: 'gone', code: 'NOT_FOUND' }, 'NOT_FOUND', /gone/],
      [{ error: { code: 'RATE_LIMITED', message: 'slow down' } }, 'RATE_LIMITED', /slow/],
      [{ success: false, error: 'broken' }, 'EXECUTION_ERROR', /broken/],
      [{ ok: false, error: { message: 'x', code: 'E42' } }, 'EXECUTION_ERROR', /x/],
      [{ error: true }, 'EXECUTION_ERROR', /without saying which/],
    ];
    for (const [given, code, message] of rows) {
      const error = value(given) as { code: string; message: string };
      assert.equal(error.code, code, JSON.stringify(given));
      assert.match(error.message, message);
    }
    for (const given of [
      { error: null, a: 1 },
      { errors: [] },
      { error: false },
      { success: true, error: 'none' },
      { error: { message: 'as data' }, rows: [] },
    ]) {
      assert.deepEqual(value(given), given);
    }
  });

  test('a result that does not fit the contract is PARSE_ERROR', () => {
    const checkResult = compileValidator({
      type: 'object',
      properties: { n: { type: 'integer' } },
      required: ['n'],
    });
    assert.deepEqual(value({ n: 1 }, { checkResult }), { n: 1 });
    assert.match(
      (value({ n: 'x' }, { checkResult }) as { message: string }).message,
      /n must be integer/,
    );
  });

  test('what JSON cannot carry is made to fit, never a crash', () => {
    const circle: Record<string, unknown> = { a: 1 };
    circle['self'] = circle;
    class Point {
      x = 1;
      get bad(): number {
        throw new Error('no');
      }
    }
    assert.deepEqual(value(circle), { a: 1, self: '[circular]' });
    assert.deepEqual(
      value({
        n: 10n,
        u: undefined,
        f: () => 1,
        m: new Map([['k', 1]]),
        s: new Set([1]),
        d: new Date(0),
        e: new Error('msg'),
        b: Buffer.from('hi'),
        nan: Number.NaN,
        p: new Point(),
      }),
      {
        n: '10',
        m: { k: 1 },
        s: [1],
        d: '1970-01-01T00:00:00.000Z',
        e: { error: 'msg' },
        b: 'aGk=',
        nan: null,
        p: { x: 1 },
      },
    );
    assert.equal(value(undefined), null);
    assert.equal(value(Object.create(null)) !== undefined, true);
  });

  test('bytes that are no UTF-8 are refused, replacement characters that were sent are not', () => {
    const broken = Buffer.from([0x22, 0xff, 0x22]);
    assert.match((value(RawOutput.from(broken)) as { message: string }).message, /not UTF-8/);
    assert.equal(value(RawOutput.from(Buffer.from('"\u{FFFD}"'))), '\u{FFFD}');
    assert.equal(value(RawOutput.from(broken), { format: 'raw' }), '"\u{FFFD}"');
  });

  test('what is too large to read is a failure, at once', () => {
    const began = performance.now();
    const sparse: unknown[] = [];
    sparse.length = 4_000_000_000;
    const endless = {
      *[Symbol.iterator]() {
        yield 1;
      },
      toJSON: () => 'x'.repeat(20_000_000),
    };
    const bomb: unknown[] = [];
    let level: unknown[] = bomb;
    for (let depth = 0; depth < 100; depth++) level = level[0] = level[1] = [];
    for (const given of [sparse, { sparse }, 'x'.repeat(20_000_000), endless, bomb])
      assert.match((value(given) as { message: string }).message, /too large/);
    assert.match(
      (value(sparse, { write: true }) as { message: string }).message,
      /carried out: do not repeat/,
    );
    assert.ok(performance.now() - began < 10_000);
  });

  test('what was lost on the way is said', () => {
    const { proxy, revoke } = Proxy.revocable({}, {});
    revoke();
    const rows: readonly (readonly [unknown, unknown, RegExp | undefined])[] = [
      [new Date(Number.NaN), null, /cannot carry/],
      [[Symbol('x')], [null], /cannot carry/],
      [{ n: Number.POSITIVE_INFINITY }, { n: null }, /cannot carry/],
      [
        {
          toJSON() {
            throw new Error('no');
          },
        },
        null,
        /could not be read/,
      ],
      [{ proxy }, { proxy: null }, /could not be read/],
      [new Float32Array([1, 2.5]), [1, 2.5], undefined],
      [new Uint8Array([104, 105]), 'aGk=', undefined],
    ];
    for (const [given, expected, note] of rows) {
      const { outcome, warnings } = decode(given, JSON_READ);
      assert.ok(outcome.ok);
      assert.deepEqual(outcome.value, expected);
      if (note === undefined) assert.equal(warnings, undefined);
      else assert.match(warnings?.join() ?? '', note);
    }
  });

  test('whatever a body gives is read without throwing', () => {
    const anything = fc.anything({
      withBigInt: true,
      withDate: true,
      withMap: true,
      withSet: true,
      withNullPrototype: true,
      withObjectString: true,
      withSparseArray: true,
      withTypedArray: true,
    });
    fc.assert(
      fc.property(anything, (given) => {
        const { outcome } = decode(given, JSON_READ);
        if (outcome.ok) assert.ok(JSON.stringify(outcome.value) !== undefined);
      }),
      { numRuns: 2_000 },
    );
  });

  test('JSON itself comes back as the very same object', () => {
    const given = { rows: [{ a: 'x', b: null, c: [1, 2, { d: true }] }] };
    assert.equal(value(given), given);
  });

  test('a result over its budget is cut at item borders, stays JSON and says so', () => {
    const rows = Array.from({ length: 1_000 }, (_, index) => ({ index, text: '中'.repeat(20) }));
    const { outcome, warnings = [] } = decode(
      { total: 1_000, rows },
      { ...JSON_READ, budget: 4_096 },
    );
    assert.ok(outcome.ok);
    const cut = outcome.value as { total: number; rows: unknown[] };
    assert.ok(Buffer.byteLength(JSON.stringify(cut)) <= 4_096);
    assert.ok(cut.rows.length > 10);
    assert.deepEqual(cut.rows[0], rows[0]);
    assert.match(warnings.join(), new RegExp(`rows: the first ${cut.rows.length} of 1000 items`));
  });

  test('whatever a body returns, the result is JSON within its budget', () => {
    fc.assert(
      fc.property(
        fc.anything({
          withBigInt: true,
          withDate: true,
          withMap: true,
          withSet: true,
          withNullPrototype: true,
          withSparseArray: true,
          maxDepth: 5,
        }),
        fc.integer({ min: 64, max: 2_000 }),
        (given, budget) => {
          const { outcome } = decode(given, { ...JSON_READ, budget });
          if (!outcome.ok) return;
          const text = JSON.stringify(outcome.value);
          assert.ok(Buffer.byteLength(text) <= Math.max(budget, 64));
          assert.deepEqual(JSON.parse(text), JSON.parse(JSON.stringify(outcome.value)));
        },
      ),
      { numRuns: 1_000 },
    );
  });
});
