import assert from 'node:assert/strict';
import { chmodSync, readdirSync, readFileSync } from 'node:fs';
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
import type { Contract } from '../contract/contract.ts';
import type { ExecutionContext } from '../contract/execution-context.ts';
import { ToolError } from '../contract/tool-error.ts';
import { createCommandExecutor } from './command.ts';
import { RawOutput } from './executor.ts';
import type { CommandSpec } from './launch.ts';

type Call = (params?: JsonObject, context?: Partial<ExecutionContext>) => Promise<string>;

async function prepare(
  t: TestContext,
  files: Record<string, string>,
  spec: Partial<CommandSpec> = {},
  contract: Partial<Contract> = {},
): Promise<Call> {
  const executor = createCommandExecutor();
  t.after(() => executor.close?.());
  const folder = folderOf(t, files);
  const { run } = await executor.prepare(skillOf({ kind: 'command', ...spec }, folder, contract));
  return async (params = {}, context = {}) => {
    const output = await run(params, contextOf(context));
    assert.ok(output instanceof RawOutput);
    return output.text;
  };
}

/** A program of one line of shell. */
function shell(t: TestContext, script: string, contract: Partial<Contract> = {}): Promise<Call> {
  return prepare(t, { 'executor.sh': script }, {}, contract);
}

const LINUX = {
  timeout: 30_000,
  ...(process.platform === 'linux' ? {} : { skip: 'It looks into /proc.' }),
};
const TELL_PID = (pid: string): string => `echo "{\\"progress\\":{\\"done\\":${pid}}}" >&2`;

test('reads the parameters on stdin and gives what it writes on stdout', async (t) => {
  const call = await shell(t, 'cat');
  assert.equal(await call({ name: 'Größe 尺寸' }), '{"name":"Größe 尺寸"}');
});

const BY_EXTENSION = {
  'executor.py': 'import json, sys; json.dump({"n": json.load(sys.stdin)["n"] + 1}, sys.stdout)',
  'executor.sh': 'echo \'{"n": 2}\'',
  'executor.mjs':
    "import { text } from 'node:stream/consumers';\nconst { n } = JSON.parse(await text(process.stdin));\nconsole.log(JSON.stringify({ n: n + 1 }));",
  'executor.js': 'console.log(JSON.stringify({ n: 2 }));',
};

for (const [file, text] of Object.entries(BY_EXTENSION)) {
  test(`runs ${file} by its extension`, async (t) => {
    const call = await prepare(t, { [file]: text });
    assert.deepEqual(JSON.parse(await call({ n: 1 })), { n: 2 });
  });
}

test('runs a file without extension by itself', async (t) => {
  const executor = createCommandExecutor();
  const folder = folderOf(t, { executor: '#!/bin/sh\necho 1' });
  chmodSync(join(folder, 'executor'), 0o755);
  const { run } = await executor.prepare(skillOf({ kind: 'command' }, folder));
  assert.deepEqual(await run({}, contextOf()), new RawOutput('1\n'));
});

test('runs the command of the contract in the folder of the skill', async (t) => {
  const files = { 'tool.sh': '#!/bin/sh\necho "$1 $(cat data.txt)"', 'data.txt': 'here' };
  const call = await prepare(t, files, { command: ['sh', 'tool.sh', 'a b'] });
  assert.equal(await call(), 'a b here\n');
});

test('resolves a program with a slash in the folder of the skill', async (t) => {
  const executor = createCommandExecutor();
  const folder = folderOf(t, { 'tool.sh': '#!/bin/sh\necho own' });
  chmodSync(join(folder, 'tool.sh'), 0o755);
  const skill = skillOf({ kind: 'command', command: ['./tool.sh'] }, folder);
  const { run } = await executor.prepare(skill);
  assert.deepEqual(await run({}, contextOf()), new RawOutput('own\n'));
});

test('refuses to prepare without a folder, a file or a program', async (t) => {
  const executor = createCommandExecutor();
  const prepared = async (spec: Partial<CommandSpec>, folder?: string) =>
    executor.prepare(skillOf({ kind: 'command', ...spec }, folder));
  assert.match((await failure(prepared({ command: ['true'] }))).message, /has no folder/);
  const folder = folderOf(t);
  assert.match((await failure(prepared({}, folder))).message, /Add executor\.py/);
  assert.match((await failure(prepared({ file: 'x.py' }, folder))).message, /has no x\.py/);
  assert.match(
    (await failure(prepared({ command: [] }, folder))).message,
    /command of .* is empty/,
  );
});

test('passes on the safe few variables, the named ones, the secrets and the facts of the call', async (t) => {
  process.env['PROBE_CANARY'] = 'must not leak';
  process.env['PROBE_NAMED'] = 'named';
  t.after(() => {
    delete process.env['PROBE_CANARY'];
    delete process.env['PROBE_NAMED'];
  });
  const secrets = [{ name: 'token', env: 'PROBE_TOKEN' }];
  const call = await prepare(
    t,
    { 'executor.mjs': 'console.log(JSON.stringify(process.env));' },
    { environment: ['PROBE_NAMED', 'PROBE_ABSENT'] },
    { secrets },
  );
  const context = { secrets: { token: 's3cret-value' }, settings: { base: 1 }, dataDir: '/data' };
  const env = JSON.parse(await call({}, context)) as Record<string, string>;
  const safe = /^(?:PATH|HOME|LANG|LC_ALL|TZ|TMPDIR|TEMP|TMP|SYSTEMROOT)$/;
  const extra = Object.fromEntries(Object.entries(env).filter(([key]) => !safe.test(key)));
  assert.deepEqual(extra, {
    PROBE_NAMED: 'named',
    PROBE_TOKEN: 's3cret-value',
    SKILLWRIGHT_SKILL: 'probe.run',
    SKILLWRIGHT_SETTINGS: '{"base":1}',
    SKILLWRIGHT_DATA_DIR: '/data',
    SKILLWRIGHT_TRACE_ID: '0123456789abcdef0123456789abcdef',
    SKILLWRIGHT_IDEMPOTENCY_KEY: 'key-1',
  });
  assert.equal(env['PATH'], process.env['PATH']);
});

test('a secret that is not set fails the call before anything is started', async (t) => {
  const secrets = {
    get token(): string {
      throw new ToolError('UNAUTHORISED', 'Set PROBE_TOKEN.');
    },
  };
  const call = await shell(t, 'cat', { secrets: [{ name: 'token', env: 'PROBE_TOKEN' }] });
  assert.equal((await failure(call({}, { secrets }))).message, 'Set PROBE_TOKEN.');
});

test('an error written on stdout is the failure, whatever the exit status', async (t) => {
  const error = { code: 'NOT_FOUND', message: 'No such task.', details: { id: 7 } };
  for (const status of [0, 1]) {
    const call = await shell(t, `echo '${JSON.stringify({ error })}'; exit ${status}`);
    const { code, message, details, retryable } = await failure(call());
    assert.deepEqual({ code, message, details, retryable }, { ...error, retryable: false });
  }
});

test('an error of a foreign code is an EXECUTION_ERROR with that code as its reason', async (t) => {
  const report = { error: { code: 'OUT_OF_STOCK', message: 'None left.', retryable: false } };
  const error = await failure((await shell(t, `echo '${JSON.stringify(report)}'`))());
  assert.equal(error.code, 'EXECUTION_ERROR');
  assert.deepEqual(error.details, { reason: 'OUT_OF_STOCK' });
  assert.equal(error.retryable, false);
});

test('a result that merely has a field named error is a result', async (t) => {
  const text = '{"error":{"code":"NOT_FOUND","message":"x"},"rows":[]}\n';
  assert.equal(await (await shell(t, `printf '%s\\n' '${text.trim()}'`))(), text);
});

test('another exit status is an EXECUTION_ERROR that keeps stderr to the trace', async (t) => {
  const call = await shell(t, 'echo "password=hunter2" >&2; exit 3');
  const error = await failure(call());
  assert.equal(error.code, 'EXECUTION_ERROR');
  assert.equal(error.retryable, true);
  assert.match(error.message, /exit status 3/);
  assert.deepEqual(error.details, { reason: 'program_failed', exit_status: 3 });
  assert.doesNotMatch(JSON.stringify(error), /hunter2/);
  assert.equal(error.cause, 'password=hunter2\n');
});

test('names the signal that ended a program', async (t) => {
  const error = await failure((await shell(t, 'kill -TERM $$'))());
  assert.match(error.message, /ended by SIGTERM/);
  assert.deepEqual(error.details, { reason: 'program_failed', signal: 'SIGTERM' });
});

test('keeps the last 8 KiB of stderr', async (t) => {
  const script = `
    process.stderr.write('first' + 'x'.repeat(100_000) + '\\n' + 'y'.repeat(100) + '\\nlast\\n');
    process.exitCode = 1;`;
  const { cause } = await failure((await prepare(t, { 'executor.mjs': script }))());
  assert.ok(typeof cause === 'string');
  assert.equal(cause.length, 8192);
  assert.ok(cause.endsWith(`${'y'.repeat(100)}\nlast\n`));
});

test('says which program is missing', async (t) => {
  const call = await prepare(t, {}, { command: ['no-such-program-here'] });
  const error = await failure(call({ text: 'x'.repeat(200_000) }));
  assert.equal(error.code, 'EXECUTION_ERROR');
  assert.equal(error.retryable, false);
  assert.match(error.message, /Install no-such-program-here/);
  assert.deepEqual(error.details, { reason: 'program_missing', program: 'no-such-program-here' });
});

test('says that a program may not be executed', async (t) => {
  const call = await prepare(t, { executor: '#!/bin/sh\n' });
  const error = await failure(call());
  assert.equal(error.retryable, false);
  assert.match(error.message, /executor may not be executed\. .*chmod \+x/);
});

test('stops a program that floods stdout', { timeout: 20_000 }, async (t) => {
  const call = await shell(t, `${TELL_PID('$$')}; exec yes`);
  const { progress, pid } = reported();
  const error = await failure(call({}, { progress }));
  assert.deepEqual(error.details, { reason: 'output_too_large' });
  assert.equal(error.retryable, false);
  await gone(await pid);
});

test('a program that does not read its parameters is not at fault', async (t) => {
  const call = await shell(t, 'exec <&-; echo 1');
  assert.equal(await call({ text: 'x'.repeat(1_000_000) }), '1\n');
});

test('passes progress on and keeps it out of stderr', async (t) => {
  const seen: unknown[][] = [];
  const call = await shell(
    t,
    `echo '{"progress":{"done":1,"total":3,"message":"one"}}' >&2
     echo '{"progress":"no"}' >&2
     echo '{"progress":{"done":2}}' >&2
     exit 1`,
  );
  const error = await failure(call({}, { progress: (...progress) => void seen.push(progress) }));
  assert.deepEqual(seen, [
    [1, 3, 'one'],
    [2, undefined, undefined],
  ]);
  assert.equal(error.cause, '{"progress":"no"}\n');
});

test('an aborted call is refused before it starts', async (t) => {
  const folder = folderOf(t);
  const call = await shell(t, `touch '${folder}/started'`);
  const reason = new Error('too late');
  await assert.rejects(call({}, { signal: AbortSignal.abort(reason) }), reason);
  assert.deepEqual(readdirSync(folder), []);
});

test('abort ends the whole group, deaf programs and their children included', async (t) => {
  const controller = new AbortController();
  const call = await shell(t, `trap '' TERM INT HUP; sleep 1000 & ${TELL_PID('$!')}; wait`);
  const { progress, pid } = reported();
  const running = call({}, { progress, signal: controller.signal });
  const grandchild = await pid;
  assert.equal(await isGone(grandchild), false);
  const reason = new Error('stopped');
  controller.abort(reason);
  await assert.rejects(running, reason);
  await gone(grandchild);
});

// Starts a process that leaves the group and goes on only when it has.
const ESCAPE = `setsid sleep 1000 &
  until [ "$(cut -d' ' -f6 /proc/$!/stat)" = "$!" ]; do :; done; ${TELL_PID('$!')}`;

test(
  'abort ends a process that left the group, too, as long as its parent lives',
  LINUX,
  async (t) => {
    const controller = new AbortController();
    const call = await shell(t, `${ESCAPE}; wait`);
    const { progress, pid } = reported();
    const running = call({}, { progress, signal: controller.signal });
    const escaped = await pid;
    controller.abort(new Error('stopped'));
    await assert.rejects(running, /stopped/);
    await gone(escaped);
  },
);

test('a result stands though a process that left the group holds the pipes', LINUX, async (t) => {
  const call = await shell(t, `${ESCAPE}; echo '"done"'`);
  const { progress, pid } = reported();
  assert.equal(await call({}, { progress }), '"done"\n');
  process.kill(await pid, 'SIGKILL');
});

test('what a program leaves behind in its group ends with it', async (t) => {
  const call = await shell(t, `sleep 1000 & ${TELL_PID('$!')}; echo 1`);
  const { progress, pid } = reported();
  assert.equal(await call({}, { progress }), '1\n');
  await gone(await pid);
});

test('close ends what is running and refuses what comes after', async (t) => {
  const executor = createCommandExecutor();
  const folder = folderOf(t, { 'executor.sh': `${TELL_PID('$$')}; sleep 1000` });
  const { run } = await executor.prepare(skillOf({ kind: 'command' }, folder));
  const { progress, pid } = reported();
  const running = failure(run({}, contextOf({ progress })));
  const leader = await pid;
  await executor.close?.();
  assert.ok(await isGone(leader));
  assert.match((await running).message, /SIGKILL/);
  const late = await failure(run({}, contextOf()));
  assert.deepEqual(late.details, { reason: 'closed' });
});

test('many calls leave no process, descriptor or listener behind', LINUX, async (t) => {
  const call = await shell(t, 'cat');
  const { signal } = new AbortController();
  const listening = new Set<unknown>();
  signal.addEventListener = (_type: string, listener: unknown) => void listening.add(listener);
  signal.removeEventListener = (_type: string, listener: unknown) =>
    void listening.delete(listener);
  await call({}, { signal });
  const descriptors = readdirSync('/proc/self/fd').length;
  const children = new Set(childrenOfThis());
  for (let index = 0; index < 200; index++) await call({ index }, { signal });
  assert.ok(readdirSync('/proc/self/fd').length <= descriptors);
  assert.deepEqual(
    childrenOfThis().filter((pid) => !children.has(pid)),
    [],
  );
  assert.equal(listening.size, 0);
});

/** Processes that are children of this one, zombies included. */
function childrenOfThis(): string[] {
  const own = readdirSync('/proc/self/task').flatMap((task) =>
    readFileSync(`/proc/self/task/${task}/children`, 'utf8').split(' '),
  );
  return own.filter((pid) => pid !== '');
}
