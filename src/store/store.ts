import type { JsonObject } from '../base/json.ts';
import type { CallRow } from '../contract/call-row.ts';

/** A change of the library: who, and which skills and fields. */
export interface LibraryChange {
  readonly at: number;
  readonly by: string;
  readonly changes: readonly JsonObject[];
}

/** A link of a writer's hash chain: `hash` = SHA-256 hex of `writer \n seq \n prev \n body`. */
export interface AuditRow {
  readonly writer: string;
  /** 1, 2, 3 ... without gaps per writer. */
  readonly seq: number;
  readonly kind: 'call' | 'library';
  /** JSON text of the CallRow (its `params` as JSON, not as text) or LibraryChange. */
  readonly body: string;
  /** The hash before; 64 zeros for the first. */
  readonly prev: string;
  readonly hash: string;
}

/** A write about to be dispatched. */
export interface Intent {
  readonly id: string;
  readonly at: number;
  readonly traceId: string;
  readonly skill: string;
  readonly version: string;
  readonly caller: string;
  readonly conversation: string;
  readonly turn: number;
  readonly key: string;
  /** SHA-256 hex of the canonical effective parameters. */
  readonly paramsHash: string;
}

/** What became of an intent. */
export interface Settlement {
  readonly at: number;
  readonly ok: boolean;
  readonly code: string | null;
  readonly reason: string | null;
}

/** Which calls to list; newest first. */
export interface CallQuery {
  readonly traceId?: string;
  readonly conversation?: string;
  readonly skill?: string;
  /** Default 100. */
  readonly limit?: number;
}

/** The evidence: rows are only ever added, and each is bound to the one before. */
export interface AuditLog {
  /** Adds a library change. A promise means the queue is full: wait for it. */
  append(change: LibraryChange): void | Promise<void>;
  /** The rows of one writer, or of all, oldest first. */
  list(query?: { readonly writer?: string; readonly limit?: number }): Promise<readonly AuditRow[]>;
}

/** The write-ahead log of writes. */
export interface Journal {
  /** Resolves when the intent would survive a crash; rejects when that cannot be promised. */
  intend(intent: Intent): Promise<void>;
  /** Resolves when the settlement would survive a crash. */
  settle(id: string, settlement: Settlement): Promise<void>;
  /**
   * True the first time a ticket is ever shown to this store, by whichever process; by then that would survive a
   * crash. Rejects when it cannot be promised.
   */
  claim(ticket: string): Promise<boolean>;
  /** Intents without a settlement, oldest first: running now, or in doubt after a crash. */
  unsettled(): Promise<readonly Intent[]>;
}

/** What is remembered (port): one suite, `test/suites/store.ts`, holds for every driver. */
export interface Store {
  /**
   * Adds one call to the audit chain and to the call log. A promise means the queue is full: wait for it.
   * Absent in a store that keeps no calls: then nothing is put together for it either.
   */
  record?(row: CallRow): void | Promise<void>;
  /** Learns secret values that must be taken out of every row, whatever they stand in. */
  conceal(secrets: readonly string[]): void;
  readonly audit: AuditLog;
  readonly calls: { list(query?: CallQuery): Promise<readonly CallRow[]> };
  readonly journal: Journal;
  /** Resolves when everything recorded so far is written; rejects with the reason when it could not be. */
  flush(): Promise<void>;
  close(): Promise<void>;
}
