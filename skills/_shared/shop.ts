import type { DatabaseSync } from 'node:sqlite';
import { openDatabase } from './open-database.ts';

const SCHEMA = `
  CREATE TABLE IF NOT EXISTS stock (sku TEXT PRIMARY KEY, name TEXT NOT NULL, available INTEGER NOT NULL CHECK (available >= 0), price_cents INTEGER NOT NULL);
  CREATE TABLE IF NOT EXISTS reservations (id TEXT PRIMARY KEY, sku TEXT NOT NULL, quantity INTEGER NOT NULL, released INTEGER NOT NULL DEFAULT 0);
  CREATE TABLE IF NOT EXISTS charges (id TEXT PRIMARY KEY, account TEXT NOT NULL, amount_cents INTEGER NOT NULL, refunded INTEGER NOT NULL DEFAULT 0);
  CREATE TABLE IF NOT EXISTS orders (id TEXT PRIMARY KEY, sku TEXT NOT NULL, quantity INTEGER NOT NULL, account TEXT NOT NULL, charge TEXT NOT NULL);
`;

const GOODS: readonly (readonly [string, string, number, number])[] = [
  ['SKU-100', 'Notebook', 500, 350],
  ['SKU-200', 'Pen', 1_000, 120],
  ['SKU-300', 'Desk lamp', 25, 4_900],
];

// Paid but not ordered: what order.create shows itself on.
const FIRST_CHARGE = `INSERT OR IGNORE INTO charges (id, account, amount_cents) VALUES ('charge-first', 'acct-1', 700)`;

/** The sample shop: stock, a ledger of charges, and orders. */
export function openShop(dataDir: string): DatabaseSync {
  const database = openDatabase(dataDir, 'shop', SCHEMA);
  const insert = database.prepare('INSERT OR IGNORE INTO stock VALUES (?, ?, ?, ?)');
  for (const goods of GOODS) insert.run(...goods);
  database.exec(FIRST_CHARGE);
  return database;
}

/** Runs the steps as one transaction: all of them take effect, or none. */
export function atomically<Result>(database: DatabaseSync, steps: () => Result): Result {
  database.exec('BEGIN IMMEDIATE');
  try {
    const result = steps();
    database.exec('COMMIT');
    return result;
  } catch (error) {
    database.exec('ROLLBACK');
    throw error;
  }
}
