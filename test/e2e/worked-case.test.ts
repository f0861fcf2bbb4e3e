import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test, type TestContext } from 'node:test';
import { SMTPServer } from 'smtp-server';
import { extractText, getDocumentProxy } from 'unpdf';
import { createRuntime, type Runtime, type RuntimeOptions } from '../../src/index.ts';

const LIBRARY = join(import.meta.dirname, '../../skills');
const CALL = {
  toolName: 'report.send-daily-revenue',
  params: { region: '华北', day: '2026-03-31' },
};

interface Sent {
  readonly region: string;
  readonly day: string;
  readonly total_cents: number;
  readonly pdf: string;
  readonly mail: string | null;
  readonly recipients: readonly string[];
}

async function open(
  t: TestContext,
  options: Partial<RuntimeOptions> = {},
): Promise<{ runtime: Runtime; dataDir: string }> {
  const dataDir = await mkdtemp(join(tmpdir(), 'skillwright-'));
  const runtime = await createRuntime({ library: LIBRARY, dataDir, ...options });
  t.after(async () => {
    await runtime.close();
    await rm(dataDir, { recursive: true, force: true });
  });
  return { runtime, dataDir };
}

async function send(runtime: Runtime): Promise<{ sent: Sent; stale: boolean; traceId: string }> {
  const session = await runtime.openSession();
  const envelope = await session.call(CALL);
  assert.ok(envelope.success, JSON.stringify(envelope));
  return {
    sent: envelope.result as Sent,
    stale: envelope.metadata.stale === true,
    traceId: envelope.metadata.traceId,
  };
}

async function pdfText(path: string): Promise<string> {
  const { text } = await extractText(await getDocumentProxy(new Uint8Array(await readFile(path))), {
    mergePages: true,
  });
  return text;
}

const money = (cents: number): string =>
  (cents / 100).toLocaleString('en-US', { minimumFractionDigits: 2 });

test('the worked case: a region’s revenue of a day as a PDF to the fixed recipients', async (t) => {
  const { runtime, dataDir } = await open(t);
  const { sent, stale, traceId } = await send(runtime);
  const warehouse = new DatabaseSync(join(dataDir, 'warehouse.db'), { readOnly: true });
  const sum = warehouse
    .prepare(
      "SELECT sum(amount_cents) AS total FROM revenue WHERE region = 'R-N' AND day = '2026-03-31'",
    )
    .get();
  warehouse.close();
  assert.equal(sent.total_cents, sum?.['total']);
  assert.equal(stale, false);
  const text = await pdfText(sent.pdf);
  assert.match(text, /Revenue of North/);
  assert.match(text, /2026-03-31/);
  assert.ok(text.includes(money(sent.total_cents)), 'the PDF shows another total');
  assert.deepEqual(sent.recipients, ['sales-leads@example.com', 'cfo@example.com']);
  const mail = await readFile(sent.mail ?? '', 'utf8');
  assert.match(mail, /^To: sales-leads@example.com, cfo@example.com$/m);
  const attached =
    /Content-Disposition: attachment[\s\S]*?\r?\n\r?\n([A-Za-z0-9+/=\r\n]+)/.exec(mail)?.[1] ?? '';
  assert.deepEqual(Buffer.from(attached, 'base64'), await readFile(sent.pdf));

  const tree = await runtime.trace(traceId);
  assert.deepEqual(
    tree?.steps.map(({ skill, ok }) => [skill, ok]),
    [
      ['region.lookup', true],
      ['revenue.query-hourly', true],
      ['report.render-pdf', true],
      ['mail.send', true],
    ],
  );
});

test('the worked case by SMTP', async (t) => {
  const received: { to: string[]; text: string }[] = [];
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    onData: (stream, session, done) => {
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('end', () => {
        received.push({
          to: session.envelope.rcptTo.map(({ address }) => address),
          text: Buffer.concat(chunks).toString(),
        });
        done();
      });
    },
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  t.after(() => new Promise<void>((resolve) => server.close(() => resolve())));
  const { port } = server.server.address() as AddressInfo;
  const { runtime } = await open(t, {
    settings: { 'mail.send': { transport: 'smtp' } },
    secrets: { smtp_url: `smtp://127.0.0.1:${port}` },
  });
  const { sent } = await send(runtime);
  assert.equal(sent.mail, null);
  assert.equal(received.length, 1);
  assert.deepEqual(received[0]?.to, ['sales-leads@example.com', 'cfo@example.com']);
  assert.match(received[0]?.text ?? '', /Subject: Revenue of North, 2026-03-31/);
  assert.match(received[0]?.text ?? '', /Content-Type: application\/pdf/);
});

test('a mail server that is down fails the call, once, and says what to do', async (t) => {
  const { runtime } = await open(t, {
    settings: { 'mail.send': { transport: 'smtp' } },
    secrets: { smtp_url: 'smtp://user:hunter22secret@127.0.0.1:9' },
  });
  const envelope = await (await runtime.openSession()).call(CALL);
  assert.ok(!envelope.success);
  assert.equal(envelope.error.code, 'UPSTREAM_ERROR');
  assert.match(envelope.error.message, /Look whether it arrived/);
  assert.doesNotMatch(
    JSON.stringify([envelope, await runtime.trace(envelope.metadata.traceId)]),
    /hunter22/,
  );
});

test('without the warehouse yesterday’s snapshot goes out, and says so', async (t) => {
  const { runtime } = await open(t, { settings: { 'revenue.query-hourly': { offline: true } } });
  const { sent, stale } = await send(runtime);
  assert.equal(stale, true);
  assert.equal(sent.day, '2026-03-30');
  assert.match(await pdfText(sent.pdf), /snapshot of the day before/);
  const mail = (await readFile(sent.mail ?? '', 'utf8')).replaceAll(/=\r?\n/g, '');
  assert.match(mail, /snapshot of the day before/);
});

test('an order that cannot be paid leaves the stock as it was', async (t) => {
  const { runtime } = await open(t);
  const session = await runtime.openSession();
  const available = async (): Promise<unknown> => {
    const envelope = await session.call({ toolName: 'stock.check', params: { sku: 'SKU-300' } });
    assert.ok(envelope.success);
    return (envelope.result as { available: number }).available;
  };
  const before = await available();
  const refused = await session.call({
    toolName: 'order.place',
    params: { sku: 'SKU-300', quantity: 3, account: 'acct-x-blocked' },
  });
  assert.ok(!refused.success);
  assert.equal(refused.error.code, 'UNAUTHORISED');
  assert.deepEqual(refused.error.details?.['compensated'], ['reserve']);
  assert.equal(await available(), before);
  session.beginTurn();
  const placed = await session.call({
    toolName: 'order.place',
    params: { sku: 'SKU-300', quantity: 3, account: 'acct-1' },
  });
  assert.ok(placed.success, JSON.stringify(placed));
  assert.equal(await available(), (before as number) - 3);
});
