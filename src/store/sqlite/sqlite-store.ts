import type { Kysely } from 'kysely';
import { newSpanId } from '../../base/ids.ts';
import { readCall } from '../call-body.ts';
import type { AuditRow, Intent, Store } from '../store.ts';
import { openDatabase } from './open-database.ts';
import { Writer, type Claim } from './writer.ts';

interface Tables {
  audit: AuditRow & {
    readonly id: number;
    readonly traceId: string | null;
    readonly conversation: string | null;
    readonly skill: string | null;
  };
  journal: Intent & { readonly settledAt: number | null };
  ticket: Claim;
}

/** Where a SQLite store lives. */
export interface SqliteStoreOptions {
  readonly file: string;
}

/**
 * Remembers in one SQLite file that several processes may share: appends run on a thread of their own,
 * a write's intent is on disk (WAL, synchronous=FULL) before its promise resolves, rows of calls follow
 * in batches within 50 ms. Rows that cannot be written are tried five times in about a second; then they
 * are lost, which the next `record`, and from then on every `flush` and `close`, say by rejecting.
 * Throws Error naming the file and what to do when it cannot be opened.
 */
export function openSqliteStore({ file }: SqliteStoreOptions): Store {
  const database = openDatabase(file);
  const writer = new Writer(file, newSpanId());
  let reader: Kysely<Tables> | undefined;
  let closing: Promise<void> | undefined;
  const read = async (): Promise<Kysely<Tables>> => {
    await writer.drain();
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
    record: (row) => writer.row(row),
    audit: {
      append: (change) => writer.row(change),
      list: async ({ writer: wanted, limit } = {}) => {
        const all = (await read())
          .selectFrom('audit')
          .select(['writer', 'seq', 'kind', 'body', 'prev', 'hash']);
        const query =
          wanted === undefined
            ? all.orderBy('id')
            : all.where('writer', '=', wanted).orderBy('seq');
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
      intend: (intent) => writer.entry(intent),
      settle: (id, settlement) => writer.entry({ id, ...settlement }),
      claim: async (ticket) => {
        const owner = newSpanId();
        await writer.entry({ ticket, owner, at: Date.now() });
        const kept = await (
          await read()
        )
          .selectFrom('ticket')
          .select('owner')
          .where('ticket', '=', ticket)
          .executeTakeFirst();
        return kept?.owner === owner;
      },
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
