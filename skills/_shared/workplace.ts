import type { DatabaseSync } from 'node:sqlite';
import { ToolError } from '../../src/index.ts';
import { openDatabase } from './open-database.ts';

const SCHEMA = `
  CREATE TABLE IF NOT EXISTS users (id TEXT PRIMARY KEY, name TEXT NOT NULL, name_zh TEXT NOT NULL, email TEXT NOT NULL, team TEXT NOT NULL);
  CREATE TABLE IF NOT EXISTS tasks (id INTEGER PRIMARY KEY, title TEXT NOT NULL, notes TEXT NOT NULL, due TEXT, priority TEXT NOT NULL, status TEXT NOT NULL,
    assignee TEXT REFERENCES users (id), created_at TEXT NOT NULL, key TEXT NOT NULL UNIQUE);
`;

const USERS: readonly (readonly string[])[] = [
  ['u-ann', 'Ann Lee', '李安', 'ann@example.com', 'sales'],
  ['u-bo', 'Bo Chen', '陈博', 'bo@example.com', 'sales'],
  ['u-cara', 'Cara Smith', '史卡拉', 'cara@example.com', 'finance'],
  ['u-dai', 'Dai Wang', '王戴', 'dai@example.com', 'support'],
];

// Something to look at from the start.
const FIRST_TASK = `INSERT OR IGNORE INTO tasks VALUES (1, 'Look around', 'Try the skills of this library.', NULL, 'low', 'open', 'u-ann', '2026-01-01T00:00:00.000Z', 'first')`;

/** A task as the skills show it. */
export interface Task {
  readonly id: number;
  readonly title: string;
  readonly notes: string;
  readonly due: string | null;
  readonly priority: string;
  readonly status: string;
  readonly assignee: string | null;
}

/** The sample database of tasks and users. */
export function openWorkplace(dataDir: string): DatabaseSync {
  const database = openDatabase(dataDir, 'workplace', SCHEMA);
  if (database.prepare('SELECT 1 FROM users LIMIT 1').get() !== undefined) return database;
  const insert = database.prepare('INSERT OR IGNORE INTO users VALUES (?, ?, ?, ?, ?)');
  for (const user of USERS) insert.run(...user);
  database.exec(FIRST_TASK);
  return database;
}

/** One task. Throws NOT_FOUND when there is none of that id. */
export function readTask(dataDir: string, id: number): Task {
  const row = openWorkplace(dataDir)
    .prepare('SELECT id, title, notes, due, priority, status, assignee FROM tasks WHERE id = ?')
    .get(id);
  if (row !== undefined) return { ...row } as unknown as Task;
  throw new ToolError('NOT_FOUND', `There is no task ${id}. Use task.list to find the right one.`, {
    details: { reason: 'task' },
  });
}

/** Whether a user of that id exists. */
export function userExists(dataDir: string, id: string): boolean {
  return openWorkplace(dataDir).prepare('SELECT 1 FROM users WHERE id = ?').get(id) !== undefined;
}
