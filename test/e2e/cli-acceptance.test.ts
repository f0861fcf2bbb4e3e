import assert from 'node:assert/strict';
import { after, suite, test } from 'node:test';
import type { DiscoverEnvelope, Envelope } from '../../src/contract/envelope.ts';
import { ERROR_CODES } from '../../src/contract/error.ts';
import { FIXTURE, runCli, temporaryFolder, type Finished } from '../support/run-cli.ts';

const data = temporaryFolder();
after(data.remove);

function send(request: unknown): Promise<Finished> {
  return runCli(['call', '-', '--library', FIXTURE], {
    input: JSON.stringify(request),
    env: { SKILLWRIGHT_DATA_DIR: data.path },
  });
}

/** The one line of JSON that stdout holds. */
function lineOf({ stdout }: Finished): unknown {
  assert.match(stdout, /^\{.*\}\n$/, 'stdout holds exactly one line of JSON');
  return JSON.parse(stdout);
}

async function succeed(request: unknown): Promise<Envelope & { success: true }> {
  const finished = await send(request);
  const envelope = lineOf(finished) as Envelope;
  assert.ok(envelope.success, finished.stdout);
  assert.equal(finished.code, 0);
  return envelope;
}

async function fail(request: unknown): Promise<Envelope & { success: false }> {
  const finished = await send(request);
  const envelope = lineOf(finished) as Envelope;
  assert.ok(!envelope.success, finished.stdout);
  assert.equal(envelope.result, null);
  assert.equal(finished.code, ERROR_CODES[envelope.error.code].exit);
  assert.ok(envelope.error.message.length > 0);
  return envelope;
}

async function discover(options?: { filter: string }): Promise<DiscoverEnvelope> {
  const finished = await send({
    action: 'discover',
    ...(options === undefined ? {} : { options }),
  });
  assert.equal(finished.code, 0);
  return lineOf(finished) as DiscoverEnvelope;
}

suite('tool caller, through the command line', () => {
  test('TC-01 discover lists every tool with name, description, paramsSchema and metadata', async () => {
    const { success, result, metadata } = await discover();
    assert.equal(success, true);
    assert.equal(metadata.total, result.tools.length);
    assert.ok(metadata.duration >= 0);
    const echo = result?.tools.find(({ name }) => name === 'demo.echo');
    assert.match(echo?.description ?? '', /Returns the text/);
    assert.deepEqual(echo?.paramsSchema['required'], ['text']);
    assert.equal(echo?.metadata.version, '1.2.0');
  });

  test('TC-02 discover with a filter keeps what matches by name or by tag', async () => {
    const byName = await discover({ filter: 'ECHO' });
    assert.deepEqual(
      byName.result?.tools.map(({ name }) => name),
      ['demo.echo'],
    );
    const byTag = await discover({ filter: 'file' });
    assert.deepEqual(
      byTag.result?.tools.map(({ name }) => name),
      ['demo.save'],
    );
    assert.equal((await discover({ filter: 'nothing-like-it' })).metadata.total, 0);
  });

  test('TC-03 a valid call succeeds in under 5 s', async () => {
    const { result, metadata } = await succeed({ toolName: 'demo.echo', params: { text: 'hi' } });
    assert.deepEqual(result, { text: 'hi' });
    assert.equal(metadata.toolName, 'demo.echo');
    assert.equal(metadata.attempts, 1);
    assert.ok(metadata.duration < 5000);
    assert.match(metadata.timestamp, /^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
  });

  test('TC-04 timeout=100 with the other defaults gives TIMEOUT after 4 attempts', async () => {
    const { error, metadata } = await fail({
      toolName: 'demo.slow',
      params: { ms: 3000 },
      options: { timeout: 100 },
    });
    assert.equal(error.code, 'TIMEOUT');
    assert.equal(metadata.attempts, 4);
    assert.ok(metadata.duration < 5000);
  });

  test('TC-05 retries=2 on a tool that always fails gives EXECUTION_ERROR or RETRY_EXHAUSTED after 3 attempts', async () => {
    const { error, metadata } = await fail({
      toolName: 'demo.fail',
      params: {},
      options: { retries: 2, retryDelay: 20 },
    });
    assert.ok(['EXECUTION_ERROR', 'RETRY_EXHAUSTED'].includes(error.code), error.code);
    assert.equal(metadata.attempts, 3);
  });

  test('TC-06 an unknown tool gives TOOL_NOT_FOUND and the nearest name', async () => {
    const { error, metadata } = await fail({ toolName: 'demo.ecko', params: {} });
    assert.equal(error.code, 'TOOL_NOT_FOUND');
    assert.match(error.message, /demo\.echo/);
    assert.equal(metadata.attempts, 0);
  });

  test('TC-07 a missing or mistyped parameter gives INVALID_PARAMS that names it', async () => {
    for (const params of [{}, { text: 5 }]) {
      const { error, metadata } = await fail({ toolName: 'demo.echo', params });
      assert.equal(error.code, 'INVALID_PARAMS');
      assert.match(error.message, /text/);
      assert.equal(metadata.attempts, 0);
    }
  });

  test('TC-08 an error thrown by the tool gives EXECUTION_ERROR with a message free of secrets', async () => {
    const { error } = await fail({ toolName: 'demo.fail', params: {}, options: { retries: 0 } });
    assert.equal(error.code, 'EXECUTION_ERROR');
    assert.doesNotMatch(JSON.stringify(error), /hunter2|executor\.ts|\n\s+at /);
  });

  test('TC-09 output that is no JSON gives PARSE_ERROR with format=json and passes with format=raw', async () => {
    const { error } = await fail({
      toolName: 'demo.plain',
      params: {},
      options: { format: 'json' },
    });
    assert.equal(error.code, 'PARSE_ERROR');
    const { result } = await succeed({
      toolName: 'demo.plain',
      params: {},
      options: { format: 'raw' },
    });
    assert.match(String(result), /plain text, no JSON/);
  });

  test('TC-10 a call that needs one retry succeeds in under 5 s, end to end', async () => {
    const finished = await send({
      toolName: 'demo.flaky',
      params: { key: 'a' },
      options: { retries: 1 },
    });
    const envelope = lineOf(finished) as Envelope;
    assert.ok(envelope.success, finished.stdout);
    assert.deepEqual(envelope.result, { attempt: 2 });
    assert.equal(envelope.metadata.attempts, 2);
    assert.ok(finished.duration < 5000, `${finished.duration} ms`);
  });
});
