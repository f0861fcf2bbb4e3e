import { monotonicMs } from '../../base/clock.ts';
import type { JsonObject } from '../../base/json.ts';
import type { Session } from '../../runtime/runtime.ts';
import type { RequestId } from './message.ts';
import { META } from './protocol.ts';

interface Beginning {
  readonly id: RequestId;
  readonly meta: JsonObject;
}

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

  /** Notes that a call begins, in the turn it belongs to; aborting `controller` is how it is cancelled. */
  begin({ id, meta }: Beginning, controller: AbortController): void {
    this.#beginTurn(meta[META.turn]);
    this.#running.set(controller, id);
  }

  /** Notes that a call is over. */
  end(controller: AbortController): void {
    this.#running.delete(controller);
    this.#lastCallAt = monotonicMs();
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
