import assert from 'node:assert/strict';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { createRuntime, openSqliteStore, ToolError } from '../../src/index.ts';
import { chainHash, GENESIS } from '../../src/store/hash-chain.ts';
import { callOf, runtimeOf, skillOf } from '../support/runtime-of.ts';

async function folderOf(t: TestContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'skillwright-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

test('64 at a time, 10,000 calls each leave one row, and the chain of rows holds', async (t) => {
  const store = openSqliteStore({ file: join(await folderOf(t), 'store.db') });
  const runtime = await runtimeOf(
    t,
    [
      skillOf('demo.read', ({ n }) => n),
      skillOf('demo.soon', async ({ n }) => n),
      skillOf('demo.write', ({ n }) => n, { side_effect: { kind: 'write' } }),
    ],
    { store },
  );
  const names = ['demo.read', 'demo.soon', 'demo.read', 'demo.write'];
  const lanes = Array.from({ length: 64 }, async (_, lane) => {
    const session = await runtime.openSession({ conversation: `lane-${lane}` });
    for (let n = lane; n < 10_000; n += 64) {
      session.beginTurn();
      const envelope = await callOf(runtime, names[n % names.length] as string, { n }, { session });
      assert.deepEqual(envelope.success && envelope.result, n);
    }
  });
  await Promise.all(lanes);
  const rows = await store.audit.list();
  assert.equal(rows.length, 10_000);
  let prev = GENESIS;
  for (const [index, row] of rows.entries()) {
    assert.deepEqual([row.seq, row.prev, row.hash], [index + 1, prev, chainHash(row)]);
    prev = row.hash;
  }
  assert.deepEqual(await store.journal.unsettled(), []);
  assert.equal((await store.calls.list({ conversation: 'lane-63', limit: 1_000 })).length, 156);
  await runtime.close();
  await store.close();
});

test('a reload keeps what is unchanged, lets running calls end, and leaves a row of what changed', async (t) => {
  const folder = await folderOf(t);
  const registry = join(folder, 'registry.json');
  const contract = (name: string, description: string): object => ({
    name,
    version: '1.0.0',
    description,
    purpose: 'p',
    side_effect: { kind: 'none' },
    rules: { none: 'x' },
    parameters: { type: 'object', properties: {} },
    executor: { kind: 'module', file: `${name}.mjs` },
  });
  await writeFile(
    join(folder, 'demo.wait.mjs'),
    "export const execute = () => new Promise((resolve) => { globalThis.release = () => resolve('old'); });",
  );
  await writeFile(join(folder, 'demo.same.mjs'), 'export const execute = () => 1;');
  await writeFile(
    registry,
    JSON.stringify({ skills: [contract('demo.wait', 'before'), contract('demo.same', 'same')] }),
  );
  const store = openSqliteStore({ file: join(folder, 'store.db') });
  const runtime = await createRuntime({ library: registry, dataDir: folder, store });
  const same = runtime.snapshot.get('demo.same');
  const running = runtime.runSkill('demo.wait');
  const global = globalThis as { release?: () => void };
  while (global.release === undefined) await new Promise((resolve) => setImmediate(resolve));
  await writeFile(
    registry,
    JSON.stringify({ skills: [contract('demo.wait', 'after'), contract('demo.same', 'same')] }),
  );
  await runtime.reload();
  assert.equal(runtime.snapshot.get('demo.same'), same);
  assert.equal(runtime.snapshot.get('demo.wait')?.contract.description, 'after');
  let closed = false;
  const closing = runtime.close().then(() => (closed = true));
  await new Promise((resolve) => setImmediate(resolve));
  assert.equal(closed, false, 'close waits for what runs');
  global.release();
  assert.deepEqual((await running).result, 'old');
  await closing;
  const changes = (await store.audit.list())
    .filter(({ kind }) => kind === 'library')
    .map(({ body }) => JSON.parse(body) as { changes: unknown });
  assert.deepEqual(
    changes.map((row) => row.changes),
    [
      [
        {
          skill: 'demo.wait',
          change: 'changed',
          from: '1.0.0',
          to: '1.0.0',
          fields: ['description'],
        },
      ],
    ],
  );
  await store.close();
});

test('what lay behind a failure is in the trace of the call, and never in its answer', async (t) => {
  const folder = await folderOf(t);
  await writeFile(
    join(folder, 'dies.sh'),
    'echo "first line" >&2; echo "no such table" >&2; exit 3',
  );
  const registry = join(folder, 'registry.json');
  const skill = {
    name: 'demo.dies',
    version: '1.0.0',
    description: 'd',
    purpose: 'p',
    side_effect: { kind: 'read' },
    rules: { none: 'x' },
    parameters: { type: 'object', properties: {} },
    policy: { retries: 0 },
    executor: { kind: 'command', command: ['sh', 'dies.sh'] },
  };
  await writeFile(registry, JSON.stringify({ skills: [skill] }));
  const throwing = skillOf(
    'demo.throws',
    () => Promise.reject(new TypeError('outer', { cause: new Error('inner') })),
    { policy: { retries: 0 } },
  );
  const runtime = await createRuntime({ library: registry, skills: [throwing], dataDir: folder });
  t.after(() => runtime.close());
  const behind = async (name: string): Promise<string | null | undefined> => {
    const envelope = await callOf(runtime, name);
    assert.doesNotMatch(JSON.stringify(envelope), /no such table|record\.test/);
    return (await runtime.trace(envelope.metadata.traceId))?.cause;
  };
  assert.equal(await behind('demo.dies'), 'first line\nno such table');
  assert.match((await behind('demo.throws')) ?? '', /^TypeError: outer\n.*record\.test/s);
});

test('a secret comes out nowhere, wherever a body puts it', async (t) => {
  const canary = 'canary-Zx81/secret+value';
  const token = 'ghp_canarycanarycanarycanarycanary0';
  const folder = await folderOf(t);
  const server = createServer((request, response) => {
    response.writeHead(500, { 'content-type': 'application/json', 'x-key': canary });
    response.end(
      JSON.stringify({ error: `refused ${request.headers.authorization ?? ''} ${canary}` }),
    );
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  t.after(() => server.close());
  const registry = join(folder, 'registry.json');
  const secrets = [{ name: 'key', env: 'SKILLWRIGHT_CANARY' }];
  const contract = (name: string, executor: object): object => ({
    name,
    version: '1.0.0',
    description: 'd',
    purpose: 'p',
    side_effect: { kind: 'read' },
    rules: { none: 'x' },
    parameters: {
      type: 'object',
      properties: { n: { type: 'integer' }, mode: { type: 'string' } },
    },
    secrets,
    policy: { retries: 0 },
    executor,
  });
  await writeFile(
    join(folder, 'loud.sh'),
    'echo "$SKILLWRIGHT_CANARY" >&2; echo "{\\"error\\":{\\"code\\":\\"NOT_FOUND\\",\\"message\\":\\"no $SKILLWRIGHT_CANARY\\",\\"details\\":{\\"k\\":\\"$SKILLWRIGHT_CANARY\\"}}}"',
  );
  await writeFile(
    join(folder, 'dies.sh'),
    'echo "$SKILLWRIGHT_CANARY" >&2; echo "$SKILLWRIGHT_CANARY"; exit 3',
  );
  await writeFile(join(folder, 'plain.sh'), 'echo "not json $SKILLWRIGHT_CANARY"');
  await writeFile(
    registry,
    JSON.stringify({
      skills: [
        contract('leak.coded', { kind: 'command', command: ['sh', 'loud.sh'] }),
        contract('leak.dies', { kind: 'command', command: ['sh', 'dies.sh'] }),
        contract('leak.plain', { kind: 'command', command: ['sh', 'plain.sh'] }),
        contract('leak.http', {
          kind: 'http',
          method: 'GET',
          url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/x`,
          headers: { authorization: 'Bearer {secrets.key}' },
        }),
      ],
    }),
  );
  const leaks: readonly ((key: string) => unknown)[] = [
    (key) => Promise.reject(new Error(`plain ${key}`)),
    (key) =>
      Promise.reject(
        new ToolError('NOT_FOUND', `coded ${key}`, { details: { key, list: [key], [key]: 1 } }),
      ),
    (key) => Promise.reject(new Error('outer', { cause: new Error(key) })),
    (key) => Promise.reject(key),
    (key) => ({ isError: true, message: `data ${key}` }),
    (key) => ({ result: key, [key]: key }),
    () => Promise.reject(new Error(`a token ${token} of its own`)),
  ];
  const skills = leaks.map((leak, index) =>
    skillOf(`leak.n${index}`, (_params, context) => leak(context.secrets['key'] as string), {
      secrets,
      policy: { retries: 0 },
    }),
  );
  const runtime = await createRuntime({
    library: registry,
    skills,
    dataDir: folder,
    secrets: { key: canary },
    allowPrivate: ['127.0.0.1'],
  });
  const told: unknown[] = [];
  for (const {
    contract: { name },
  } of runtime.snapshot.skills) {
    for (const params of [{}, { n: canary }, { mode: canary }, { [canary]: 1 }]) {
      const envelope = await callOf(runtime, name, params);
      told.push(envelope, await runtime.trace(envelope.metadata.traceId));
    }
  }
  told.push(
    await callOf(runtime, canary),
    await runtime.validateSkill(canary, { [canary]: canary }),
  );
  await runtime.close();
  for (const file of await readdir(folder))
    if (file.startsWith('store.db'))
      told.push((await readFile(join(folder, file))).toString('latin1'));
  const spellings = [
    canary,
    token,
    encodeURIComponent(canary),
    Buffer.from(canary).toString('base64'),
  ];
  for (const spelling of spellings)
    assert.ok(!JSON.stringify(told).includes(spelling), `${spelling} came out`);
  assert.ok(told.length > 80);
});
