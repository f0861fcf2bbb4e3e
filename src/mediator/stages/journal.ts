import { createHash } from 'node:crypto';
import { canonicalJson } from '../../base/json.ts';
import { newSpanId } from '../../base/ids.ts';
import { fail, type Outcome } from '../../contract/outcome.ts';
import { publish } from '../../telemetry/channel.ts';
import type { Call } from '../call.ts';
import { paramsText } from '../params-text.ts';
import type { Services } from '../services.ts';
import type { Handler, Stage } from '../stage.ts';

/** Fixes what will run before it runs; a write's intent is durable before dispatch and its outcome before the answer. */
export const journal: Stage = {
  name: 'journal',
  wrap: (next, { contract }, services) => {
    // A composite writes nothing itself: each of its steps has its own entry.
    const write = contract.side_effect.kind === 'write' && contract.executor.kind !== 'composite';
    if (services.store.record === undefined)
      return write ? (call) => journalled(call, next, services) : next;
    return (call) => {
      call.paramsText = paramsText(call, services);
      return write ? journalled(call, next, services) : next(call);
    };
  },
};

async function journalled(call: Call, next: Handler, services: Services): Promise<Outcome> {
  const { journal: log } = services.store;
  const id = newSpanId() + call.spanId;
  try {
    await log.intend(intent(call, id));
  } catch (error) {
    return fail(
      'INTERNAL_ERROR',
      `${call.skill.contract.name} was not run: its write could not be recorded beforehand. Nothing was changed; the operator has to look at the store.`,
      {
        details: { reason: 'journal_unavailable' },
        cause: error,
      },
    );
  }
  const outcome = await next(call);
  const { current } = call;
  if (current?.aborted === true) {
    // Until the stopped body has settled nobody knows what it did: the intent stays open so long.
    void Promise.resolve(current.running).then(
      () => settle(call, services, { id, ok: true, code: null, reason: 'late' }),
      () => settle(call, services, { id, ok: false, code: 'TIMEOUT', reason: 'late' }),
    );
    return outcome;
  }
  const error = outcome.ok ? undefined : outcome.error;
  const reason = error?.details?.['reason'];
  const recorded = await settle(call, services, {
    id,
    ok: outcome.ok,
    code: error?.code ?? null,
    reason: typeof reason === 'string' ? reason : null,
  });
  if (!recorded)
    call.warnings = [
      ...(call.warnings ?? []),
      'The outcome of this write could not be recorded; it will be reported as in doubt.',
    ];
  return outcome;
}

function intent(call: Call, id: string): Parameters<Services['store']['journal']['intend']>[0] {
  return {
    id,
    at: Date.now(),
    traceId: call.traceId,
    skill: call.skill.contract.name,
    version: call.skill.contract.version,
    caller: call.session.caller.id,
    conversation: call.session.conversation,
    turn: call.turn.number,
    key: call.key,
    paramsHash: createHash('sha256').update(canonicalJson(call.params)).digest('hex'),
  };
}

async function settle(
  call: Call,
  services: Services,
  { id, ...settlement }: { id: string; ok: boolean; code: string | null; reason: string | null },
): Promise<boolean> {
  if (settlement.reason === 'late')
    publish('skillwright:late', () => ({
      traceId: call.traceId,
      skill: call.skill.contract.name,
      ok: settlement.ok,
    }));
  try {
    await services.store.journal.settle(id, { at: Date.now(), ...settlement });
    return true;
  } catch (error) {
    publish('skillwright:store-failed', () => ({ error }));
    return false;
  }
}
