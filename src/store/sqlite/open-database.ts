import { accessSync, constants } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { makeFolder } from '../../base/make-folder.ts';

const BUSY_MS = 10_000;

// One statement list per version; user_version counts how many have been applied.
const MIGRATIONS: readonly string[] = [
  // A call is one row: its evidence and what it is found by. Other kinds leave the latter null. No index on
  // the skill: it would touch a page of its own for every skill in every batch, which costs as much as all the rest.
  `CREATE TABLE audit (
     id INTEGER PRIMARY KEY, writer TEXT NOT NULL, seq INTEGER NOT NULL, kind TEXT NOT NULL, body TEXT NOT NULL,
     prev TEXT NOT NULL, hash TEXT NOT NULL, traceId TEXT, conversation TEXT, skill TEXT);
   CREATE UNIQUE INDEX audit_chain ON audit (writer, seq);
   CREATE INDEX audit_trace ON audit (traceId) WHERE traceId IS NOT NULL;
   CREATE INDEX audit_conversation ON audit (conversation) WHERE conversation IS NOT NULL;
   CREATE TABLE journal (
     id TEXT PRIMARY KEY, at INTEGER NOT NULL, traceId TEXT NOT NULL, skill TEXT NOT NULL, version TEXT NOT NULL, caller TEXT NOT NULL,
     conversation TEXT NOT NULL, turn INTEGER NOT NULL, key TEXT NOT NULL, paramsHash TEXT NOT NULL,
     settledAt INTEGER, ok INTEGER, code TEXT, reason TEXT);
   CREATE INDEX journal_open ON journal (at) WHERE settledAt IS NULL;`,
  `CREATE TABLE ticket (ticket TEXT PRIMARY KEY, owner TEXT NOT NULL, at INTEGER NOT NULL) WITHOUT ROWID;`,
];

const ADVICE: readonly (readonly [reason: RegExp, advice: string])[] = [
  [
    /readonly|EACCES|EPERM|EROFS|EEXIST|ENOTDIR|unable to open/,
    'Make the file and its folder writable for this user, or choose another place.',
  ],
  [
    /malformed|not a database|table \w+ already exists/,
    'The file is damaged or no store: restore it from a backup, or move it away to begin a new one.',
  ],
  [/full|ENOSPC/, 'Free some space on its disk.'],
  [/locked|busy/, 'Another process holds it for too long: end that process.'],
];

/**
 * Opens the database of a store, creating folder and tables where absent. Waits up to 10 s for another
 * process's lock. Throws Error naming the file and what to do.
 */
export function openDatabase(file: string): DatabaseSync {
  let database: DatabaseSync | undefined;
  try {
    makeFolder(dirname(file));
    database = new DatabaseSync(file, { timeout: BUSY_MS });
    // SQLite opens what it may not write for reading, and would say so at the first write only.
    accessSync(file, constants.W_OK);
    enterWal(database);
    // A longer log between checkpoints: each rewrites the index pages that were touched, once.
    database.exec(
      'PRAGMA synchronous = FULL; PRAGMA wal_autocheckpoint = 8000; PRAGMA cache_size = -16000;',
    );
    migrate(database, file);
    return database;
  } catch (error) {
    if (database?.isOpen === true) database.close();
    throw error instanceof StoreVersionError
      ? error
      : new Error(storeMessage(file, error), { cause: error });
  }
}

/** What to tell the operator of a store that does not work. */
export function storeMessage(file: string, error: unknown): string {
  const reason = error instanceof Error ? error.message : String(error);
  const advice =
    ADVICE.find(([pattern]) => pattern.test(reason))?.[1] ?? 'Look at it and its disk.';
  return `The store ${file} cannot be used: ${reason}. ${advice}`;
}

class StoreVersionError extends Error {}

function enterWal(database: DatabaseSync): void {
  const giveUpAt = performance.now() + BUSY_MS;
  for (;;) {
    try {
      database.exec('PRAGMA journal_mode = WAL');
      return;
    } catch (error) {
      // Of processes that open a new file at once SQLite refuses all but one here without waiting.
      const busy = error instanceof Error && error.message.includes('locked');
      if (!busy || performance.now() > giveUpAt) throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5);
    }
  }
}

function migrate(database: DatabaseSync, file: string): void {
  if (versionOf(database) === MIGRATIONS.length) return;
  // Two processes may find an empty file at once; the second waits here and then has nothing left to do.
  database.exec('BEGIN IMMEDIATE');
  const applied = versionOf(database);
  if (applied > MIGRATIONS.length) {
    throw new StoreVersionError(
      `The store ${file} was written by a newer Skillwright (schema ${applied}, this one knows ${MIGRATIONS.length}). Use that version, or another file.`,
    );
  }
  for (const statements of MIGRATIONS.slice(applied)) database.exec(statements);
  database.exec(`PRAGMA user_version = ${MIGRATIONS.length}; COMMIT`);
}

function versionOf(database: DatabaseSync): number {
  return Number(database.prepare('PRAGMA user_version').get()?.['user_version']);
}
