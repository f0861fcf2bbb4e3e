import { monotonicMs } from '../../base/clock.ts';
import type { JsonObject } from '../../base/json.ts';
import type { Session } from '../../runtime/runtime.ts';
import type { RequestId } from './message.ts';
import { META } from './protocol.ts';

/** One client, its session and what it is waiting for. */
export class Peer {
  readonly session: Session;
  readonly #turnPauseMs: number;
  readonly #running = new Map<AbortController, RequestId>();
  #turn: string | undefined;
  #lastCallAt = monotonicMs();

  /** Calls further apart than `turnPauseMs` belong to different turns. */
  constructor(session: Session, turnPauseMs: number) {
    this.session = session;
    this.#turnPauseMs = turnPauseMs;
  }

  /** True while a call of this client runs. */
  get busy(): boolean {
    return this.#running.size > 0;
  }

  /** Runs a call in its turn until `controller` or `cancel` aborts it; undefined when it was aborted. */
  async run<T>(
    { id, meta }: { readonly id: RequestId; readonly meta: JsonObject },
    controller: AbortController,
    work: (signal: AbortSignal) => Promise<T>,
  ): Promise<T | undefined> {
    this.#beginTurn(meta[META.turn]);
    this.#running.set(controller, id);
    try {
      const result = await work(controller.signal);
      return controller.signal.aborted ? undefined : result;
    } finally {
      this.#running.delete(controller);
      this.#lastCallAt = monotonicMs();
    }
  }

  /** Cancels the calls with that id, or all of them; false when none was running. */
  cancel(id?: RequestId): boolean {
    let found = false;
    for (const [controller, running] of this.#running) {
      if (id !== undefined && running !== id) continue;
      found = true;
      controller.abort();
    }
    return found;
  }

  #beginTurn(named: unknown): void {
    if (typeof named === 'string') {
      if (named !== this.#turn) this.session.beginTurn();
      this.#turn = named;
    } else if (!this.busy && monotonicMs() - this.#lastCallAt > this.#turnPauseMs) {
      this.session.beginTurn();
    }
  }
}
