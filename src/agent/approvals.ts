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

/** Judges the calls of a reply by what was decided about them, else by the host's rule. */
export async function decide(
  calls: readonly PendingCall[],
  {
    approve,
    decisions,
  }: {
    readonly approve: ((call: PendingCall) => Approval | Promise<Approval>) | undefined;
    readonly decisions: Readonly<Record<string, Decision>>;
  },
): Promise<Verdict> {
  const pending: PendingCall[] = [];
  const denied: Record<string, string> = {};
  const approved: Record<string, string> = {};
  for (const call of calls) {
    const decision = Object.hasOwn(decisions, call.id) ? decisions[call.id] : undefined;
    // A decision about something else is none.
    const bound = decision?.digest === call.digest ? decision : undefined;
    const approval = bound?.approved ?? (await approve?.(call)) ?? true;
    if (approval === 'ask') pending.push(call);
    else if (approval) approved[call.id] = call.digest;
    else denied[call.id] = bound?.note ?? 'It was not approved.';
  }
  return { pending, denied, approved };
}
