import { newTraceId } from '../base/ids.ts';
import { compile, type Compiled } from '../adapters/compile.ts';
import { decodeCall, readCall, type DecodeFailure } from '../adapters/decode.ts';
import { findDialect } from '../adapters/dialect.ts';
import { resultText } from '../adapters/result-text.ts';
import type { ToolCall } from '../adapters/tool-call.ts';
import { wireOf, type CallResult } from '../adapters/wire.ts';
import type { CallRequest, Envelope } from '../contract/envelope.ts';
import { fail } from '../contract/outcome.ts';
import type { CallSession } from '../mediator/call.ts';
import { WRITES_PER_TURN } from '../mediator/stages/write-guard.ts';
import type { Skill } from '../registry/skill.ts';
import { KeptResults, READ_RESULT } from './kept-results.ts';
import type { Library } from './library.ts';
import type {
  CallControl,
  Dispatch,
  DispatchedCall,
  DispatchOptions,
  ToolsOptions,
} from './runtime.ts';
import { unexecuted } from './unexecuted.ts';

const PER_RESULT = 32 * 1024;
const PER_TURN = 96 * 1024;

/** What a session is made of, as its tools need it. */
export interface Surface {
  readonly library: Library;
  readonly state: CallSession;
  readonly revision: () => string;
  readonly skills: () => readonly Skill[];
  readonly call: (request: CallRequest, control: CallControl) => Promise<Envelope>;
}

/** The session's skills as one vendor's tools, and the road from its replies to results. */
export class AgentSurface {
  readonly #surface: Surface;
  readonly #kept = new KeptResults();
  readonly #compiled = new Map<string, Compiled>();

  constructor(surface: Surface) {
    this.#surface = surface;
  }

  toolsFor(dialect: string, { skills, limit, deferred = false }: ToolsOptions = {}): Compiled {
    const shown = skills === undefined ? 'all' : [...skills].sort().join(' ');
    return this.#compile(`${dialect}|${shown}|${limit}|${deferred}|${this.#kept.any}`, () => {
      const visible = this.#contracts();
      const wanted = skills === undefined ? undefined : new Set(skills);
      const chosen = visible.filter(
        (contract) => wanted?.has(contract.name) !== false || contract === READ_RESULT,
      );
      const among = visible.map(({ name }) => name);
      return compile(limit === undefined ? chosen : chosen.slice(0, limit), dialect, {
        among,
        deferred,
      });
    });
  }

  async dispatch(
    dialect: string,
    reply: unknown,
    { signal, parallel = true }: DispatchOptions = {},
  ): Promise<Dispatch> {
    const wire = wireOf(findDialect(dialect));
    const compiled = this.#compile(`${dialect}|reading`, () =>
      compile([...this.#contracts(), READ_RESULT], dialect, { reading: true }),
    );
    const calls = wire.calls(reply);
    const outcomes = await this.#run(calls, compiled, { signal, parallel });
    const sizes = outcomes.map(({ text }) => text.pages.join('').length);
    const budget = fairShare(sizes);
    const results = outcomes.map(({ call, envelope, text }, index): CallResult => {
      const whole = text.pages[0] ?? '';
      if (text.pages.length === 1 && whole.length <= budget)
        return { call, text: whole, error: text.error };
      const { pages } = envelope === undefined ? text : resultText(envelope, budget);
      const name = this.#kept.keep(pages);
      const tool = compiled.nameTable.exposed(READ_RESULT.name) ?? READ_RESULT.name;
      const note = `\nTruncated: page 1 of ${pages.length} (${sizes[index]} characters in all). For the rest call ${tool} with ${JSON.stringify({ result: name, page: 2 })}, or ask for less.`;
      return { call, text: `${pages[0] ?? ''}${pages.length > 1 ? note : ''}`, error: text.error };
    });
    return {
      messages: wire.messages(reply, results),
      outcomes: outcomes.map(({ call, skill, envelope }) => ({ call, skill, envelope })),
    };
  }

  instructions(dialect: string): string {
    const { arguments: form } = findDialect(dialect);
    return [
      'Call tools that do not depend on each other together, in one reply; call others one after the other.',
      `Look things up before you change them. At most ${WRITES_PER_TURN} changes are made for one request of the user; then tell the user what was done and ask whether to go on.`,
      'When something that a tool needs is missing, ask the user; never make up a value.',
      'An error says what was wrong and what to do. Do that; do not send the same call again.',
      'When it is not known whether a change took effect, look it up before you repeat it.',
      'A truncated result names the tool that reads its next page; read on only when the answer needs it.',
      ...(form === 'text' ? ['Send arguments as one JSON object and nothing around it.'] : []),
    ].join('\n');
  }

  #contracts(): readonly Skill['contract'][] {
    const own = this.#surface.skills().map(({ contract }) => contract);
    return this.#kept.any ? [...own, READ_RESULT] : own;
  }

  #compile(key: string, make: () => Compiled): Compiled {
    const full = `${this.#surface.revision()}|${key}`;
    let compiled = this.#compiled.get(full);
    if (compiled !== undefined) return compiled;
    if (this.#compiled.size > 16) this.#compiled.clear();
    this.#compiled.set(full, (compiled = make()));
    return compiled;
  }

  /** Reads together, each write alone and in its place. */
  async #run(
    calls: readonly ToolCall[],
    compiled: Compiled,
    { signal, parallel }: { readonly signal: AbortSignal | undefined; readonly parallel: boolean },
  ): Promise<readonly Ran[]> {
    const outcomes: Ran[] = [];
    let together: Promise<Ran>[] = [];
    const settle = async (): Promise<void> => {
      outcomes.push(...(await Promise.all(together)));
      together = [];
    };
    for (const call of calls) {
      const skill = compiled.nameTable.skill(call.name);
      const plan = skill === undefined ? undefined : compiled.decodePlans.get(skill);
      const alone = !parallel || plan?.contract.side_effect.kind === 'write';
      if (alone) await settle();
      together.push(this.#one(call, compiled, signal));
      if (alone) await settle();
    }
    await settle();
    return outcomes;
  }

  async #one(call: ToolCall, compiled: Compiled, signal: AbortSignal | undefined): Promise<Ran> {
    const read = readCall(compiled, call);
    if (!read.ok) return this.#refused(call, read);
    const { skill, params } = read;
    if (skill === READ_RESULT.name) return this.#readOn(call, compiled);
    const control = signal === undefined ? {} : { signal };
    const envelope = await this.#surface.call({ toolName: skill, params }, control);
    return { call, skill, envelope, text: resultText(envelope, PER_RESULT) };
  }

  #readOn(call: ToolCall, compiled: Compiled): Ran {
    const skill = READ_RESULT.name;
    const decoded = decodeCall(compiled, call);
    if (!decoded.ok) return this.#refused(call, decoded);
    const { result, page } = decoded.params;
    const { ok, text } = this.#kept.read(result as string, Number(page));
    return { call, skill, envelope: undefined, text: { error: !ok, pages: [text] } };
  }

  /** A call nobody could read is evidence like any other: it leaves a row. */
  #refused(call: ToolCall, { code, message, details }: DecodeFailure): Ran {
    const { library, state } = this.#surface;
    const { error } = fail(code, message, { details });
    const refusal = { error, toolName: call.name, traceId: newTraceId(), at: Date.now() };
    const envelope = unexecuted(library, state, refusal);
    return { call, skill: undefined, envelope, text: resultText(envelope, PER_RESULT) };
  }
}

interface Ran extends DispatchedCall {
  readonly text: ReturnType<typeof resultText>;
}

/** The most characters that each result of a turn may have, so that together they fit and short ones stay whole. */
function fairShare(sizes: readonly number[]): number {
  let room = PER_TURN;
  const sorted = sizes.toSorted((left, right) => left - right);
  for (const [index, size] of sorted.entries()) {
    const share = Math.floor(room / (sorted.length - index));
    if (size > share) return Math.min(PER_RESULT, share);
    room -= size;
  }
  return PER_RESULT;
}
