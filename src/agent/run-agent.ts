import { createRedactor } from '../base/redact.ts';
import type { JsonObject } from '../base/json.ts';
import { findDialect } from '../adapters/dialect.ts';
import { repairHistory } from '../adapters/repair-history.ts';
import { wireOf } from '../adapters/wire.ts';
import type { AgentSession, PendingCall } from './agent-session.ts';
import { decide, tooLate, type Approval, type Decision } from './approvals.ts';
import { LoopDetector } from './loop-detector.ts';
import type { Model, ModelReply } from './model.ts';
import { isOver, newPause, readState, writeState, type AgentState } from './agent-state.ts';
import { sendWithRetry } from './retry.ts';

/** What happens while an agent runs. */
export type AgentEvent =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'step'; readonly step: number }
  | { readonly type: 'call'; readonly id: string; readonly name: string }
  | { readonly type: 'result'; readonly id: string; readonly ok: boolean };

/** How an agent runs. */
export interface AgentOptions {
  readonly model: Model;
  readonly session: AgentSession;
  /** The user's words, or a history in the vendor's form. */
  readonly messages: string | readonly JsonObject[];
  /** Said to the model before the session's own lines. */
  readonly system?: string;
  /** Replies of the model at most. Default 16. */
  readonly maxSteps?: number;
  /** False runs one call at a time, and tells the vendor so. Default true. */
  readonly parallel?: boolean;
  readonly signal?: AbortSignal;
  readonly onEvent?: (event: AgentEvent) => void;
  /** Judges every call before anything of its reply runs: true lets it run, false refuses it, `ask` pauses for a person. */
  readonly approve?: (call: PendingCall) => Approval | Promise<Approval>;
  /** Goes on after a pause, perhaps in another process. */
  readonly resume?: {
    readonly state: AgentState;
    readonly decisions: Readonly<Record<string, Decision>>;
  };
}

/** How an agent's run ended; `cut`: the answer reached the vendor's limit. */
export interface AgentResult {
  readonly status:
    | 'done'
    | 'refused'
    | 'cut'
    | 'step_limit'
    | 'loop'
    | 'cancelled'
    | 'error'
    | 'awaiting_approval';
  /** The model's last words, or what went wrong. */
  readonly text: string;
  /** The history in the vendor's form; it can be sent again as it is. */
  readonly messages: readonly JsonObject[];
  readonly steps: number;
  readonly usage: { readonly input: number; readonly output: number };
  /** Calls that wait for a person, with what will run and its digest. */
  readonly pending?: readonly PendingCall[];
  /** JSON to keep until they are decided. */
  readonly state?: AgentState;
}

const MAX_STEPS = 16;
const REPEATED =
  'You made this very call before and got this very result. Do something else, or answer with what you have.';

/**
 * Drives a model and a session's skills to the final answer: reads run together, writes in their place, errors
 * go back to the model, circles are stopped, a person is asked where `approve` says so. Never rejects for what
 * happens on the way; throws TypeError at once for options that cannot work. Nothing of a reply runs while a
 * call of it waits for a decision, and a decision holds for exactly what was shown: another version, contract,
 * parameter or caller asks again.
 */
export async function runAgent(options: AgentOptions): Promise<AgentResult> {
  const run = new AgentRun(options);
  try {
    return await run.start();
  } catch (error) {
    if (options.signal?.aborted === true) return run.end('cancelled', 'The run was cancelled.');
    return run.end('error', errorText(error));
  }
}

class AgentRun {
  readonly #options: AgentOptions;
  readonly #loops = new LoopDetector();
  #messages: JsonObject[];
  #steps = 0;
  #usage = { input: 0, output: 0 };

  constructor(options: AgentOptions) {
    const { model, messages, resume, maxSteps = MAX_STEPS } = options;
    findDialect(model.dialect);
    if (!Number.isInteger(maxSteps) || maxSteps < 1)
      throw new TypeError('maxSteps is a whole number from 1 on.');
    if (resume !== undefined && options.approve === undefined)
      throw new TypeError(
        'resume needs approve: the rule by which the run was paused. Pass it again, or everything undecided would run.',
      );
    this.#options = options;
    const given = typeof messages === 'string' ? [model.userMessage(messages)] : [...messages];
    const state = resume === undefined ? undefined : readState(resume.state, model.dialect);
    this.#messages = state === undefined ? given : [...state.messages];
    this.#steps = state?.steps ?? 0;
  }

  async start(): Promise<AgentResult> {
    const { model, session, resume, maxSteps = MAX_STEPS, signal } = this.#options;
    if (resume === undefined) session.beginTurn();
    this.#messages = [...repairHistory(model.dialect, this.#messages)];
    if (resume !== undefined) {
      const ended = await this.#calls(resume.state.reply, resume);
      if (ended !== undefined) return ended;
    }
    while (this.#steps < maxSteps) {
      if (signal?.aborted === true) return this.end('cancelled', 'The run was cancelled.');
      this.#steps++;
      this.#options.onEvent?.({ type: 'step', step: this.#steps });
      const answer = await this.#ask();
      const ended = await this.#take(answer);
      if (ended !== undefined) return ended;
    }
    return this.end('step_limit', `The model had not finished after ${maxSteps} steps.`);
  }

  end(status: AgentResult['status'], text: string, more: Partial<AgentResult> = {}): AgentResult {
    return {
      status,
      text,
      messages: this.#messages,
      steps: this.#steps,
      usage: this.#usage,
      ...more,
    };
  }

  async #ask(): Promise<ModelReply> {
    const { model, session, system, parallel = true, signal, onEvent } = this.#options;
    const lines = session.instructions(model.dialect);
    const answer = await sendWithRetry(model, {
      instructions: system === undefined ? lines : `${system}\n\n${lines}`,
      messages: this.#messages,
      tools: session.toolsFor(model.dialect).tools,
      parallel,
      signal,
      onText: onEvent === undefined ? undefined : (text) => onEvent({ type: 'text', text }),
    });
    const { usage } = answer;
    if (usage !== undefined)
      this.#usage = {
        input: this.#usage.input + usage.input,
        output: this.#usage.output + usage.output,
      };
    return answer;
  }

  async #take({ reply, text, finish }: ModelReply): Promise<AgentResult | undefined> {
    const wire = wireOf(findDialect(this.#options.model.dialect));
    const calls = wire.calls(reply);
    // Stopped by the vendor anywhere in the middle: nothing of it may run, and it is not sent back.
    if (finish === 'refused') return this.end('refused', text);
    if (calls.length === 0) {
      this.#messages.push(...wire.messages(reply, []));
      if (finish === 'pause') return undefined;
      return this.end(finish === 'cut' ? 'cut' : 'done', text);
    }
    return this.#calls(reply);
  }

  /** Runs the calls of a reply, or pauses when one of them waits for a person. */
  async #calls(reply: unknown, resume?: AgentOptions['resume']): Promise<AgentResult | undefined> {
    const { model, session, approve, parallel = true, signal, onEvent } = this.#options;
    const wire = wireOf(findDialect(model.dialect));
    const calls = wire.calls(reply);
    // Paused again it is still the same pause: two states of it would let its calls run twice.
    const pause = resume?.state.id ?? newPause();
    const decisions = resume?.decisions ?? {};
    const previews = session.preview(model.dialect, reply);
    const verdict = isOver(pause)
      ? tooLate(previews)
      : await decide(previews, { approve, decisions, pause });
    if (verdict.pending.length > 0) {
      const state = writeState({
        id: pause,
        dialect: model.dialect,
        messages: this.#messages,
        reply,
        steps: this.#steps,
      });
      const text = `${verdict.pending.length} calls wait for a decision.`;
      return this.end('awaiting_approval', text, { pending: verdict.pending, state });
    }
    const made = JSON.stringify(calls.map(({ name, arguments: sent }) => [name, sent]));
    for (const { id, name } of calls) onEvent?.({ type: 'call', id, name });
    const { messages, outcomes } = await session.dispatch(model.dialect, reply, {
      parallel,
      denied: verdict.denied,
      approved: verdict.approved,
      ...(signal === undefined ? {} : { signal }),
      ...(resume === undefined ? {} : { ticket: pause }),
      ...(this.#loops.repeats(made) ? { remark: REPEATED } : {}),
    });
    // Before anybody hears of it: a listener that throws must not lose what was done.
    this.#messages.push(...messages);
    for (const { call, envelope } of outcomes)
      onEvent?.({ type: 'result', id: call.id, ok: envelope?.success !== false });
    const came = JSON.stringify(
      outcomes.map(({ envelope }) =>
        envelope?.success === true ? envelope.result : envelope?.error.message,
      ),
    );
    if (this.#loops.add(made, came))
      return this.end('loop', 'The model kept making the same calls with the same results.');
    return undefined;
  }
}

function errorText(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  return createRedactor().text(message).slice(0, 2_000);
}
