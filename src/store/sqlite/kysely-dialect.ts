import type { DatabaseSync, SQLInputValue } from 'node:sqlite';
import { SqliteDialect, type SqliteDatabase, type SqliteStatement } from 'kysely';

/** Kysely on Node's own SQLite; transactions begin at once, since a read that turns into a write would fail under contention. */
export function createDialect(database: DatabaseSync): SqliteDialect {
  const adapted: SqliteDatabase = {
    prepare: (sql) => {
      const statement = database.prepare(sql === 'begin' ? 'begin immediate' : sql);
      return {
        reader: statement.columns().length > 0,
        // Plain objects like every other row: SQLite's have no prototype.
        all: (parameters) =>
          statement.all(...(parameters as SQLInputValue[])).map((row) => ({ ...row })),
        run: (parameters) => statement.run(...(parameters as SQLInputValue[])),
        iterate: (parameters) => statement.iterate(...(parameters as SQLInputValue[])),
      } satisfies SqliteStatement;
    },
    close: () => database.close(),
  };
  return new SqliteDialect({ database: adapted });
}
