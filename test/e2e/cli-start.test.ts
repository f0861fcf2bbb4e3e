import assert from 'node:assert/strict';
import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, suite, test, type TestContext } from 'node:test';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { finish, printed, takenPort, temporaryFolder } from '../support/run-cli.ts';

const root = join(import.meta.dirname, '../..');
const data = temporaryFolder();
after(data.remove);

const env = { ...process.env, SKILLWRIGHT_DATA_DIR: data.path };

function start(t: TestContext, ...args: readonly string[]): ChildProcessWithoutNullStreams {
  const child = spawn(process.execPath, ['scripts/run.mjs', 'scripts/start.ts', ...args], {
    cwd: root,
    env,
  });
  t.after(() => child.kill('SIGKILL'));
  child.stdin.end();
  return child;
}

suite('npm start', () => {
  test('-- --once sends the report, shows the steps and ends', async () => {
    const child = spawn(
      'npm',
      ['start', '--', '--once', '--region', 'East', '--day', '2026-03-31'],
      { cwd: root, env },
    );
    child.stdin.end();
    const { stdout, stderr, code } = await finish(child);
    assert.equal(code, 0, stderr);
    assert.match(stdout, /"success": true/);
    assert.match(
      stdout,
      /✓ report\.send-daily-revenue .*ms\n├─ ✓ region\.lookup .*\n├─ .*\n├─ .*\n└─ ✓ mail\.send/,
    );
    const [, pdf = '', mail = ''] = /^PDF +(\S+)\nMail +(\S+)$/m.exec(stdout) ?? [];
    assert.equal(readFileSync(pdf, 'latin1').slice(0, 5), '%PDF-');
    assert.match(readFileSync(mail, 'utf8'), /^Subject: Revenue of East.*2026-03-31/m);
    assert.ok(pdf.startsWith(data.path) && mail.startsWith(data.path));
  });

  test('serves MCP until Ctrl-C, which may come twice', async (t) => {
    const child = start(t, '--port', '0');
    const closed = once(child, 'close');
    const url = await printed(child, /claude mcp add --transport http skillwright (\S+)\n/);
    const client = new Client({ name: 'test', version: '1.0.0' });
    await client.connect(new StreamableHTTPClientTransport(new URL(url)));
    const { tools } = await client.listTools();
    assert.ok(tools.length >= 30, `${tools.length} skills`);
    const rates = await client.callTool({ name: 'currency.rates', arguments: { base: 'EUR' } });
    assert.notEqual(rates.isError, true, JSON.stringify(rates.content));
    await client.close();
    child.kill('SIGINT');
    child.kill('SIGINT');
    assert.deepEqual(await closed, [0, null]);
  });

  test('takes a free port when the one asked for is in use', async (t) => {
    const port = await takenPort(t);
    const child = start(t, '--port', String(port));
    const closed = once(child, 'close');
    const said = await printed(
      child,
      /^(Port \d+ is in use; a free one was taken\.)\n[^]*Connect with/m,
    );
    assert.equal(said, `Port ${port} is in use; a free one was taken.`);
    child.kill('SIGTERM');
    assert.deepEqual(await closed, [0, null]);
  });

  test('says what it understands when it is asked wrongly', async (t) => {
    for (const args of [['--onec'], ['--port', 'many']]) {
      const { stderr, code } = await finish(start(t, ...args));
      assert.equal(code, 2);
      assert.match(stderr, /Usage: npm start/);
    }
    assert.match((await finish(start(t, '--help'))).stdout, /Usage: npm start/);
  });
});
