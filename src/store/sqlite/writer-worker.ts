import type { StatementSync } from 'node:sqlite';
import { parentPort, workerData } from 'node:worker_threads';
import { chainHash, GENESIS } from '../hash-chain.ts';
import type { CallRow, Intent, Settlement } from '../store.ts';
import { openDatabase } from './open-database.ts';

/*
 * Takes batches of lines and commits each in one transaction. A batch is one string, since a string
 * crosses threads many times cheaper than an object: its number, then one line per entry, the first
 * letter telling what it is (c call, l library change, i intent, s settlement). Answers [number, error].
 */
const { file, writer } = workerData as { readonly file: string; readonly writer: string };
const database = openDatabase(file);
const insertAudit = database.prepare('INSERT INTO audit VALUES (?, ?, ?, ?, ?, ?)');
const insertCall = database.prepare(
  'INSERT INTO calls (at, traceId, spanId, parentId, conversation, turn, caller, skill, version, effect, ok, code, reason, message, attempts, duration, params) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)',
);
const insertIntent = database.prepare(
  'INSERT INTO journal (id, at, traceId, skill, version, caller, conversation, turn, key, paramsHash) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)',
);
const settleIntent = database.prepare('UPDATE journal SET settledAt = ?, ok = ?, code = ?, reason = ? WHERE id = ? AND settledAt IS NULL');

const last = database.prepare('SELECT seq, hash FROM audit WHERE writer = ? ORDER BY seq DESC LIMIT 1').get(writer);
let committed = { seq: Number(last?.['seq'] ?? 0), hash: String(last?.['hash'] ?? GENESIS) };

parentPort?.on('message', (batch: string) => {
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
      case 'c':
        tail = chain(tail, 'call', body);
        writeCall(JSON.parse(body) as CallRow);
        break;
      case 'l':
        tail = chain(tail, 'library', body);
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

function chain(tail: typeof committed, kind: 'call' | 'library', body: string): typeof committed {
  const link = { writer, seq: tail.seq + 1, prev: tail.hash, body };
  const hash = chainHash(link);
  insertAudit.run(writer, link.seq, kind, body, link.prev, hash);
  return { seq: link.seq, hash };
}

function writeCall(row: CallRow): ReturnType<StatementSync['run']> {
  return insertCall.run(
    row.at, row.traceId, row.spanId, row.parentId, row.conversation, row.turn, row.caller, row.skill, row.version, row.effect,
    Number(row.ok), row.code, row.reason, row.message, row.attempts, row.duration, JSON.stringify(row.params),
  );
}

function writeIntent(intent: Intent): void {
  const { id, at, traceId, skill, version, caller, conversation, turn, key, paramsHash } = intent;
  insertIntent.run(id, at, traceId, skill, version, caller, conversation, turn, key, paramsHash);
}

function writeSettlement({ id, at, ok, code, reason }: Settlement & { id: string }): void {
  settleIntent.run(at, Number(ok), code, reason, id);
}
