import assert from 'node:assert/strict';
import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { after, suite, test } from 'node:test';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { finish, temporaryFolder } from '../support/run-cli.ts';

const root = join(import.meta.dirname, '../..');
const data = temporaryFolder();
after(data.remove);

const env = { ...process.env, SKILLWRIGHT_DATA_DIR: data.path };

function start(...args: readonly string[]): ChildProcessWithoutNullStreams {
  const child = spawn(process.execPath, ['scripts/run.mjs', 'scripts/start.ts', ...args], {
    cwd: root,
    env,
  });
  child.stdin.end();
  return child;
}

/** The first match of an expression in what a process prints. */
async function printed(child: ChildProcessWithoutNullStreams, expression: RegExp): Promise<string> {
  let seen = '';
  for await (const chunk of child.stdout.iterator({ destroyOnReturn: false })) {
    seen += String(chunk);
    const match = expression.exec(seen);
    if (match !== null) return match[1] ?? '';
  }
  return assert.fail(`${expression} did not come in: ${seen}`);
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

  test('serves MCP until Ctrl-C, which may come twice', async () => {
    const child = start('--port', '0');
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

  test('takes a free port when the one asked for is in use', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const { port } = other.address() as { port: number };
    const child = start('--port', String(port));
    const closed = once(child, 'close');
    const said = await printed(
      child,
      /^(Port \d+ is in use; a free one was taken\.)\n[^]*Connect with/m,
    );
    assert.equal(said, `Port ${port} is in use; a free one was taken.`);
    child.kill('SIGTERM');
    other.close();
    assert.deepEqual(await closed, [0, null]);
  });

  test('says what it understands when it is asked wrongly', async () => {
    for (const args of [['--onec'], ['--port', 'many']]) {
      const { stderr, code } = await finish(start(...args));
      assert.equal(code, 2);
      assert.match(stderr, /Usage: npm start/);
    }
    assert.match((await finish(start('--help'))).stdout, /Usage: npm start/);
  });
});
