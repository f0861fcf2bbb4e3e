import { parentPort, workerData } from 'node:worker_threads';
import { createRedactor } from '../../base/redact.ts';
import { chainHash, GENESIS } from '../hash-chain.ts';
import { redactBody } from '../redact-body.ts';
import type { Intent, Settlement } from '../store.ts';
import { openDatabase } from './open-database.ts';

/*
 * Takes batches of lines and commits each in one transaction. A batch is one string, since a string
 * crosses threads many times cheaper than an object: its number, then one line per entry, the first
 * letter telling what it is (c call, l library change, i intent, s settlement). Answers [number, error].
 * An array instead of a string is the list of secret values to take out from then on.
 */
const { file, writer, secrets } = workerData as {
  readonly file: string;
  readonly writer: string;
  readonly secrets: readonly string[];
};
const database = openDatabase(file);
const insertAudit = database.prepare(
  'INSERT INTO audit (writer, seq, kind, body, prev, hash, traceId, conversation, skill) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)',
);
const insertIntent = database.prepare(
  'INSERT INTO journal (id, at, traceId, skill, version, caller, conversation, turn, key, paramsHash) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)',
);
const settleIntent = database.prepare(
  'UPDATE journal SET settledAt = ?, ok = ?, code = ?, reason = ? WHERE id = ? AND settledAt IS NULL',
);

const last = database
  .prepare('SELECT seq, hash FROM audit WHERE writer = ? ORDER BY seq DESC LIMIT 1')
  .get(writer);
let redactor = createRedactor(secrets);
let committed = { seq: Number(last?.['seq'] ?? 0), hash: String(last?.['hash'] ?? GENESIS) };

parentPort?.on('message', (batch: string | readonly string[]) => {
  if (typeof batch !== 'string') {
    redactor = createRedactor(batch);
    return;
  }
  const [number, ...lines] = batch.split('\n');
  let error: string | null = null;
  try {
    commit(lines);
  } catch (thrown) {
    error = thrown instanceof Error ? thrown.message : String(thrown);
    if (database.isTransaction) database.exec('ROLLBACK');
  }
  parentPort?.postMessage([Number(number), error]);
});

function commit(lines: readonly string[]): void {
  let tail = committed;
  database.exec('BEGIN IMMEDIATE');
  for (const line of lines) {
    const body = line.slice(1);
    switch (line[0]) {
      case 'c': {
        const [traceId = '', skill = '', conversation = '""', row = ''] = body.split('\t', 4);
        tail = chain(tail, 'call', redactBody(row, redactor), [
          traceId,
          redactor.text(JSON.parse(conversation) as string),
          skill,
        ]);
        break;
      }
      case 'l':
        tail = chain(tail, 'library', redactBody(body, redactor));
        break;
      case 'i':
        writeIntent(JSON.parse(body) as Intent);
        break;
      default:
        writeSettlement(JSON.parse(body) as Settlement & { id: string });
    }
  }
  database.exec('COMMIT');
  committed = tail;
}

function chain(
  tail: typeof committed,
  kind: 'call' | 'library',
  body: string,
  found: readonly string[] = [],
): typeof committed {
  const link = { writer, seq: tail.seq + 1, prev: tail.hash, body };
  const hash = chainHash(link);
  insertAudit.run(
    writer,
    link.seq,
    kind,
    body,
    link.prev,
    hash,
    found[0] ?? null,
    found[1] ?? null,
    found[2] ?? null,
  );
  return { seq: link.seq, hash };
}

function writeIntent(intent: Intent): void {
  const { id, at, traceId, skill, version, caller, conversation, turn, key, paramsHash } = intent;
  insertIntent.run(id, at, traceId, skill, version, caller, conversation, turn, key, paramsHash);
}

function writeSettlement({ id, at, ok, code, reason }: Settlement & { id: string }): void {
  settleIntent.run(at, Number(ok), code, reason, id);
}
