import { createHash } from 'node:crypto';
import type { PendingCall } from './agent-session.ts';

/** What is to become of a call. */
export type Approval = boolean | 'ask';

/** A person's decision about one call. */
export interface Decision {
  readonly approved: boolean;
  /** Of what was shown; when something else would run now, it is shown again. */
  readonly digest: string;
  /** Said to the model when it was refused. */
  readonly note?: string;
}

/** The calls of one reply, sorted. */
export interface Verdict {
  readonly pending: readonly PendingCall[];
  /** Reasons by the call's id. */
  readonly denied: Readonly<Record<string, string>>;
  /** Digests by the call's id: only this may run. */
  readonly approved: Readonly<Record<string, string>>;
}

/** Judges the calls of a reply by what was decided about them in this pause, else by the host's rule. */
export async function decide(
  calls: readonly PendingCall[],
  {
    approve,
    decisions,
    pause,
  }: {
    readonly approve: ((call: PendingCall) => Approval | Promise<Approval>) | undefined;
    readonly decisions: Readonly<Record<string, Decision>>;
    /** Its id: a decision of one pause is none in another. */
    readonly pause: string;
  },
): Promise<Verdict> {
  const asked: PendingCall[] = [];
  const denied: Record<string, string> = {};
  const approved: Record<string, string> = {};
  let open = false;
  for (const call of calls) {
    const shown = { ...call, digest: bind(call, pause) };
    const decision = Object.hasOwn(decisions, call.id) ? decisions[call.id] : undefined;
    // A decision about something else is none.
    const bound = decision?.digest === shown.digest ? decision : undefined;
    if (bound !== undefined) asked.push(shown);
    // What is neither a yes nor a question is a no, a rule without an answer too.
    const approval: unknown = bound?.approved ?? (approve === undefined || (await approve(call)));
    if (approval === 'ask') {
      asked.push(shown);
      open = true;
    } else if (approval === true) approved[call.id] = call.digest;
    else denied[call.id] = bound?.note ?? 'It was not approved.';
  }
  // While one is open all are shown again: the decisions come together.
  return { pending: open ? asked : [], denied, approved };
}

/** Refuses every call: the pause is too old. */
export function tooLate(calls: readonly PendingCall[]): Verdict {
  const note = 'It was asked about over a week ago, and no decision holds so long.';
  return {
    pending: [],
    denied: Object.fromEntries(calls.map(({ id }) => [id, note])),
    approved: {},
  };
}

function bind({ id, digest }: PendingCall, pause: string): string {
  return createHash('sha256')
    .update(JSON.stringify([pause, id, digest]))
    .digest('hex');
}
