import { newSpanId } from '../../base/ids.ts';
import { createRedactor } from '../../base/redact.ts';
import { callBody, readCall } from '../call-body.ts';
import { chainHash, GENESIS } from '../hash-chain.ts';
import { redactBody } from '../redact-body.ts';
import type { CallRow } from '../../contract/call-row.ts';
import type { AuditRow, Intent, LibraryChange, Store } from '../store.ts';

/** How much a memory store keeps. */
export interface MemoryStoreOptions {
  /** Rows kept; the oldest go first. Default 10,000. */
  readonly capacity?: number;
}

type Row = CallRow | LibraryChange;

/**
 * Remembers in this process alone and for as long as it lives: for tests, and for libraries defined in code.
 * The hash chain is made when somebody looks; rows that went unseen by then are not in it, and it begins
 * anew behind them.
 */
export function createMemoryStore({ capacity = 10_000 }: MemoryStoreOptions = {}): Store {
  if (!Number.isInteger(capacity) || capacity < 1) {
    throw new RangeError(`capacity is a whole number from 1 on, not ${capacity}.`);
  }
  const writer = newSpanId();
  const intents = new Map<string, Intent>();
  const claimed = new Set<string>();
  // Rings: row n (from 0) lies at n % capacity, its link at the same place.
  const rows: Row[] = [];
  const links: AuditRow[] = [];
  let count = 0;
  let tail: AuditRow | undefined;
  let redactor = createRedactor();

  const add = (row: Row): void => {
    rows[count++ % capacity] = row;
  };
  const oldest = (): number => Math.max(0, count - capacity);
  const bodyOf = (row: Row): string =>
    redactBody('changes' in row ? JSON.stringify(row) : callBody(row), redactor);
  const chain = (): void => {
    for (let number = Math.max(tail?.seq ?? 0, oldest()); number < count; number++) {
      const row = rows[number % capacity] as Row;
      const prev = tail?.seq === number ? tail.hash : GENESIS;
      const link = { writer, seq: number + 1, body: bodyOf(row), prev };
      tail = { ...link, kind: 'changes' in row ? 'library' : 'call', hash: chainHash(link) };
      links[number % capacity] = tail;
    }
  };

  return {
    conceal: (secrets) => {
      redactor = createRedactor(secrets);
    },
    record: add,
    audit: {
      append: add,
      list: async (query = {}) => {
        chain();
        if (query.writer !== undefined && query.writer !== writer) return [];
        const end = Math.min(count, oldest() + (query.limit ?? capacity));
        const found: AuditRow[] = [];
        for (let number = oldest(); number < end; number++) {
          found.push(links[number % capacity] as AuditRow);
        }
        return found;
      },
    },
    calls: {
      list: async ({ traceId, conversation, skill, limit = 100 } = {}) => {
        const found: CallRow[] = [];
        for (let number = count - 1; number >= oldest() && found.length < limit; number--) {
          const row = rows[number % capacity] as Row;
          if ('changes' in row) continue;
          if (traceId !== undefined && row.traceId !== traceId) continue;
          if (conversation !== undefined && row.conversation !== conversation) continue;
          if (skill === undefined || row.skill === skill) found.push(readCall(bodyOf(row)));
        }
        return found;
      },
    },
    journal: {
      intend: async (intent) => void intents.set(intent.id, intent),
      settle: async (id) => void intents.delete(id),
      claim: async (ticket) => claimed.size < claimed.add(ticket).size,
      unsettled: async () => [...intents.values()],
    },
    flush: async () => {},
    close: async () => {},
  };
}
