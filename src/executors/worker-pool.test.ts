import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import {
  contextOf,
  failure,
  folderOf,
  gone,
  isGone,
  reported,
  skillOf,
} from '../../test/support/executor-fixture.ts';
import type { JsonObject } from '../base/json.ts';
import type { ExecutionContext } from '../contract/execution-context.ts';
import { createCommandExecutor, type CommandOptions } from './command.ts';
import type { CommandSpec } from './launch.ts';

type Call = (params?: JsonObject, context?: Partial<ExecutionContext>) => Promise<unknown>;

/** A worker whose answer to `params.do` is written by hand, to play every way it can go wrong. */
const WORKER = `
import { existsSync } from 'node:fs';
import { createInterface } from 'node:readline';
const say = (value) => process.stdout.write(JSON.stringify(value) + '\\n');
const acts = {
  pid: ({ id }) => say({ id, result: process.pid }),
  request: ({ id, ...rest }) => say({ id, result: rest }),
  environment: ({ id }) => say({ id, result: process.env }),
  crash: () => { console.error('about to crash'); process.exit(7); },
  hang: ({ id }) => { setInterval(() => {}, 1000); say({ id, progress: { done: process.pid } }); },
  wait: ({ id, params }) => {
    say({ id, progress: { done: process.pid } });
    const poll = setInterval(() => {
      if (!existsSync(params.file)) return;
      clearInterval(poll);
      say({ id, result: process.pid });
    }, 2);
  },
  fail: ({ id }) => say({ id, error: { code: 'NOT_FOUND', message: 'No such task.', details: { id: 7 } } }),
  text: ({ id }) => say({ id, error: 'plain text' }),
  garbage: () => process.stdout.write('Loading model ...\\n'),
  foreign: ({ id }) => say({ id: id + 1, result: 1 }),
  empty: ({ id }) => say({ id }),
  blank: ({ id }) => process.stdout.write('\\n  \\n' + JSON.stringify({ id, result: 'after blanks' }) + '\\n'),
  big: ({ id }) => process.stdout.write('{"id":' + id + ',"result":{"n":12345678901234567890}}\\n'),
  garbled: ({ id }) => process.stdout.write(Buffer.concat([Buffer.from('{"id":' + id + ',"result":"'), Uint8Array.of(255), Buffer.from('"}\\n')])),
  twice: ({ id }) => process.stdout.write((JSON.stringify({ id, result: process.pid }) + '\\n').repeat(2)),
  chunks: async ({ id }) => {
    const bytes = Buffer.from(JSON.stringify({ id, result: '尺寸 Größe' }) + '\\n');
    for (const byte of bytes) await new Promise((sent) => process.stdout.write(Uint8Array.of(byte), sent));
  },
  progress: ({ id }) => process.stdout.write(
    [{ id, progress: { done: 1, total: 2 } }, { id, progress: { done: 2, total: 2, message: 'two' } }, { id, result: 'done' }]
      .map((line) => JSON.stringify(line) + '\\n').join('')),
  flood: () => process.stdout.write('x'.repeat(17 * 1024 * 1024)),
};
for await (const line of createInterface({ input: process.stdin })) {
  const request = JSON.parse(line);
  acts[request.params.do ?? 'pid'](request);
}`;

async function prepare(
  t: TestContext,
  spec: Partial<CommandSpec> = {},
  options: CommandOptions = {},
): Promise<Call> {
  const executor = createCommandExecutor(options);
  t.after(() => executor.close?.());
  const folder = folderOf(t, { 'executor.mjs': WORKER });
  const skill = skillOf({ kind: 'command', mode: 'pooled', ...spec }, folder);
  const { run } = await executor.prepare(skill);
  return async (params = {}, context = {}) => run(params, contextOf(context));
}

const PYTHON = `
import json, sys

def execute(params, context):
    if params["n"] < 0:
        raise ValueError("n must not be negative")
    return {"n": params["n"] + 1, "attempt": context["attempt"]}

for line in sys.stdin:
    request = json.loads(line)
    try:
        answer = {"result": execute(request["params"], request["context"])}
    except ValueError as error:
        answer = {"error": {"code": "INVALID_PARAMS", "message": str(error)}}
    print(json.dumps({"id": request["id"], **answer}), flush=True)
`;

test('a worker in Python answers call after call', async (t) => {
  const executor = createCommandExecutor();
  t.after(() => executor.close?.());
  const folder = folderOf(t, { 'executor.py': PYTHON });
  const { run } = await executor.prepare(skillOf({ kind: 'command', mode: 'pooled' }, folder));
  assert.deepEqual(await run({ n: 1 }, contextOf()), { n: 2, attempt: 1 });
  const error = await failure(run({ n: -1 }, contextOf()));
  assert.equal(error.code, 'INVALID_PARAMS');
  assert.deepEqual(await run({ n: 2 }, contextOf({ attempt: 3 })), { n: 3, attempt: 3 });
});

test('calls one after another share a worker', async (t) => {
  const call = await prepare(t);
  const pid = await call();
  assert.equal(await call(), pid);
  assert.equal(await call(), pid);
});

test('a request holds the parameters and the facts of its call', async (t) => {
  const call = await prepare(t);
  const params = { do: 'request', text: '尺寸\n"' };
  const facts = { idempotencyKey: 'key "2"', attempt: 2, dataDir: '/data' };
  for (const settings of [{ base: 1 }, { base: 2 }]) {
    assert.deepEqual(await call(params, { ...facts, settings }), {
      params,
      context: { traceId: contextOf().traceId, ...facts, settings },
    });
  }
});

test('a worker sees no more of the environment than it should', async (t) => {
  process.env['PROBE_CANARY'] = 'must not leak';
  t.after(() => delete process.env['PROBE_CANARY']);
  const env = (await (await prepare(t))({ do: 'environment' })) as Record<string, string>;
  assert.equal(env['SKILLWRIGHT_SKILL'], 'probe.run');
  assert.equal(env['PROBE_CANARY'], undefined);
  assert.equal(env['SKILLWRIGHT_TRACE_ID'], undefined);
});

test('as many calls run together as there are workers, the others wait in order', async (t) => {
  const call = await prepare(t, { pool_size: 2 });
  const file = join(folderOf(t), 'go');
  const starts = [reported(), reported(), reported()];
  const calls = starts.map(({ progress }) => call({ do: 'wait', file }, { progress }));
  const [first, second] = await Promise.all(starts.slice(0, 2).map(({ pid }) => pid));
  assert.notEqual(first, second);
  writeFileSync(file, '');
  const pids = await Promise.all(calls);
  assert.deepEqual(pids.slice(0, 2), [first, second]);
  assert.ok(pids[2] === first || pids[2] === second);
});

test('abort takes a waiting call out of the queue at once', async (t) => {
  const call = await prepare(t, { pool_size: 1 });
  const file = join(folderOf(t), 'go');
  const { progress, pid } = reported();
  const running = call({ do: 'wait', file }, { progress });
  await pid;
  const controller = new AbortController();
  const waiting = call({}, { signal: controller.signal });
  const last = call();
  const reason = new Error('stopped waiting');
  controller.abort(reason);
  await assert.rejects(waiting, reason);
  writeFileSync(file, '');
  assert.equal(await running, await pid);
  assert.equal(await last, await pid);
});

test('abort in the middle of a call ends the worker, and the next call gets another', async (t) => {
  const call = await prepare(t, { pool_size: 1 });
  const controller = new AbortController();
  const { progress, pid } = reported();
  const running = call({ do: 'hang' }, { progress, signal: controller.signal });
  const worker = await pid;
  const next = call();
  const reason = new Error('stopped');
  controller.abort(reason);
  await assert.rejects(running, reason);
  assert.ok(await isGone(worker));
  assert.notEqual(await next, worker);
});

test('an aborted call is refused before it starts', async (t) => {
  const call = await prepare(t);
  await assert.rejects(call({}, { signal: AbortSignal.abort(new Error('too late')) }), /too late/);
});

test('a crash fails its call only, and the next gets another worker', async (t) => {
  const call = await prepare(t, { pool_size: 1 });
  const worker = await call();
  const crashed = call({ do: 'crash' });
  const next = call();
  const error = await failure(crashed);
  assert.equal(error.code, 'EXECUTION_ERROR');
  assert.deepEqual(error.details, { reason: 'program_failed', exit_status: 7 });
  assert.equal(error.cause, 'about to crash\n');
  assert.notEqual(await next, worker);
});

test('a worker that died while idle is replaced', async (t) => {
  const call = await prepare(t, { pool_size: 1 });
  const worker = (await call()) as number;
  process.kill(worker, 'SIGKILL');
  // Reaped means that this process has been told.
  while (isRunning(worker)) await new Promise(setImmediate);
  assert.notEqual(await call(), worker);
});

test('a whole number beyond 2^53 keeps its digits, as text', async (t) => {
  const call = await prepare(t);
  assert.deepEqual(await call({ do: 'big' }), { n: '12345678901234567890' });
});

test('an answer that is not UTF-8 fails its call alone', async (t) => {
  const call = await prepare(t);
  const worker = await call();
  assert.equal((await failure(call({ do: 'garbled' }))).code, 'PARSE_ERROR');
  assert.equal(await call(), worker);
});

test('an error answer fails the call and keeps the worker', async (t) => {
  const call = await prepare(t, { pool_size: 1 });
  const worker = await call();
  const { code, message, details } = await failure(call({ do: 'fail' }));
  assert.deepEqual([code, message, details], ['NOT_FOUND', 'No such task.', { id: 7 }]);
  assert.equal((await failure(call({ do: 'text' }))).message, 'plain text');
  assert.equal(await call(), worker);
});

for (const act of ['garbage', 'foreign', 'empty']) {
  test(`a line that is no answer ends the worker: ${act}`, async (t) => {
    const call = await prepare(t, { pool_size: 1 });
    const worker = (await call()) as number;
    const error = await failure(call({ do: act }));
    assert.deepEqual(error.details, { reason: 'protocol' });
    assert.equal(error.retryable, false);
    assert.match(error.message, /everything else on stderr/);
    assert.ok(await isGone(worker));
    assert.notEqual(await call(), worker);
  });
}

test('of two answers to one request the first counts and the worker is replaced', async (t) => {
  const call = await prepare(t, { pool_size: 1 });
  const worker = (await call({ do: 'twice' })) as number;
  assert.notEqual(await call(), worker);
  await gone(worker);
});

test('reads answers in any chunks, several lines in one, and past blank lines', async (t) => {
  const call = await prepare(t, { pool_size: 1 });
  const worker = await call();
  const seen: unknown[][] = [];
  const progress = (...report: unknown[]) => void seen.push(report);
  assert.equal(await call({ do: 'chunks' }), '尺寸 Größe');
  assert.equal(await call({ do: 'progress' }, { progress }), 'done');
  assert.equal(await call({ do: 'blank' }), 'after blanks');
  assert.deepEqual(seen, [
    [1, 2, undefined],
    [2, 2, 'two'],
  ]);
  assert.equal(await call(), worker);
});

test('an answer without end is cut off', async (t) => {
  const error = await failure((await prepare(t))({ do: 'flood' }));
  assert.deepEqual(error.details, { reason: 'output_too_large' });
});

test('says which program is missing', async (t) => {
  const call = await prepare(t, { command: ['no-such-program-here'] });
  const error = await failure(call());
  assert.deepEqual(error.details, { reason: 'program_missing', program: 'no-such-program-here' });
});

test('an unused worker ends after a while', async (t) => {
  const call = await prepare(t, { pool_size: 1 }, { idleMs: 1 });
  const worker = (await call()) as number;
  await gone(worker);
  assert.notEqual(await call(), worker);
});

test('close ends idle and busy workers and fails what waits', async (t) => {
  const executor = createCommandExecutor();
  const folder = folderOf(t, { 'executor.mjs': WORKER });
  const spec = { kind: 'command', mode: 'pooled', pool_size: 2 } as const;
  const { run } = await executor.prepare(skillOf(spec, folder));
  const starts = [reported(), reported()];
  const busy = starts.map(({ progress }) => failure(run({ do: 'hang' }, contextOf({ progress }))));
  const waiting = failure(run({}, contextOf()));
  const pids = await Promise.all(starts.map(({ pid }) => pid));
  await executor.close?.();
  for (const pid of pids) assert.ok(await isGone(pid));
  for (const error of await Promise.all(busy)) assert.match(error.message, /SIGKILL/);
  assert.deepEqual((await waiting).details, { reason: 'closed' });
});

test('leaves no listener on the signal of a call', async (t) => {
  const call = await prepare(t);
  const { signal } = new AbortController();
  const listening = new Set<unknown>();
  signal.addEventListener = (_type: string, listener: unknown) => void listening.add(listener);
  signal.removeEventListener = (_type: string, listener: unknown) =>
    void listening.delete(listener);
  const calls = Array.from({ length: 5 }, () => call({}, { signal }));
  assert.ok(listening.size > 0);
  await Promise.all(calls);
  await failure(call({ do: 'fail' }, { signal }));
  await failure(call({ do: 'crash' }, { signal }));
  assert.equal(listening.size, 0);
});

/** A program of its own that makes one pooled call, prints what that tells and then does `last`. */
function inHost(
  t: TestContext,
  params: JsonObject,
  last = '',
  spec: Partial<CommandSpec> = {},
): { told: number; status: number } {
  const folder = folderOf(t, { 'executor.mjs': WORKER });
  const module = JSON.stringify(new URL('command.ts', import.meta.url).href);
  const script = `
    const { createCommandExecutor } = await import(${module});
    const executor = ${JSON.stringify({ kind: 'command', mode: 'pooled', ...spec })};
    const contract = { name: 'probe.run', secrets: [], executor };
    const { run } = await createCommandExecutor().prepare({ contract, folder: ${JSON.stringify(folder)} });
    const told = (number) => { console.log(number); ${last} };
    run(${JSON.stringify(params)}, {
      signal: new AbortController().signal, secrets: {}, settings: {}, dataDir: '/', progress: told,
    }).then(told, (error) => told(error.details.exit_status ?? -1));`;
  const { stdout, status } = spawnSync(
    process.execPath,
    ['--input-type=module', '--eval', script],
    { encoding: 'utf8', timeout: 20_000 },
  );
  return { told: Number(stdout), status: status ?? -1 };
}

test('idle workers do not keep their host alive, and end with it', async (t) => {
  const { told, status } = inHost(t, {});
  assert.equal(status, 0);
  assert.ok(told > 0);
  await gone(told);
});

test('a call keeps its host alive until it is settled, though its worker fails', (t) => {
  assert.deepEqual(inHost(t, { do: 'crash' }), { told: 7, status: 0 });
  const missing = inHost(t, {}, '', { command: ['no-such-program-here'] });
  assert.deepEqual(missing, { told: -1, status: 0 });
});

test('a host that exits in the middle of a call takes its workers along', async (t) => {
  const { told, status } = inHost(t, { do: 'hang' }, 'process.exit(3)');
  assert.equal(status, 3);
  assert.ok(told > 0);
  await gone(told);
});

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
