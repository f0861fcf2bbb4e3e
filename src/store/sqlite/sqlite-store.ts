import type { Kysely } from 'kysely';
import { newSpanId } from '../../base/ids.ts';
import { callBody, readCall } from '../call-body.ts';
import type { AuditRow, Intent, Store } from '../store.ts';
import { openDatabase } from './open-database.ts';
import { Writer } from './writer.ts';

interface Tables {
  audit: AuditRow & {
    readonly id: number;
    readonly traceId: string | null;
    readonly conversation: string | null;
    readonly skill: string | null;
  };
  journal: Intent & { readonly settledAt: number | null };
}

/** Where a SQLite store lives. */
export interface SqliteStoreOptions {
  readonly file: string;
}

/**
 * Remembers in one SQLite file that several processes may share: appends run on a thread of their own,
 * a write's intent is on disk (WAL, synchronous=FULL) before its promise resolves, rows of calls follow
 * in batches within 20 ms. Throws Error naming the file and what to do when it cannot be opened.
 */
export function openSqliteStore({ file }: SqliteStoreOptions): Store {
  const database = openDatabase(file);
  const writer = new Writer(file, newSpanId());
  let reader: Kysely<Tables> | undefined;
  let closing: Promise<void> | undefined;
  const read = async (): Promise<Kysely<Tables>> => {
    await writer.flush();
    if (reader === undefined) {
      // Loaded on the first look back: a process that only serves calls never needs it.
      const [{ Kysely }, { createDialect }] = await Promise.all([
        import('kysely'),
        import('./kysely-dialect.ts'),
      ]);
      reader ??= new Kysely<Tables>({ dialect: createDialect(database) });
    }
    return reader;
  };

  return {
    conceal: (secrets) => writer.conceal(secrets),
    // What a call is found by goes ahead of its body, so that the writing thread need not parse it.
    record: (row) =>
      writer.row(
        `c${row.traceId}\t${row.skill}\t${JSON.stringify(row.conversation)}\t${callBody(row)}`,
      ),
    audit: {
      append: (change) => writer.row(`l${JSON.stringify(change)}`),
      list: async ({ writer: wanted, limit } = {}) => {
        let query = (await read())
          .selectFrom('audit')
          .select(['writer', 'seq', 'kind', 'body', 'prev', 'hash'])
          .orderBy('writer')
          .orderBy('seq');
        if (wanted !== undefined) query = query.where('writer', '=', wanted);
        return (limit === undefined ? query : query.limit(limit)).execute();
      },
    },
    calls: {
      list: async ({ traceId, conversation, skill, limit = 100 } = {}) => {
        let query = (await read())
          .selectFrom('audit')
          .select('body')
          .where('kind', '=', 'call')
          .orderBy('id', 'desc')
          .limit(limit);
        if (traceId !== undefined) query = query.where('traceId', '=', traceId);
        if (conversation !== undefined) query = query.where('conversation', '=', conversation);
        if (skill !== undefined) query = query.where('skill', '=', skill);
        return (await query.execute()).map(({ body }) => readCall(body));
      },
    },
    journal: {
      intend: (intent) => writer.entry(`i${JSON.stringify(intent)}`),
      settle: (id, settlement) => writer.entry(`s${JSON.stringify({ id, ...settlement })}`),
      unsettled: async () => {
        const columns = [
          'id',
          'at',
          'traceId',
          'skill',
          'version',
          'caller',
          'conversation',
          'turn',
          'key',
          'paramsHash',
        ] as const;
        return (await read())
          .selectFrom('journal')
          .select(columns)
          .where('settledAt', 'is', null)
          .orderBy('at')
          .orderBy('id')
          .execute();
      },
    },
    flush: () => writer.flush(),
    close: () => (closing ??= writer.close().finally(() => database.close())),
  };
}
