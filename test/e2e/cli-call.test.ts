import assert from 'node:assert/strict';
import type { ChildProcess } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, suite, test } from 'node:test';
import type { DiscoverEnvelope, Envelope } from '../../src/contract/envelope.ts';
import { ERROR_CODES, type ErrorCode } from '../../src/contract/error.ts';
import {
  FIXTURE,
  finish,
  runCli,
  startCli,
  temporaryFolder,
  type CliOptions,
  type Finished,
} from '../support/run-cli.ts';

const data = temporaryFolder();
after(data.remove);

const env = { SKILLWRIGHT_LIBRARY: FIXTURE, SKILLWRIGHT_DATA_DIR: data.path };

function call(args: readonly string[], options: CliOptions = {}): Promise<Finished> {
  return runCli(['call', ...args], { env, ...options });
}

function envelopeOf({ stdout }: Finished): Envelope {
  assert.match(stdout, /^\{.*\}\n$/, 'stdout holds exactly one line of JSON');
  return JSON.parse(stdout) as Envelope;
}

function refused(finished: Finished, complaint: RegExp): void {
  const envelope = envelopeOf(finished);
  assert.ok(!envelope.success);
  assert.equal(envelope.error.code, 'INVALID_PARAMS');
  assert.match(envelope.error.message, complaint);
  assert.equal(envelope.metadata.attempts, 0);
  assert.equal(finished.code, 13);
}

suite('skillwright call', () => {
  test('takes a name and parameters as arguments', async () => {
    const finished = await call(['demo.echo', '{"text":"hi"}']);
    assert.deepEqual(envelopeOf(finished).result, { text: 'hi' });
    assert.equal(finished.code, 0);
    assert.equal(finished.stderr, '');
  });

  test('takes the release line with the name', async () => {
    assert.equal((await call(['demo.echo@1.2', '{"text":"hi"}'])).code, 0);
    assert.equal(
      (await call(['demo.echo@2', '{"text":"hi"}'])).code,
      ERROR_CODES.TOOL_NOT_FOUND.exit,
    );
  });

  test('reads an envelope after a byte order mark, over several lines', async () => {
    const input = '\uFEFF{\n  "toolName": "demo.echo",\n  "params": { "text": "hi" }\n}\n';
    assert.deepEqual(envelopeOf(await call(['-'], { input })).result, { text: 'hi' });
  });

  test('passes the options of the command line on, over those of the envelope', async () => {
    const input =
      '{"toolName":"demo.slow","params":{"ms":3000},"options":{"timeout":4000,"retries":3}}';
    const envelope = envelopeOf(
      await call(['-', '--timeout', '50', '--retries', '1', '--retry-delay', '10'], { input }),
    );
    assert.ok(!envelope.success);
    assert.equal(envelope.error.code, 'TIMEOUT');
    assert.equal(envelope.metadata.attempts, 2);
  });

  test('keeps to the deadline of the whole call', async () => {
    const envelope = envelopeOf(await call(['demo.slow', '{"ms":3000}', '--deadline', '150']));
    assert.ok(!envelope.success);
    assert.equal(envelope.error.details?.['reason'], 'deadline');
    assert.ok(envelope.metadata.duration < 1000);
  });

  test('gives the raw output with --format raw', async () => {
    assert.match(
      String(envelopeOf(await call(['demo.plain', '--format', 'raw'])).result),
      /^plain text, no JSON/,
    );
  });

  const bad: Readonly<
    Record<string, readonly [args: readonly string[], input: string, complaint: RegExp]>
  > = {
    'empty stdin': [['-'], '', /stdin is empty\. Send \{"toolName"/],
    'stdin that is no JSON': [['-'], 'toolName: hunter2', /not valid JSON.*Send \{"toolName"/],
    'an envelope that is a list': [['-'], '[]', /no JSON object/],
    'an envelope without a name': [['-'], '{"params":{}}', /toolName/],
    'parameters that are a text': [['-'], '{"toolName":"demo.echo","params":"hi"}', /params/],
    'an unknown action': [['-'], '{"action":"delete"}', /only action is "discover"/],
    'an unknown option in the envelope': [
      ['-'],
      '{"toolName":"demo.echo","params":{"text":"hi"},"options":{"tiemout":5}}',
      /tiemout/,
    ],
    'parameters as an argument that are no JSON': [
      ['demo.echo', 'text=hi'],
      '',
      /not valid JSON.*for example/,
    ],
    'parameters as an argument that are a list': [['demo.echo', '[]'], '', /no JSON object/],
    'an unknown option': [
      ['demo.echo', '{"text":"hi"}', '--tiemout', '5'],
      '',
      /--tiemout.*--timeout/s,
    ],
    'an option that is no number': [
      ['demo.echo', '{"text":"hi"}', '--timeout', 'soon'],
      '',
      /--timeout.*Send a number/,
    ],
    'no skill at all': [[], '', /skill/],
    'parameters beside an envelope': [['-', '{}'], '{}', /leave the argument out/],
  };
  for (const [name, [args, input, complaint]] of Object.entries(bad)) {
    test(`answers ${name} with an envelope that says what to send`, async () => {
      const finished = await call(args, { input });
      refused(finished, complaint);
      assert.doesNotMatch(finished.stdout, /hunter2/);
    });
  }

  test('says in an envelope that there is no library', async () => {
    const folder = temporaryFolder();
    const finished = await call(['demo.echo', '{}'], { cwd: folder.path, env: {} });
    folder.remove();
    refused(finished, /no library here.*--library/);
    refused(await call(['demo.echo', '{}', '--library', './nowhere']), /nowhere does not exist/);
  });

  test('a prototype key is dropped from a read with a word, and refused on a write', async () => {
    const read = await call(['demo.echo', '{"text":"x","__proto__":{"a":1}}']);
    assert.equal(read.code, 0);
    assert.match(read.stdout, /__proto__ is not a parameter and was left out/);
    const write = await call(['demo.save', '{"text":"x","__proto__":{"a":1}}']);
    assert.equal(write.code, 13);
    assert.match(write.stdout, /__proto__ is not a parameter, and nothing is dropped from a write/);
  });

  test('discovers through the same road', async () => {
    const { stdout, code } = await call(['-'], {
      input: '{"action":"discover","options":{"filter":"echo"}}',
    });
    const { result } = JSON.parse(stdout) as DiscoverEnvelope;
    assert.deepEqual(
      result?.tools.map(({ name }) => name),
      ['demo.echo'],
    );
    assert.equal(code, 0);
  });

  for (const code of Object.keys(ERROR_CODES) as ErrorCode[]) {
    test(`exits with ${ERROR_CODES[code].exit} on ${code}`, async () => {
      const finished = await call(['demo.coded', JSON.stringify({ code }), '--retries', '0']);
      const envelope = envelopeOf(finished);
      assert.ok(!envelope.success);
      assert.equal(envelope.error.code, code);
      assert.equal(finished.code, ERROR_CODES[code].exit);
    });
  }

  test('checks without executing with --dry-run', async () => {
    const envelope = envelopeOf(await call(['demo.save', '{"text":"never"}', '--dry-run']));
    assert.deepEqual(envelope.result, { params: { text: 'never' } });
    assert.equal(envelope.metadata.attempts, 0);
    assert.equal(existsSync(join(data.path, 'saved.txt')), false);
    refused(await call(['demo.save', '{"text":5}', '--dry-run']), /text/);
  });

  test('refuses a write with --read-only', async () => {
    const finished = await call(['demo.save', '{"text":"never"}', '--read-only']);
    assert.equal(envelopeOf(finished).success, false);
    assert.notEqual(finished.code, 0);
    assert.equal(existsSync(join(data.path, 'saved.txt')), false);
  });

  test('shows the steps on stderr with --trace', async () => {
    const { stderr, code } = await call(['demo.twice', '{"text":"hi"}', '--trace']);
    assert.equal(code, 0);
    assert.match(stderr, /✓ demo\.twice 1\.2\.0 .*ms\n├─ ✓ demo\.echo .*\n└─ ✓ demo\.echo /);
  });

  test('shows progress on stderr, and nothing with --quiet', async () => {
    assert.match((await call(['demo.slow', '{"ms":1}'])).stderr, /1\/2 waiting/);
    assert.equal((await call(['demo.slow', '{"ms":1}', '--quiet'])).stderr, '');
  });

  test('is cancelled by Ctrl-C: the script is gone and the envelope says so', async (t) => {
    const pidFile = join(data.path, 'stuck.pid');
    const child = startCli(['call', 'demo.stuck', '--timeout', '60000', '--deadline', '60000'], {
      env,
      input: '',
    });
    t.after(() => child.kill('SIGKILL'));
    const finished = finish(child);
    const pid = await appears(pidFile, child);
    child.kill('SIGINT');
    const envelope = envelopeOf(await finished);
    assert.ok(!envelope.success);
    assert.equal(envelope.error.details?.['reason'], 'cancelled');
    assert.throws(() => process.kill(pid, 0), { code: 'ESRCH' });
  });

  test('takes no offence at a reader that has gone away', async () => {
    const child = startCli(['call', 'demo.slow', '{"ms":300}'], { env, input: '' });
    child.stdout.destroy();
    const closed = new Promise<number | null>((resolve) => child.once('close', resolve));
    let stderr = '';
    child.stderr.setEncoding('utf8').on('data', (text) => (stderr += text));
    assert.equal(await closed, 0);
    assert.doesNotMatch(stderr, /EPIPE|at /);
  });
});

/** The process id a script has written into a file, as soon as it is there. */
async function appears(file: string, child: ChildProcess): Promise<number> {
  while (child.exitCode === null) {
    const text = existsSync(file) ? readFileSync(file, 'utf8') : '';
    if (text.endsWith('\n')) return Number(text);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  return assert.fail('the command ended before its script began');
}
