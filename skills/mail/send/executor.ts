import { realpathSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { basename, join, sep } from 'node:path';
import { createTransport, type SendMailOptions } from 'nodemailer';
import { ToolError, type ExecutionContext, type Violation } from '../../../src/index.ts';

interface Params {
  readonly to?: readonly string[];
  readonly subject: string;
  readonly body: string;
  readonly attachments?: readonly string[];
}

const SMTP_TIMEOUT_MS = 3_000;

export function check(
  { to, attachments = [] }: Params,
  { dataDir }: ExecutionContext,
): readonly Violation[] {
  const violations: Violation[] = [];
  if (to === undefined)
    violations.push({
      path: '/to',
      rule: 'recipients',
      message: 'there are no recipients',
      suggestion: 'send to, or let the operator configure a list',
    });
  for (const [index, path] of attachments.entries()) {
    if (insideFolder(path, dataDir)) continue;
    violations.push({
      path: `/attachments/${index}`,
      rule: 'attachment',
      message: 'this is no file of the data folder',
      suggestion: 'send a path that another skill returned',
    });
  }
  return violations;
}

export async function execute(
  { to = [], subject, body, attachments = [] }: Params,
  context: ExecutionContext,
): Promise<unknown> {
  const { settings, secrets, idempotencyKey } = context;
  const { from, transport } = settings;
  const message: SendMailOptions = {
    from: typeof from === 'string' ? from : 'skillwright@localhost',
    to: [...to],
    subject,
    text: body,
    // The same call always has the same id, so that a mail server can drop a repetition.
    messageId: `<${idempotencyKey}@skillwright>`,
    attachments: attachments.map((path) => ({ path, filename: basename(path) })),
  };
  return transport === 'smtp'
    ? sendBySmtp(message, secrets['smtp_url'] ?? '')
    : keepInOutbox(message, context);
}

async function sendBySmtp(message: SendMailOptions, url: string): Promise<unknown> {
  const transport = createTransport({
    url,
    connectionTimeout: SMTP_TIMEOUT_MS,
    greetingTimeout: SMTP_TIMEOUT_MS,
    socketTimeout: SMTP_TIMEOUT_MS,
  });
  try {
    await transport.sendMail(message);
  } catch (error) {
    throw new ToolError(
      'UPSTREAM_ERROR',
      'The mail server did not take the message. Look whether it arrived before you send it again.',
      {
        details: { reason: 'smtp' },
        cause: error,
        retryable: false,
      },
    );
  } finally {
    transport.close();
  }
  return { message_id: message.messageId, recipients: message.to, transport: 'smtp', path: null };
}

async function keepInOutbox(
  message: SendMailOptions,
  { dataDir, signal }: ExecutionContext,
): Promise<unknown> {
  const transport = createTransport({ streamTransport: true, buffer: true });
  const sent = await transport.sendMail(message);
  const folder = join(dataDir, 'outbox');
  await mkdir(folder, { recursive: true });
  const path = join(
    folder,
    `${new Date().toISOString().replaceAll(/[:.]/g, '-')}-${String(message.messageId).slice(-40, -13)}.eml`,
  );
  await writeFile(path, sent.message as Buffer, { signal });
  return { message_id: message.messageId, recipients: message.to, transport: 'outbox', path };
}

function insideFolder(path: string, folder: string): boolean {
  try {
    return realpathSync(path).startsWith(realpathSync(folder) + sep);
  } catch {
    return false;
  }
}
