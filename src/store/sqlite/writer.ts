import { Worker } from 'node:worker_threads';
import type { CallRow } from '../../contract/call-row.ts';
import type { Intent, LibraryChange, Settlement } from '../store.ts';
import { packRow, type Field } from './pack-row.ts';

const BATCH_ROWS = 1_024;
const BATCH_MS = 50;
const QUEUE_BOUND = 20_000;
const TRIES = 5;
const RETRY_MS = 50;

/** Who shows a ticket; the first owner keeps it. */
export interface Claim {
  readonly ticket: string;
  readonly owner: string;
  readonly at: number;
}

type JournalEntry = Intent | (Settlement & { readonly id: string }) | Claim;

/** What the writing thread commits together; it answers each batch, in order, with null or the reason why not. */
export interface Batch {
  readonly change: LibraryChange | undefined;
  /** Packed call rows, one after the other. */
  readonly calls: readonly Field[];
  readonly journal: readonly JournalEntry[];
}

/** What the writing thread starts with. */
export interface WriterData {
  readonly file: string;
  readonly writer: string;
  readonly secrets: readonly string[];
}

interface Waiting {
  readonly entry: JournalEntry;
  readonly settle: PromiseWithResolvers<void>;
}

interface Sent {
  readonly change: LibraryChange | undefined;
  readonly calls: readonly Field[];
  readonly rows: number;
  readonly waiting: readonly Waiting[];
  readonly tries: number;
  done(): void;
}

/**
 * The queue in front of the writing thread. Rows go in batches; journal entries go at the end of the
 * event loop's turn, together with whatever is queued (group commit). It keeps the process alive while
 * something is unwritten, and only then.
 */
export class Writer {
  readonly #data: Omit<WriterData, 'secrets'>;
  #secrets: readonly string[] = [];
  #worker: Worker | undefined;
  #change: LibraryChange | undefined;
  #calls: Field[] = [];
  #rows = 0;
  #waiting: Waiting[] = [];
  #timer: NodeJS.Timeout | undefined;
  readonly #sent: Sent[] = [];
  readonly #open = new Set<Promise<void>>();
  #unwritten = 0;
  #room: PromiseWithResolvers<void> | undefined;
  #lost = 0;
  #loss: Error | undefined;
  #unreported: Error | undefined;
  #closed = false;

  constructor(file: string, writer: string) {
    this.#data = { file, writer };
  }

  /** Secret values to take out of every row from now on. */
  conceal(secrets: readonly string[]): void {
    this.#secrets = secrets;
    this.#worker?.postMessage(secrets);
  }

  /**
   * Queues a row. A promise that resolves means the queue was full and is half empty now; one that
   * rejects, that earlier rows were lost (said once) or that the writer is closed.
   */
  row(row: CallRow | LibraryChange): void | Promise<void> {
    if (this.#closed) return Promise.reject(closed());
    if ('changes' in row) {
      // A batch begins with it, so that the chain keeps the order in which things happened.
      this.#send();
      this.#change = row;
    } else packRow(row, this.#calls);
    this.#unwritten++;
    if (++this.#rows >= BATCH_ROWS) this.#send();
    else this.#timer ??= setTimeout(() => this.#send(), BATCH_MS);
    if (this.#unreported !== undefined) {
      const loss = this.#unreported;
      this.#unreported = undefined;
      return Promise.reject(loss);
    }
    if (this.#unwritten <= QUEUE_BOUND) return undefined;
    this.#room ??= Promise.withResolvers<void>();
    return this.#room.promise;
  }

  /** Writes a journal entry; resolves when it is durable, rejects with what to do when it cannot be. */
  entry(entry: JournalEntry): Promise<void> {
    if (this.#closed) return Promise.reject(closed());
    if (this.#waiting.length === 0) setImmediate(() => this.#send());
    const settle = Promise.withResolvers<void>();
    this.#waiting.push({ entry, settle });
    return settle.promise;
  }

  /** Resolves when everything queued so far is written or lost; rejects when the writer is closed. */
  async drain(): Promise<void> {
    if (this.#closed) throw closed();
    await this.#drain();
  }

  /** Resolves when everything queued so far is written; rejects with the reason when rows were ever lost. */
  async flush(): Promise<void> {
    await this.drain();
    if (this.#loss !== undefined) throw this.#loss;
  }

  /** Takes nothing more, writes what is queued and ends the thread; rejects when rows were ever lost. */
  async close(): Promise<void> {
    this.#closed = true;
    await this.#drain();
    await this.#worker?.terminate();
    if (this.#loss !== undefined) throw this.#loss;
  }

  async #drain(): Promise<void> {
    this.#send();
    await Promise.all(this.#open);
  }

  #send(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#rows === 0 && this.#waiting.length === 0) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#open.add(promise);
    const done = (): void => {
      this.#open.delete(promise);
      resolve();
    };
    this.#post({
      change: this.#change,
      calls: this.#calls,
      rows: this.#rows,
      waiting: this.#waiting,
      tries: 1,
      done,
    });
    this.#change = undefined;
    this.#calls = [];
    this.#rows = 0;
    this.#waiting = [];
  }

  #post(sent: Sent): void {
    const { change, calls, waiting } = sent;
    const batch: Batch = { change, calls, journal: waiting.map(({ entry }) => entry) };
    try {
      this.#worker ??= this.#start();
      this.#worker.postMessage(batch);
      this.#worker.ref();
      this.#sent.push(sent);
    } catch (error) {
      // Threads may be forbidden (--permission), and a timer that threw would end the process.
      this.#answered(sent, error instanceof Error ? error.message : String(error));
    }
  }

  #start(): Worker {
    const source = import.meta.url.endsWith('.ts') ? './writer-worker.ts' : './writer-worker.js';
    const workerData: WriterData = { ...this.#data, secrets: this.#secrets };
    // None of the host's flags: some, like --input-type, would keep the thread from starting.
    const worker = new Worker(new URL(source, import.meta.url), { workerData, execArgv: [] });
    worker.on('message', (reason: string | null) => {
      const sent = this.#sent.shift() as Sent;
      if (this.#sent.length === 0) worker.unref();
      this.#answered(sent, reason);
    });
    worker.on('error', (error) => {
      this.#worker = undefined;
      for (const sent of this.#sent.splice(0)) this.#answered(sent, error.message);
    });
    return worker;
  }

  #answered(sent: Sent, reason: string | null): void {
    const { rows, waiting, tries, done } = sent;
    for (const { settle } of waiting) {
      if (reason === null) settle.resolve();
      else settle.reject(new Error(reason));
    }
    if (reason !== null && rows > 0) {
      if (tries < TRIES) {
        const again: Sent = { ...sent, waiting: [], tries: tries + 1 };
        setTimeout(() => this.#post(again), RETRY_MS * 2 ** (tries - 1));
        return;
      }
      this.#lose(rows, reason);
    }
    this.#unwritten -= rows;
    if (this.#unwritten <= QUEUE_BOUND / 2) {
      this.#room?.resolve();
      this.#room = undefined;
    }
    done();
  }

  #lose(rows: number, reason: string): void {
    this.#lost += rows;
    this.#loss = new Error(`${this.#lost} rows of the audit were lost. ${reason}`);
    this.#unreported = this.#loss;
  }
}

function closed(): Error {
  return new Error('The store is closed. Open it again to go on.');
}
