import { parentPort, workerData } from 'node:worker_threads';
import { createRedactor } from '../../base/redact.ts';
import type { CallRow } from '../../contract/call-row.ts';
import { callBody, freeText } from '../call-body.ts';
import { chainHash, GENESIS } from '../hash-chain.ts';
import { redactBody } from '../redact-body.ts';
import type { LibraryChange } from '../store.ts';
import { openDatabase, storeMessage } from './open-database.ts';
import { unpackRows } from './pack-row.ts';
import type { Batch, WriterData } from './writer.ts';

/*
 * The writing thread: commits each batch in one transaction and answers null, or why it could not.
 * An array instead of a batch is the list of secret values to take out from then on.
 */
const { file, writer, secrets } = workerData as WriterData;
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
const insertTicket = database.prepare(
  'INSERT OR IGNORE INTO ticket (ticket, owner, at) VALUES (?, ?, ?)',
);
// A thread that follows a crashed one goes on with its chain.
const last = database
  .prepare('SELECT seq, hash FROM audit WHERE writer = ? ORDER BY seq DESC LIMIT 1')
  .get(writer);

let redactor = createRedactor(secrets);
let committed = { seq: Number(last?.['seq'] ?? 0), hash: String(last?.['hash'] ?? GENESIS) };

parentPort?.on('message', (message: Batch | readonly string[]) => {
  if ('calls' in message) parentPort?.postMessage(commit(message));
  else redactor = createRedactor(message);
});

function commit({ change, calls, journal }: Batch): string | null {
  try {
    database.exec('BEGIN IMMEDIATE');
    const begun = change === undefined ? committed : insertRow(committed, change);
    const tail = unpackRows(calls).reduce(insertRow, begun);
    for (const entry of journal) insertEntry(entry);
    database.exec('COMMIT');
    committed = tail;
    return null;
  } catch (error) {
    if (database.isTransaction) database.exec('ROLLBACK');
    return storeMessage(file, error);
  }
}

function insertRow(tail: typeof committed, row: CallRow | LibraryChange): typeof committed {
  const call = 'changes' in row ? undefined : row;
  const body =
    call === undefined
      ? redactBody(JSON.stringify(row), redactor)
      : redactBody(callBody(call), redactor, freeText(call));
  const seq = tail.seq + 1;
  const hash = chainHash({ writer, seq, prev: tail.hash, body });
  insertAudit.run(
    writer,
    seq,
    call === undefined ? 'library' : 'call',
    body,
    tail.hash,
    hash,
    call?.traceId ?? null,
    call === undefined ? null : redactor.text(call.conversation),
    call?.skill ?? null,
  );
  return { seq, hash };
}

function insertEntry(entry: Batch['journal'][number]): void {
  if ('paramsHash' in entry) {
    const { id, at, traceId, skill, version, caller, conversation, turn, key, paramsHash } = entry;
    insertIntent.run(id, at, traceId, skill, version, caller, conversation, turn, key, paramsHash);
  } else if ('ticket' in entry) {
    insertTicket.run(entry.ticket, entry.owner, entry.at);
  } else {
    settleIntent.run(entry.at, Number(entry.ok), entry.code, entry.reason, entry.id);
  }
}
