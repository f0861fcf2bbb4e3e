import { createHash } from 'node:crypto';
import type { DatabaseSync } from 'node:sqlite';
import { ToolError } from '../../src/index.ts';
import { openDatabase } from './open-database.ts';

/** A sales region and how its reports look. */
export interface Region {
  readonly id: string;
  readonly name: string;
  readonly name_zh: string;
  readonly template: string;
}

const REGIONS: readonly Region[] = [
  { id: 'R-N', name: 'North', name_zh: '华北', template: 'standard' },
  { id: 'R-E', name: 'East', name_zh: '华东', template: 'standard' },
  { id: 'R-S', name: 'South', name_zh: '华南', template: 'standard' },
  { id: 'R-W', name: 'West', name_zh: '华西', template: 'compact' },
];

const SCHEMA = `
  CREATE TABLE IF NOT EXISTS regions (id TEXT PRIMARY KEY, name TEXT NOT NULL, name_zh TEXT NOT NULL, template TEXT NOT NULL);
  CREATE TABLE IF NOT EXISTS revenue (region TEXT NOT NULL, day TEXT NOT NULL, hour INTEGER NOT NULL, amount_cents INTEGER NOT NULL, orders INTEGER NOT NULL,
    PRIMARY KEY (region, day, hour));
`;

/** The day the warehouse begins; earlier days hold nothing. */
export const FIRST_DAY = '2025-01-01';

/** The sample warehouse: four regions, and for every past day hourly revenue that is the same on every machine. */
export function openWarehouse(dataDir: string): DatabaseSync {
  const database = openDatabase(dataDir, 'warehouse', SCHEMA);
  const insert = database.prepare('INSERT OR IGNORE INTO regions VALUES (?, ?, ?, ?)');
  for (const { id, name, name_zh: zh, template } of REGIONS) insert.run(id, name, zh, template);
  return database;
}

/** A day as `YYYY-MM-DD` (UTC), counted from today. */
export function dayFromToday(days: number): string {
  return new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10);
}

/** Makes sure the hours of a day are there, as a nightly load would have done; a future day stays empty. Throws NOT_FOUND for a region that does not exist. */
export function loadDay(database: DatabaseSync, region: string, day: string): void {
  if (database.prepare('SELECT 1 FROM regions WHERE id = ?').get(region) === undefined) {
    throw new ToolError(
      'NOT_FOUND',
      `There is no region ${region}. Get the id from region.lookup.`,
      {
        details: { reason: 'region' },
      },
    );
  }
  if (day < FIRST_DAY || day > dayFromToday(0)) return;
  const found = database
    .prepare('SELECT 1 FROM revenue WHERE region = ? AND day = ? LIMIT 1')
    .get(region, day);
  if (found !== undefined) return;
  const insert = database.prepare('INSERT OR IGNORE INTO revenue VALUES (?, ?, ?, ?, ?)');
  for (let hour = 0; hour < 24; hour++) {
    const digest = createHash('sha256').update(`${region}/${day}/${hour}`).digest();
    // Few buy at night: the amounts follow the hours of the day.
    const busy = Math.max(0.1, Math.sin(((hour - 6) / 18) * Math.PI));
    const orders = Math.round(busy * (20 + (digest[0] ?? 0) / 4));
    insert.run(region, day, hour, orders * (1_500 + (digest.readUInt16BE(1) % 4_000)), orders);
  }
}
