import type { JsonObject } from '../base/json.ts';
import type { ExecutionContext } from '../contract/execution-context.ts';
import type { ProcessGroup } from './process-group.ts';
import { Worker } from './worker.ts';

/** How a pool starts its workers, how many it may have and how long an unused one lives (ms). */
export interface PoolOptions {
  readonly size: number;
  readonly idleMs: number;
  start(context: ExecutionContext): ProcessGroup;
}

/** Hands a waiting call a worker, or the right to start one. */
type Waiting = (worker: Worker | undefined) => void;

/** Workers of one skill, started when first needed and reused; calls beyond their number wait in order. */
export class WorkerPool {
  readonly #options: PoolOptions;
  readonly #idle: Worker[] = [];
  readonly #waiting = new Set<Waiting>();
  #places: number;

  constructor(options: PoolOptions) {
    this.#options = options;
    this.#places = options.size;
  }

  /**
   * Runs one call. Rejects with a ToolError when it fails, and with the signal's reason when it is
   * aborted: at once while waiting, else when the worker is gone.
   */
  async run(params: JsonObject, context: ExecutionContext): Promise<unknown> {
    context.signal.throwIfAborted();
    let worker = this.#idle.pop();
    // A dead one leaves its place to the one that is started now.
    if (worker?.alive === false) worker = undefined;
    else if (worker === undefined && this.#places > 0) this.#places--;
    else worker ??= await this.#wait(context.signal);
    try {
      worker ??= this.#start(context);
      return await worker.ask(params, context);
    } finally {
      this.#passOn(worker);
    }
  }

  #start(context: ExecutionContext): Worker {
    const { idleMs } = this.#options;
    return new Worker(this.#options.start(context), {
      idleMs,
      onGone: (worker) => {
        const index = this.#idle.indexOf(worker);
        if (index === -1) return;
        this.#idle.splice(index, 1);
        this.#places++;
      },
    });
  }

  #passOn(worker: Worker | undefined): void {
    const usable = worker?.alive === true ? worker : undefined;
    const [next] = this.#waiting;
    if (next !== undefined) {
      this.#waiting.delete(next);
      next(usable);
    } else if (usable !== undefined) this.#idle.push(usable);
    else this.#places++;
  }

  #wait(signal: AbortSignal): Promise<Worker | undefined> {
    return new Promise((resolve, reject) => {
      const abort = (): void => {
        this.#waiting.delete(next);
        reject(signal.reason);
      };
      const next: Waiting = (worker) => {
        signal.removeEventListener('abort', abort);
        resolve(worker);
      };
      signal.addEventListener('abort', abort, { once: true });
      this.#waiting.add(next);
    });
  }
}
