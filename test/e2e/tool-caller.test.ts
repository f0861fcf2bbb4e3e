import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, suite, test } from 'node:test';
import { createRuntime, type Runtime, type Session } from '../../src/index.ts';
import { callOf, verdict } from '../support/runtime-of.ts';

suite('the tool caller, through code', () => {
  let runtime: Runtime;
  let session: Session;
  let dataDir: string;

  before(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'skillwright-'));
    runtime = await createRuntime({
      library: join(import.meta.dirname, '../fixtures/tool-caller'),
      dataDir,
    });
    session = await runtime.openSession();
  });

  after(async () => {
    await runtime.close();
    await rm(dataDir, { recursive: true, force: true });
  });

  test('TC-01 discover lists every tool and executes nothing', () => {
    const { success, result, metadata } = session.discover();
    assert.equal(success, true);
    assert.equal(metadata.total, runtime.snapshot.skills.length);
    for (const tool of result?.tools ?? [])
      assert.deepEqual(Object.keys(tool), ['name', 'description', 'paramsSchema', 'metadata']);
  });

  test('TC-02 a filter keeps what matches by name or by tag', () => {
    const names = (filter: string): string[] | undefined =>
      session
        .discover({ action: 'discover', options: { filter } })
        .result?.tools.map(({ name }) => name);
    assert.deepEqual(names('ECHO'), ['demo.echo']);
    const tagged = runtime.snapshot.skills
      .filter(({ contract }) => contract.tags.includes('text'))
      .map(({ contract }) => contract.name);
    assert.ok(tagged.length > 0);
    for (const name of tagged) assert.ok(names('text')?.includes(name));
    assert.deepEqual(names('no such thing'), []);
  });

  test('TC-03 a valid call succeeds in under 5 s', async () => {
    const envelope = await callOf(runtime, 'demo.echo', { text: 'hi' }, { session });
    assert.ok(envelope.success && envelope.metadata.duration < 5_000);
    assert.deepEqual(envelope.result, { text: 'hi' });
  });

  test('TC-04 timeout=100 with the other defaults gives TIMEOUT after 4 attempts', async () => {
    const began = performance.now();
    const envelope = await callOf(
      runtime,
      'demo.slow',
      { ms: 5_000 },
      { session, options: { timeout: 100 } },
    );
    assert.equal(verdict(envelope), 'TIMEOUT attempt_timeout 4');
    assert.ok(performance.now() - began < 5_000);
  });

  test('TC-05 retries=2 on what always fails gives 3 attempts', async () => {
    assert.match(
      verdict(
        await callOf(runtime, 'demo.fail', {}, { session, options: { retries: 2, retryDelay: 1 } }),
      ),
      /^(EXECUTION_ERROR|RETRY_EXHAUSTED) .* 3$/,
    );
  });

  test('TC-06 an unknown tool gives TOOL_NOT_FOUND', async () => {
    const envelope = await callOf(runtime, 'demo.ecoh', {}, { session });
    assert.ok(!envelope.success);
    assert.equal(envelope.error.code, 'TOOL_NOT_FOUND');
    assert.match(envelope.error.message, /demo\.echo/);
  });

  test('TC-07 missing and mistyped parameters give INVALID_PARAMS', async () => {
    assert.equal(
      verdict(await callOf(runtime, 'demo.echo', {}, { session })),
      'INVALID_PARAMS structure 0',
    );
    assert.equal(
      verdict(await callOf(runtime, 'demo.echo', { text: 5 }, { session })),
      'INVALID_PARAMS structure 0',
    );
  });

  test('TC-08 what the tool throws is EXECUTION_ERROR with one readable line', async () => {
    const envelope = await callOf(runtime, 'demo.fail', {}, { session, options: { retries: 0 } });
    assert.ok(!envelope.success);
    assert.equal(envelope.error.code, 'EXECUTION_ERROR');
    assert.doesNotMatch(envelope.error.message, /\n|\.ts:\d/);
  });

  test('TC-09 output that is no JSON gives PARSE_ERROR, and passes as raw', async () => {
    assert.equal(
      verdict(
        await callOf(
          runtime,
          'demo.plain',
          {},
          { session, options: { format: 'json', retries: 0 } },
        ),
      ),
      'PARSE_ERROR result 1',
    );
    assert.equal(
      verdict(await callOf(runtime, 'demo.plain', {}, { session, options: { format: 'raw' } })),
      'ok 1',
    );
  });

  test('TC-10 a call that needs one retry succeeds in under 5 s', async () => {
    const envelope = await callOf(runtime, 'demo.flaky', { key: 'code' }, { session });
    assert.equal(verdict(envelope), 'ok 2');
    assert.ok(envelope.metadata.duration < 5_000);
  });

  test('validateSkill cleans and checks, and executes nothing', async () => {
    assert.deepEqual(await runtime.validateSkill('demo.slow', { ms: '20' }), {
      valid: true,
      params: { ms: 20 },
      warnings: [],
    });
    const refused = await runtime.validateSkill('demo.slow', { ms: 'x' });
    assert.ok(!refused.valid);
    assert.equal(refused.error.code, 'INVALID_PARAMS');
    const unknown = await runtime.validateSkill('demo.slwo', {});
    assert.ok(!unknown.valid);
    assert.equal(unknown.error.code, 'TOOL_NOT_FOUND');
  });

  test('a hang that is killed leaves no process behind', async () => {
    const envelope = await callOf(
      runtime,
      'demo.stuck',
      {},
      { session, options: { timeout: 200, retries: 0 } },
    );
    assert.equal(verdict(envelope), 'TIMEOUT attempt_timeout 1');
    const running = (): number =>
      process.getActiveResourcesInfo().filter((kind) => kind === 'ProcessWrap').length;
    // On a busy machine a killed process takes a moment to be gone.
    const until = performance.now() + 5_000;
    while (running() > 0 && performance.now() < until) await new Promise(setImmediate);
    assert.equal(running(), 0);
  });
});
