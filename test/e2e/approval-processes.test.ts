import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { suite, test, type TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';
import type { AgentResult } from '../../src/index.ts';
import { libraryOf, skillFiles, writeFiles, type Files } from '../support/library-of.ts';
import { calls, openaiServer, says, type ChatCall } from '../vendors/openai-server.ts';

const PROGRAM = fileURLToPath(new URL('../support/approving-process.ts', import.meta.url));
const CALLS: readonly ChatCall[] = [
  { id: 'a', name: 'account_get', arguments: { of: 'bob' } },
  { id: 'b', name: 'money_send', arguments: { to: 'bob', cents: '500' } },
];

interface Place {
  readonly library: string;
  /** Runs one process to its end; `resume` is what it goes on with. */
  run(resume?: object): Promise<AgentResult>;
  /** What the write was run with, one a run. */
  written(): readonly unknown[];
}

/** A library and a store on disk, a vendor on loopback, and processes over both. */
async function place(t: TestContext): Promise<Place> {
  const root = libraryOf(t);
  const ledger = join(root, 'ledger');
  const library = join(root, 'library');
  writeFiles(library, sending(ledger));
  const server = await openaiServer(t, [
    calls(CALLS),
    ...Array.from({ length: 3 }, () => says('ok')),
  ]);
  let saved = 0;
  return {
    library,
    run: async (resume) => {
      const file = join(root, `paused-${++saved}.json`);
      if (resume !== undefined) writeFileSync(file, JSON.stringify(resume));
      const given = [library, join(root, 'data'), server.url];
      const { NODE_TEST_CONTEXT: _context, ...env } = process.env;
      const child = spawn(
        process.execPath,
        [PROGRAM, ...given, ...(resume === undefined ? [] : [file])],
        { env },
      );
      const closed = new Promise((resolve) => child.once('close', resolve));
      const [out, err, code] = await Promise.all([text(child.stdout), text(child.stderr), closed]);
      assert.equal(code, 0, err);
      return JSON.parse(out) as AgentResult;
    },
    written: () =>
      existsSync(ledger)
        ? readFileSync(ledger, 'utf8')
            .trim()
            .split('\n')
            .map((line) => JSON.parse(line) as unknown)
        : [],
  };
}

/** A read, and a write that adds its parameters to a file. */
function sending(ledger: string): Files {
  const parameters = {
    type: 'object',
    properties: {
      to: { type: 'string' },
      cents: { type: 'integer', minimum: 1 },
      note: { type: 'string', default: 'thanks' },
    },
    required: ['to', 'cents'],
    additionalProperties: false,
  };
  const executor = `import { appendFileSync } from 'node:fs';
export const execute = (params) => {
  appendFileSync(${JSON.stringify(ledger)}, JSON.stringify(params) + '\\n');
  return { sent: params.cents };
};
`;
  const reading = {
    type: 'object',
    properties: { of: { type: 'string' } },
    additionalProperties: false,
  };
  return {
    ...skillFiles('account.get', { side_effect: { kind: 'read' }, parameters: reading }),
    ...skillFiles(
      'money.send',
      { side_effect: { kind: 'write', targets: ['bank'] }, parameters },
      { 'executor.mjs': executor },
    ),
  };
}

const approve = ({ state, pending = [] }: AgentResult) => ({
  state,
  decisions: Object.fromEntries(pending.map(({ id, digest }) => [id, { approved: true, digest }])),
});

suite('a decision in another process', () => {
  test('runs exactly what was approved, and once however many processes go on', async (t) => {
    const { run, written } = await place(t);
    const paused = await run();
    assert.deepEqual([paused.status, written()], ['awaiting_approval', []]);
    assert.deepEqual(
      paused.pending?.map(({ skill, params }) => [skill, params]),
      [['money.send', { to: 'bob', cents: 500, note: 'thanks' }]],
    );
    const done = await run(approve(paused));
    assert.deepEqual([done.status, done.text], ['done', 'ok']);
    assert.deepEqual(written(), [{ to: 'bob', cents: 500, note: 'thanks' }]);
    const late = await Promise.all([run(approve(paused)), run(approve(paused))]);
    assert.equal(written().length, 1);
    for (const { messages } of late) assert.match(JSON.stringify(messages), /used before/);
  });

  test('of processes that go on at once, one runs it', async (t) => {
    const { run, written } = await place(t);
    const paused = await run();
    await Promise.all([run(approve(paused)), run(approve(paused)), run(approve(paused))]);
    assert.equal(written().length, 1);
  });

  test('asks again when the skill has changed in between', async (t) => {
    const { run, written, library } = await place(t);
    const paused = await run();
    const file = join(library, 'money/send/schema.json');
    const contract = JSON.parse(readFileSync(file, 'utf8')) as { version: string };
    writeFileSync(file, JSON.stringify({ ...contract, version: '1.0.1' }));
    const again = await run(approve(paused));
    assert.deepEqual([again.status, written()], ['awaiting_approval', []]);
    assert.equal(again.pending?.[0]?.version, '1.0.1');
    const done = await run(approve(again));
    assert.deepEqual([done.status, written().length], ['done', 1]);
  });
});
