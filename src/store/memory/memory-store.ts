import { newSpanId } from '../../base/ids.ts';
import { createRedactor } from '../../base/redact.ts';
import { redactBody } from '../redact-body.ts';
import { callBody, readCall } from '../call-body.ts';
import { chainHash, GENESIS } from '../hash-chain.ts';
import type { AuditRow, CallRow, Intent, LibraryChange, Settlement, Store } from '../store.ts';

/** How much a memory store keeps. */
export interface MemoryStoreOptions {
  /** Rows kept; the oldest go first. Default 10,000. */
  readonly capacity?: number;
}

type Entry =
  | { readonly kind: 'call'; readonly row: CallRow }
  | { readonly kind: 'library'; readonly row: LibraryChange };

/** Remembers in this process alone and for as long as it lives: for tests, and for libraries defined in code. */
export function createMemoryStore({ capacity = 10_000 }: MemoryStoreOptions = {}): Store {
  const writer = newSpanId();
  const entries: Entry[] = [];
  const chained: AuditRow[] = [];
  const intents = new Map<string, Intent>();
  let tail: AuditRow | undefined;
  let redactor = createRedactor();

  // Rows are hashed when somebody looks or the backlog is long, so that a call pays for none of it.
  const chain = (): void => {
    for (const entry of entries.slice(chainedCount)) {
      const link = {
        writer,
        seq: (tail?.seq ?? 0) + 1,
        kind: entry.kind,
        body: redactBody(
          entry.kind === 'call' ? callBody(entry.row) : JSON.stringify(entry.row),
          redactor,
        ),
        prev: tail?.hash ?? GENESIS,
      };
      tail = { ...link, hash: chainHash(link) };
      chained.push(tail);
    }
    chainedCount = entries.length;
    const surplus = entries.length - capacity;
    if (surplus <= 0) return;
    entries.splice(0, surplus);
    chained.splice(0, surplus);
    chainedCount = entries.length;
  };
  let chainedCount = 0;
  const add = (entry: Entry): void => {
    entries.push(entry);
    if (entries.length >= capacity * 2) chain();
  };

  return {
    conceal: (secrets) => {
      redactor = createRedactor(secrets);
    },
    record: (row) => add({ kind: 'call', row }),
    audit: {
      append: (row) => add({ kind: 'library', row }),
      list: async ({ writer: wanted, limit = Infinity } = {}) => {
        chain();
        return wanted === undefined || wanted === writer ? chained.slice(0, limit) : [];
      },
    },
    calls: {
      list: async ({ traceId, conversation, skill, limit = 100 } = {}) => {
        const found: CallRow[] = [];
        for (let index = entries.length - 1; index >= 0 && found.length < limit; index--) {
          const entry = entries[index] as Entry;
          if (entry.kind !== 'call') continue;
          const { row } = entry;
          if (traceId !== undefined && row.traceId !== traceId) continue;
          if (conversation !== undefined && row.conversation !== conversation) continue;
          if (skill === undefined || row.skill === skill)
            found.push(readCall(redactBody(callBody(row), redactor)));
        }
        return found;
      },
    },
    journal: {
      intend: async (intent: Intent) => void intents.set(intent.id, intent),
      settle: async (id: string, _settlement: Settlement) => void intents.delete(id),
      unsettled: async () => [...intents.values()],
    },
    flush: async () => {},
    close: async () => {},
  };
}
