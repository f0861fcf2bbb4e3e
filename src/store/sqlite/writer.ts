import { Worker } from 'node:worker_threads';
import { storeMessage } from './open-database.ts';

const BATCH_ROWS = 1_024;
const BATCH_MS = 20;
const QUEUE_BOUND = 20_000;
const TRIES = 5;

interface Batch {
  readonly lines: readonly string[];
  /** Set for entries somebody waits for: they fail at once, rows are tried again. */
  readonly settled: ((error: Error | null) => void) | undefined;
  tries: number;
}

/**
 * The queue in front of the writing thread. Rows go in large batches; entries somebody waits for go
 * together at the end of the event loop's turn (group commit). Never keeps a process alive by itself,
 * always while something is not yet written.
 */
export class Writer {
  readonly #file: string;
  readonly #id: string;
  #worker: Worker | undefined;
  #secrets: readonly string[] = [];
  #rows: string[] = [];
  #urgent: { line: string; settle: (error: Error | null) => void }[] = [];
  readonly #sent = new Map<number, Batch>();
  #number = 0;
  #unwritten = 0;
  #timer: NodeJS.Timeout | undefined;
  #failure: Error | undefined;
  #idle: (() => void)[] = [];
  #room: { readonly promise: Promise<void>; readonly resolve: () => void } | undefined;

  constructor(file: string, id: string) {
    this.#file = file;
    this.#id = id;
  }

  /** Secret values to take out of every row from now on. */
  conceal(secrets: readonly string[]): void {
    this.#secrets = secrets;
    this.#worker?.postMessage(secrets);
  }

  /** Queues a row. A promise means the queue is full, and resolves when it is half empty. */
  row(line: string): void | Promise<void> {
    this.#unwritten++;
    if (this.#rows.push(line) >= BATCH_ROWS) this.#sendRows();
    else this.#timer ??= setTimeout(() => this.#sendRows(), BATCH_MS);
    if (this.#unwritten <= QUEUE_BOUND) return undefined;
    this.#room ??= Promise.withResolvers<void>();
    return this.#room.promise;
  }

  /** Writes an entry; resolves when it is durable, rejects with what to do when it cannot be. */
  entry(line: string): Promise<void> {
    return new Promise((resolve, reject) => {
      if (this.#urgent.length === 0) setImmediate(() => this.#sendUrgent());
      this.#urgent.push({ line, settle: (error) => (error === null ? resolve() : reject(error)) });
    });
  }

  /** Resolves when everything queued is written; rejects once with the reason when rows were lost. */
  async flush(): Promise<void> {
    this.#sendRows();
    this.#sendUrgent();
    if (this.#sent.size > 0) await new Promise<void>((resolve) => this.#idle.push(resolve));
    const failure = this.#failure;
    this.#failure = undefined;
    if (failure !== undefined) throw failure;
  }

  async close(): Promise<void> {
    try {
      await this.flush();
    } finally {
      const worker = this.#worker;
      this.#worker = undefined;
      await worker?.terminate();
    }
  }

  #sendRows(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#rows.length === 0) return;
    const lines = this.#rows;
    this.#rows = [];
    this.#send({ lines, settled: undefined, tries: 1 });
  }

  #sendUrgent(): void {
    if (this.#urgent.length === 0) return;
    const entries = this.#urgent;
    this.#urgent = [];
    const settled = (error: Error | null): void => {
      for (const { settle } of entries) settle(error);
    };
    this.#send({ lines: entries.map(({ line }) => line), settled, tries: 1 });
  }

  #send(batch: Batch): void {
    const number = ++this.#number;
    this.#sent.set(number, batch);
    this.#worker ??= this.#start();
    this.#worker.ref();
    this.#worker.postMessage(`${number}\n${batch.lines.join('\n')}`);
  }

  #start(): Worker {
    const source = import.meta.url.endsWith('.ts') ? './writer-worker.ts' : './writer-worker.js';
    const worker = new Worker(new URL(source, import.meta.url), {
      workerData: { file: this.#file, writer: this.#id, secrets: this.#secrets },
    });
    worker.on('message', ([number, error]: [number, string | null]) =>
      this.#written(number, error),
    );
    worker.on('error', (error: Error) => {
      this.#worker = undefined;
      for (const number of Array.from(this.#sent.keys())) this.#written(number, error.message);
    });
    return worker;
  }

  #written(number: number, error: string | null): void {
    const batch = this.#sent.get(number);
    if (batch === undefined) return;
    this.#sent.delete(number);
    const failure = error === null ? null : new Error(storeMessage(this.#file, new Error(error)));
    if (batch.settled !== undefined) batch.settled(failure);
    else if (failure === null) this.#forget(batch.lines.length);
    else this.#again(batch, failure);
    if (this.#sent.size > 0) return;
    this.#worker?.unref();
    for (const resolve of this.#idle.splice(0)) resolve();
  }

  #again(batch: Batch, failure: Error): void {
    if (batch.tries < TRIES) return this.#send({ ...batch, tries: batch.tries + 1 });
    this.#failure = new Error(`${batch.lines.length} rows of calls were lost. ${failure.message}`, {
      cause: failure,
    });
    process.emitWarning(this.#failure.message, 'SkillwrightStoreWarning');
    this.#forget(batch.lines.length);
  }

  #forget(rows: number): void {
    this.#unwritten -= rows;
    if (this.#room === undefined || this.#unwritten > QUEUE_BOUND / 2) return;
    this.#room.resolve();
    this.#room = undefined;
  }
}
