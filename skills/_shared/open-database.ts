import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

const open = new Map<string, DatabaseSync>();

/** The SQLite database of that name in the library's data folder, its tables created; one connection a file and process. */
export function openDatabase(dataDir: string, name: string, schema: string): DatabaseSync {
  const file = join(dataDir, `${name}.db`);
  const known = open.get(file);
  if (known !== undefined) return known;
  mkdirSync(dataDir, { recursive: true });
  const database = new DatabaseSync(file, { timeout: 3_000 });
  database.exec('PRAGMA journal_mode = WAL');
  database.exec(schema);
  open.set(file, database);
  return database;
}
