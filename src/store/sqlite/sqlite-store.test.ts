import assert from 'node:assert/strict';
import { spawn, type ChildProcess } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { suite, test, type TestContext } from 'node:test';
import { Worker } from 'node:worker_threads';
import { assertChained, callRow, intent, storeSuite } from '../../../test/suites/store.ts';
import type { Store } from '../store.ts';
import { openSqliteStore } from './sqlite-store.ts';

storeSuite('sqlite store', (t) => {
  const file = join(folder(t), 'store.db');
  return () => openSqliteStore({ file });
});

suite('sqlite store: durability', () => {
  test('keeps every acknowledged intent when the process is killed', async (t) => {
    const file = join(folder(t), 'store.db');
    const child = run(
      t,
      file,
      `const write = async (lane) => {
         for (let number = 0; ; number++) {
           await store.journal.intend(intent(lane + '-' + number, number));
           writeSync(1, lane + '-' + number + '\\n');
         }
       };
       await Promise.all(['a', 'b', 'c'].map(write));`,
    );
    let acknowledged = '';
    child.stdout?.setEncoding('utf8').on('data', (chunk: string) => {
      acknowledged += chunk;
      if (acknowledged.length > 400) child.kill('SIGKILL');
    });
    await new Promise((resolve) => child.once('close', resolve));
    // The last line may be torn by the kill; what is before it was written whole.
    const ids = acknowledged.split('\n').slice(0, -1);
    assert.ok(ids.length >= 50);
    const found = new Set((await opened(t, file).journal.unsettled()).map(({ id }) => id));
    assert.deepEqual(
      ids.filter((id) => !found.has(id)),
      [],
    );
  });

  test('loses nothing of four processes that write at once', async (t) => {
    const file = join(folder(t), 'store.db');
    const children = ['a', 'b', 'c', 'd'].map((name) =>
      run(
        t,
        file,
        `for (let turn = 1; turn <= 300; turn++) {
           await store.record(callRow({ turn, caller: '${name}' }));
           if (turn % 30 === 0) await store.journal.intend(intent('${name}-' + turn, turn));
         }
         await store.close();`,
      ),
    );
    assert.deepEqual(await Promise.all(children.map(ended)), ['', '', '', '']);
    const store = opened(t, file);
    const rows = await store.audit.list();
    const writers = [...new Set(rows.map(({ writer }) => writer))];
    assert.equal(writers.length, 4);
    for (const writer of writers) {
      const chain = rows.filter((row) => row.writer === writer);
      assert.equal(chain.length, 300);
      assertChained(chain);
    }
    assert.equal((await store.journal.unsettled()).length, 40);
  });

  test('is still there when the file is opened again', async (t) => {
    const file = join(folder(t), 'deep', 'down', 'store.db');
    const first = openSqliteStore({ file });
    const row = callRow({ message: 'größer' });
    await first.record?.(row);
    await first.close();
    const second = opened(t, file);
    assert.deepEqual(await second.calls.list(), [row]);
  });

  test('gives a ticket out once, whichever process asks', async (t) => {
    const file = join(folder(t), 'store.db');
    const claims = `for (let number = 0; number < 50; number++)
       if (await store.journal.claim('ticket ' + number)) writeSync(1, number + '\\n');`;
    const children = ['a', 'b', 'c'].map(() => run(t, file, claims));
    const printed = await Promise.all(children.map((child) => text(child.stdout as Readable)));
    const numbers = printed.flatMap((lines) => lines.split('\n').filter((line) => line !== ''));
    assert.deepEqual(
      numbers.map(Number).toSorted((left, right) => left - right),
      Array.from({ length: 50 }, (_, number) => number),
    );
    assert.equal(await opened(t, file).journal.claim('ticket 7'), false);
  });

  test('does not keep a process alive, but writes what it has', { timeout: 20_000 }, async (t) => {
    const file = join(folder(t), 'store.db');
    const child = run(
      t,
      file,
      `await store.journal.intend(intent('a', 1));
       store.record(callRow({ turn: 7 }));`,
    );
    assert.equal(await ended(child), '');
    const store = opened(t, file);
    assert.equal((await store.calls.list())[0]?.turn, 7);
    assert.equal((await store.journal.unsettled()).length, 1);
  });
});

suite('sqlite store: limits', () => {
  test('waits at opening while somebody else makes the file', async (t) => {
    const file = join(folder(t), 'store.db');
    const maker = new Worker(
      `const { DatabaseSync } = require('node:sqlite');
       const { parentPort, workerData } = require('node:worker_threads');
       const database = new DatabaseSync(workerData);
       database.exec('BEGIN IMMEDIATE; CREATE TABLE other (what TEXT)');
       parentPort.postMessage('begun');
       Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 50);
       database.exec('COMMIT');
       database.close();`,
      { eval: true, workerData: file, execArgv: [] },
    );
    const gone = new Promise((resolve) => maker.once('exit', resolve));
    await new Promise((resolve) => maker.once('message', resolve));
    const store = opened(t, file);
    await store.journal.intend(intent('a', 1));
    assert.equal((await store.journal.unsettled()).length, 1);
    await gone;
  });

  test('bounds its queue', async (t) => {
    const store = opened(t, join(folder(t), 'store.db'));
    let full = store.record?.(callRow());
    let rows = 1;
    for (; full === undefined && rows < 100_000; rows++) full = store.record?.(callRow());
    assert.equal(rows, 20_001);
    await full;
    await store.flush();
    assert.equal((await store.audit.list()).length, rows);
  });

  test('takes nothing after it was closed', async (t) => {
    const store = openSqliteStore({ file: join(folder(t), 'store.db') });
    await store.close();
    const closed = /store is closed/;
    await assert.rejects(async () => store.record?.(callRow()), closed);
    await assert.rejects(store.journal.intend(intent('a', 1)), closed);
    await assert.rejects(store.calls.list(), closed);
    await assert.rejects(store.flush(), closed);
  });
});

suite('sqlite store: a disk that fails', () => {
  test('refuses intents at once, and keeps rows until they can be written', async (t) => {
    const file = join(folder(t), 'store.db');
    const store = opened(t, file);
    const disk = failing(t, file);
    const row = callRow();
    void store.record?.(row);
    await assert.rejects(store.journal.intend(intent('a', 1)), (error: Error) => {
      assert.match(error.message, /disk is full\. Free some space/);
      assert.ok(error.message.includes(file));
      return true;
    });
    disk.mend();
    await store.flush();
    assert.deepEqual(await store.calls.list(), [row]);
    assert.deepEqual(await store.journal.unsettled(), []);
    await store.journal.intend(intent('a', 1));
    assertChained(await store.audit.list());
  });

  test('says so when rows were lost', async (t) => {
    const file = join(folder(t), 'store.db');
    const store = openSqliteStore({ file });
    const disk = failing(t, file);
    void store.record?.(callRow());
    void store.record?.(callRow());
    const lost = /^Error: 2 rows of the audit were lost\. .*Free some space/;
    await assert.rejects(store.flush(), lost);
    disk.mend();
    const next = callRow();
    await assert.rejects(async () => store.record?.(next), lost);
    assert.deepEqual(await store.calls.list(), [next]);
    await store.record?.(callRow());
    await assert.rejects(store.close(), lost);
  });

  test('begins a new writing thread after one that could not start', async (t) => {
    const place = join(folder(t), 'place');
    const store = opened(t, join(place, 'store.db'));
    renameSync(place, `${place}-away`);
    writeFileSync(place, 'in the way');
    await assert.rejects(store.journal.intend(intent('a', 1)), /choose another place/);
    rmSync(place);
    renameSync(`${place}-away`, place);
    await store.journal.intend(intent('b', 2));
    assert.deepEqual(await store.journal.unsettled(), [intent('b', 2)]);
  });
});

suite('sqlite store: a file that cannot be used', () => {
  test('is named when it is no database', (t) => {
    const file = join(folder(t), 'store.db');
    writeFileSync(file, 'No database, but long enough to have a header. '.repeat(100));
    refused(file, /restore it from a backup, or move it away/);
  });

  test('is named when it is the database of another program', (t) => {
    const file = join(folder(t), 'store.db');
    const database = new DatabaseSync(file);
    database.exec('CREATE TABLE audit (what TEXT)');
    database.close();
    refused(file, /table audit already exists\. The file is damaged or no store/);
  });

  test('is named when it was written by a newer version', (t) => {
    const file = join(folder(t), 'store.db');
    const database = new DatabaseSync(file);
    database.exec('PRAGMA user_version = 99');
    database.close();
    refused(file, /newer Skillwright \(schema 99, this one knows \d+\)\. Use that version/);
  });

  test('is named when its folder cannot be made', (t) => {
    const place = join(folder(t), 'place');
    writeFileSync(place, 'in the way');
    refused(join(place, 'store.db'), /Make the file and its folder writable/);
  });

  test('is named when it may only be read', async (t) => {
    if (process.getuid?.() === 0) return t.skip('root may write to a read-only file');
    const place = folder(t);
    const file = join(place, 'store.db');
    await openSqliteStore({ file }).close();
    chmodSync(file, 0o444);
    refused(file, /Make the file and its folder writable/);
    chmodSync(place, 0o555);
    try {
      refused(join(place, 'other.db'), /Make the file and its folder writable/);
    } finally {
      chmodSync(place, 0o755);
    }
    assert.equal(existsSync(join(place, 'other.db')), false);
  });
});

function folder(t: TestContext): string {
  const path = mkdtempSync(join(tmpdir(), 'skillwright-store-'));
  t.after(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

function opened(t: TestContext, file: string): Store {
  const store = openSqliteStore({ file });
  t.after(() => store.close());
  return store;
}

function refused(file: string, advice: RegExp): void {
  assert.throws(
    () => openSqliteStore({ file }),
    (error: Error) => error.message.includes(file) && advice.test(error.message),
  );
}

/** Makes every insert fail as on a full disk, until it is mended. */
function failing(t: TestContext, file: string): { mend(): void } {
  const database = new DatabaseSync(file);
  t.after(() => database.close());
  const tables = ['audit', 'journal'];
  for (const table of tables) {
    database.exec(
      `CREATE TRIGGER full_${table} BEFORE INSERT ON ${table} BEGIN SELECT RAISE(ABORT, 'database or disk is full'); END`,
    );
  }
  return {
    mend: () => database.exec(tables.map((table) => `DROP TRIGGER full_${table};`).join('')),
  };
}

/** Runs a program with an open `store` in a process of its own. */
function run(t: TestContext, file: string, program: string): ChildProcess {
  const here = JSON.stringify(new URL('./sqlite-store.ts', import.meta.url).href);
  const rows = JSON.stringify(new URL('../../../test/suites/store.ts', import.meta.url).href);
  const source = `
    import { writeSync } from 'node:fs';
    import { openSqliteStore } from ${here};
    import { callRow, intent } from ${rows};
    const store = openSqliteStore({ file: ${JSON.stringify(file)} });
    ${program}`;
  const { NODE_TEST_CONTEXT: _context, ...env } = process.env;
  const child = spawn(process.execPath, ['--input-type=module', '-e', source], {
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  t.after(() => child.kill('SIGKILL'));
  return child;
}

/** What a process that should end well says on its way: nothing. */
async function ended(child: ChildProcess): Promise<string> {
  const closed = new Promise((resolve) => child.once('close', resolve));
  const [code, said] = await Promise.all([closed, child.stderr === null ? '' : text(child.stderr)]);
  return code === 0 ? said : `exit ${String(code)}: ${said}`;
}
