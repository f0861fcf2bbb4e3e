import { newTraceId } from '../base/ids.ts';
import { compile, type Compiled } from '../adapters/compile.ts';
import { decodeCall, readCall } from '../adapters/decode.ts';
import { findDialect } from '../adapters/dialect.ts';
import { expandCall } from '../adapters/expand-call.ts';
import { resultText, textPages } from '../adapters/result-text.ts';
import type { ToolCall } from '../adapters/tool-call.ts';
import { wireOf, type CallResult } from '../adapters/wire.ts';
import type { Contract } from '../contract/contract.ts';
import type { CallRequest, Envelope } from '../contract/envelope.ts';
import { fail } from '../contract/outcome.ts';
import type { CallSession } from '../mediator/call.ts';
import { WRITES_PER_TURN } from '../mediator/stages/write-guard.ts';
import type { Skill } from '../registry/skill.ts';
import { previewCall } from './preview-call.ts';
import { KeptResults, READ_RESULT } from './kept-results.ts';
import { keyedCalls, type KeyedCall } from './keyed-calls.ts';
import type { Library } from './library.ts';
import type {
  CallControl,
  Dispatch,
  DispatchedCall,
  DispatchOptions,
  PreviewedCall,
  ToolsOptions,
} from './runtime.ts';
import { changed, notApproved, UNRECORDED, USED, type Refused } from './refusals.ts';
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

  toolsFor(
    dialect: string,
    { skills, limit, fixed = false, deferred = false }: ToolsOptions = {},
  ): Compiled {
    const reading = fixed || this.#kept.any;
    const shown = skills === undefined ? 'all' : [...skills].sort().join(' ');
    return this.#compile(`${dialect}|${shown}|${limit}|${deferred}|${reading}`, () => {
      const own = this.#surface.skills().map(({ contract }) => contract);
      const visible = reading ? [...own, READ_RESULT] : own;
      const wanted = skills === undefined ? undefined : new Set(skills);
      const chosen = visible.filter(
        (contract) => wanted?.has(contract.name) !== false || contract === READ_RESULT,
      );
      const among = visible.map(({ name }) => name);
      return compile(limit === undefined ? chosen : first(chosen, limit), dialect, {
        among,
        deferred,
      });
    });
  }

  async dispatch(
    dialect: string,
    reply: unknown,
    options: DispatchOptions = {},
  ): Promise<Dispatch> {
    const wire = wireOf(findDialect(dialect));
    const compiled = this.#reading(dialect);
    const groups = wire.calls(reply).map((call) => ({
      call,
      inner: expandCall(call, compiled.nameTable),
    }));
    const calls = keyedCalls(groups.flatMap(({ inner }) => inner));
    const outcomes = await this.#run(calls, compiled, options);
    const sizes = outcomes.map(({ text }) => text.pages.join('').length);
    const budget = fairShare(sizes);
    const results = outcomes.map(({ call, envelope, text }, index): CallResult => {
      const whole = text.pages[0] ?? '';
      if (text.pages.length === 1 && whole.length <= budget)
        return { call, text: whole, error: text.error };
      const pages =
        envelope === undefined ? textPages(whole, budget) : resultText(envelope, budget).pages;
      const name = this.#kept.keep(pages);
      const tool = compiled.nameTable.exposed(READ_RESULT.name) ?? READ_RESULT.name;
      const note = `\nTruncated: page 1 of ${pages.length} (${sizes[index]} characters in all). For the rest call ${tool} with ${JSON.stringify({ result: name, page: 2 })}, or ask for less.`;
      return { call, text: `${pages[0] ?? ''}${pages.length > 1 ? note : ''}`, error: text.error };
    });
    const { remark } = options;
    const told =
      remark === undefined
        ? results
        : results.map((result) => ({ ...result, text: `${result.text}\n${remark}` }));
    return {
      messages: wire.messages(reply, regrouped(groups, told)),
      outcomes: outcomes.map(({ call, skill, envelope }) => ({ call, skill, envelope })),
    };
  }

  preview(dialect: string, reply: unknown): readonly PreviewedCall[] {
    const { library, state } = this.#surface;
    const compiled = this.#reading(dialect);
    const calls = wireOf(findDialect(dialect))
      .calls(reply)
      .flatMap((call) => expandCall(call, compiled.nameTable));
    return keyedCalls(calls).flatMap(({ call, key }) => {
      const read = readCall(compiled, call);
      if (!read.ok) return [];
      return previewCall(library, state, { id: key, read }) ?? [];
    });
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

  /** All that can be called, shown or not. */
  #reading(dialect: string): Compiled {
    return this.#compile(`${dialect}|reading`, () => {
      const contracts = this.#surface.skills().map(({ contract }) => contract);
      return compile([...contracts, READ_RESULT], dialect, { reading: true });
    });
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
    calls: readonly KeyedCall[],
    compiled: Compiled,
    options: DispatchOptions,
  ): Promise<readonly Ran[]> {
    const { parallel = true, ticket } = options;
    const refusal = ticket === undefined ? undefined : await this.#claim(ticket);
    const outcomes: Ran[] = [];
    let together: Promise<Ran>[] = [];
    const settle = async (): Promise<void> => {
      outcomes.push(...(await Promise.all(together)));
      together = [];
    };
    for (const keyed of calls) {
      const { call } = keyed;
      const skill = compiled.nameTable.skill(call.name);
      const plan = skill === undefined ? undefined : compiled.decodePlans.get(skill);
      const alone = !parallel || plan?.contract.side_effect.kind === 'write';
      if (alone) await settle();
      const one =
        refusal === undefined ? this.#one(keyed, compiled, options) : this.#refused(call, refusal);
      together.push(Promise.resolve(one));
      if (alone) await settle();
    }
    await settle();
    return outcomes;
  }

  /** Why nothing may run under this ticket; undefined the first time it is shown. */
  async #claim(ticket: string): Promise<Refused | undefined> {
    try {
      return (await this.#surface.library.services.store.journal.claim(ticket)) ? undefined : USED;
    } catch {
      return UNRECORDED;
    }
  }

  async #one(
    { call, key }: KeyedCall,
    compiled: Compiled,
    { signal, denied = {}, approved }: DispatchOptions,
  ): Promise<Ran> {
    const read = readCall(compiled, call);
    if (!read.ok) return this.#refused(call, read);
    if (Object.hasOwn(denied, key))
      return this.#refused(call, notApproved(read.skill, denied[key] ?? ''));
    const { library, state } = this.#surface;
    if (approved !== undefined) {
      // What could not run when it was judged has no digest: it must not run now either.
      const now = previewCall(library, state, { id: key, read })?.digest;
      const then = Object.hasOwn(approved, key) ? approved[key] : undefined;
      if (now !== then) return this.#refused(call, changed(read.skill));
    }
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
  #refused(call: ToolCall, { code, message, details }: Refused): Ran {
    const { library, state } = this.#surface;
    const { error } = fail(code, message, { details });
    const refusal = { error, toolName: call.name, traceId: newTraceId(), at: Date.now() };
    const envelope = unexecuted(library, state, refusal);
    return { call, skill: undefined, envelope, text: resultText(envelope, PER_RESULT) };
  }
}

/** So many skills, and what reads their results on. */
function first(chosen: readonly Contract[], limit: number): readonly Contract[] {
  const own = chosen.filter((contract) => contract !== READ_RESULT);
  return [...own.slice(0, limit), ...chosen.filter((contract) => contract === READ_RESULT)];
}

/** One result for each call that the model made: of a wrapper, what its inner calls came to. */
function regrouped(
  groups: readonly { readonly call: ToolCall; readonly inner: readonly ToolCall[] }[],
  results: readonly CallResult[],
): readonly CallResult[] {
  let from = 0;
  return groups.flatMap(({ call, inner }) => {
    const own = results.slice(from, (from += inner.length));
    const [only] = own;
    if (only?.call === call) return [only];
    const text = JSON.stringify(
      own.map(({ call: { name }, text: said }) => ({ tool: name, said })),
    );
    return [{ call, text, error: own.every(({ error }) => error) }];
  });
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
