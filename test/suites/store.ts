import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { suite, test, type TestContext } from 'node:test';
import * as fc from 'fast-check';
import type { CallRow } from '../../src/contract/call-row.ts';
import type { AuditRow, Intent, Store } from '../../src/store/store.ts';

/** Gives a fresh place to remember in, and a way to open it, again too; ends with the test. */
export type NewPlace = (t: TestContext) => () => Store | Promise<Store>;

/** What every driver of the Store port must do. */
export function storeSuite(name: string, newPlace: NewPlace): void {
  const opened = async (t: TestContext): Promise<Store> => {
    const store = await newPlace(t)();
    t.after(() => store.close());
    return store;
  };

  suite(`${name}: calls`, () => {
    test('come back as they were recorded, newest first', async (t) => {
      const store = await opened(t);
      const rows = [
        callRow({
          parentId: '00000000000000aa',
          message: 'Größe 大きさ 🙂\n"quoted"\t\\',
          attempts: 3,
        }),
        callRow({ ok: false, code: 'TIMEOUT', reason: 'deadline', duration: 0, effect: 'write' }),
        callRow({ params: '{"text":"zwölf\\nlines","deep":[{"a":null},1e+21,-0.5]}', turn: 0 }),
      ];
      for (const row of rows) await store.record?.(row);
      assert.deepEqual(await store.calls.list(), rows.toReversed());
    });

    test('come back whatever they hold', async (t) => {
      const store = await opened(t);
      await fc.assert(
        fc.asyncProperty(fc.array(anyCall, { minLength: 1, maxLength: 20 }), async (rows) => {
          for (const row of rows) await store.record?.(row);
          assert.deepEqual(await store.calls.list({ limit: rows.length }), rows.toReversed());
        }),
        { numRuns: 25 },
      );
      assertChained(await store.audit.list());
    });

    test('are found by trace, conversation, skill, and all of them together', async (t) => {
      const store = await opened(t);
      const one = callRow({ traceId: 'a'.repeat(32), conversation: 'x', skill: 'mail.send' });
      const two = callRow({ traceId: 'a'.repeat(32), conversation: 'y', skill: 'mail.read' });
      const three = callRow({ traceId: 'b'.repeat(32), conversation: 'y', skill: 'mail.send' });
      for (const row of [one, two, three]) await store.record?.(row);
      const { calls } = store;
      assert.deepEqual(await calls.list({ traceId: one.traceId }), [two, one]);
      assert.deepEqual(await calls.list({ conversation: 'y' }), [three, two]);
      assert.deepEqual(await calls.list({ skill: 'mail.send' }), [three, one]);
      assert.deepEqual(await calls.list({ conversation: 'y', skill: 'mail.send' }), [three]);
      assert.deepEqual(await calls.list({ traceId: 'c'.repeat(32) }), []);
    });

    test('are limited to 100 unless told', async (t) => {
      const store = await opened(t);
      for (let turn = 1; turn <= 120; turn++) await store.record?.(callRow({ turn }));
      const turns = (rows: readonly CallRow[]): number[] => rows.map((row) => row.turn);
      assert.deepEqual(turns(await store.calls.list({ limit: 3 })), [120, 119, 118]);
      assert.equal((await store.calls.list()).length, 100);
      assert.equal((await store.calls.list({ limit: 1_000 })).length, 120);
    });

    test('hold no secret the store was told of, nor what looks like one', async (t) => {
      const store = await opened(t);
      store.conceal(['hunter2-of-the-tests']);
      const message = 'Refused for hunter2-of-the-tests at https://me:mine@host.example/';
      const params = '{"password":"open sesame","n":1}';
      await store.record?.(callRow({ message, params }));
      const [row] = await store.calls.list();
      assert.equal(row?.message, 'Refused for [redacted] at https://[redacted]@host.example/');
      assert.equal(row.params, '{"password":"[redacted]","n":1}');
      assert.doesNotMatch(JSON.stringify(await store.audit.list()), /hunter2|mine@|sesame/);
    });

    test('are all kept when the queue is full and the callers wait', async (t) => {
      const store = await opened(t);
      for (let turn = 1; turn <= 25_000; turn++) {
        const full = store.record?.(callRow({ turn }));
        if (full !== undefined) await full;
      }
      await store.flush();
      assert.equal((await store.calls.list({ limit: 1 }))[0]?.turn, 25_000);
      assert.equal((await store.audit.list()).at(-1)?.seq, 25_000);
    });
  });

  suite(`${name}: audit`, () => {
    test('chains calls and library changes, oldest first', async (t) => {
      const store = await opened(t);
      const change = { at: 2, by: 'reload', changes: [{ skill: 'mail.send', change: 'added' }] };
      await store.record?.(callRow({ turn: 1, params: '{"a":[1,2]}' }));
      await store.audit.append(change);
      await store.record?.(callRow({ turn: 2 }));
      const rows = await store.audit.list();
      assert.deepEqual(
        rows.map(({ seq, kind }) => [seq, kind]),
        [
          [1, 'call'],
          [2, 'library'],
          [3, 'call'],
        ],
      );
      assertChained(rows);
      assert.deepEqual((JSON.parse(rows[0]?.body ?? '') as { params: unknown }).params, {
        a: [1, 2],
      });
      assert.deepEqual(JSON.parse(rows[1]?.body ?? ''), change);
      assert.deepEqual(await store.audit.list({ limit: 2 }), rows.slice(0, 2));
    });

    test('goes on with its chain after it was looked at', async (t) => {
      const store = await opened(t);
      await store.record?.(callRow());
      const before = await store.audit.list();
      await store.record?.(callRow());
      const after = await store.audit.list();
      assert.deepEqual(after.slice(0, 1), before);
      assertChained(after);
    });

    test('gives each of two writers a chain of its own', async (t) => {
      const open = newPlace(t);
      const [left, right] = [await open(), await open()];
      t.after(() => Promise.all([left.close(), right.close()]));
      for (let turn = 1; turn <= 5; turn++) {
        await left.record?.(callRow({ turn, caller: 'left' }));
        if (turn <= 3) await right.record?.(callRow({ turn, caller: 'right' }));
        await left.flush();
      }
      const lengths = new Map<string, number>();
      for (const store of [left, right]) {
        const all = await store.audit.list();
        for (const writer of new Set(all.map((row) => row.writer))) {
          const chain = await store.audit.list({ writer });
          assert.deepEqual(
            chain,
            all.filter((row) => row.writer === writer),
          );
          assertChained(chain);
          assert.equal(new Set(chain.map(callerOf)).size, 1);
          lengths.set(writer, Math.max(chain.length, lengths.get(writer) ?? 0));
        }
        assert.deepEqual(await store.audit.list({ writer: 'nobody' }), []);
      }
      assert.deepEqual(new Set(lengths.values()), new Set([3, 5]));
    });
  });

  suite(`${name}: journal`, () => {
    test('remembers intents until they are settled, oldest first', async (t) => {
      const { journal } = await opened(t);
      const intents = [intent('c', 1), intent('a', 2), intent('b', 3)];
      await Promise.all(intents.map((entry) => journal.intend(entry)));
      assert.deepEqual(await journal.unsettled(), intents);
      await journal.settle('a', { at: 9, ok: true, code: null, reason: null });
      await journal.settle('b', { at: 9, ok: false, code: 'TIMEOUT', reason: 'late' });
      assert.deepEqual(await journal.unsettled(), intents.slice(0, 1));
    });

    test('gives a ticket out once, to whoever asks and however often', async (t) => {
      const open = newPlace(t);
      const first = await open();
      const answers = await Promise.all(['a', 'a', 'b', 'a'].map((it) => first.journal.claim(it)));
      assert.deepEqual(answers, [true, false, true, false]);
      assert.equal(await first.journal.claim('b'), false);
      await first.close();
    });

    test('keeps its order within one turn of the event loop', async (t) => {
      const { journal } = await opened(t);
      await Promise.all([
        journal.intend(intent('a', 1)),
        journal.settle('a', { at: 2, ok: true, code: null, reason: null }),
      ]);
      assert.deepEqual(await journal.unsettled(), []);
    });
  });

  test(`${name}: flushes with nothing to write, and closes twice`, async (t) => {
    const store = await newPlace(t)();
    await store.flush();
    await store.record?.(callRow());
    await Promise.all([store.close(), store.close()]);
    await store.close();
  });
}

function callerOf({ body }: AuditRow): string {
  return (JSON.parse(body) as CallRow).caller;
}

let calls = 0;

/** A row of a call like no other. */
export function callRow(given: Partial<CallRow> = {}): CallRow {
  const number = (++calls).toString(16);
  return {
    at: 1_764_564_000_000,
    traceId: number.padStart(32, '0'),
    spanId: number.padStart(16, '0'),
    parentId: null,
    conversation: 'talk',
    turn: 1,
    caller: 'tester',
    skill: 'probe.run',
    version: '1.0.0',
    effect: 'read',
    ok: true,
    code: null,
    reason: null,
    message: null,
    cause: null,
    attempts: 1,
    duration: 1.25,
    params: '{"n":1}',
    ...given,
  };
}

/** The intent of a write. */
export function intent(id: string, at: number): Intent {
  return {
    id,
    at,
    traceId: '0123456789abcdef0123456789abcdef',
    skill: 'mail.send',
    version: '1.0.0',
    caller: 'tester',
    conversation: 'Gespräch',
    turn: 1,
    key: `key of ${id}`,
    paramsHash: 'f'.repeat(64),
  };
}

/** Recomputes every hash from the port's own words; a chain may begin late, but has no gap. */
export function assertChained(rows: readonly AuditRow[]): void {
  for (const [index, { writer, seq, prev, body, hash }] of rows.entries()) {
    const before = rows[index - 1];
    if (seq === 1) assert.equal(prev, '0'.repeat(64));
    if (before !== undefined) assert.deepEqual([seq, prev], [before.seq + 1, before.hash]);
    const expected = createHash('sha256').update(`${writer}\n${seq}\n${prev}\n${body}`);
    assert.equal(hash, expected.digest('hex'));
  }
}

// Any UTF-16 at all: halves of surrogate pairs, control characters and separators included.
const anyText = fc.string({ unit: fc.nat(0xffff).map((code) => String.fromCharCode(code)) });
const anyCount = fc.maxSafeNat();

const anyCall: fc.Arbitrary<CallRow> = fc.record(
  {
    at: anyCount,
    traceId: anyText,
    spanId: anyText,
    parentId: fc.option(anyText),
    conversation: anyText,
    turn: anyCount,
    caller: anyText,
    skill: anyText,
    version: anyText,
    effect: fc.constantFrom('none', 'read', 'write'),
    ok: fc.boolean(),
    code: fc.option(anyText),
    reason: fc.option(anyText),
    message: fc.option(anyText),
    cause: fc.option(anyText),
    attempts: anyCount,
    duration: fc.double({ min: 0, noNaN: true, noDefaultInfinity: true }),
    params: fc.json(),
  },
  { noNullPrototype: true },
);
