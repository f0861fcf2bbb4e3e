import { after } from '../../base/after.ts';
import type { Outcome } from '../../contract/outcome.ts';
import type { CallRow } from '../../contract/call-row.ts';
import { publish } from '../../telemetry/channel.ts';
import type { Call } from '../call.ts';
import { causeText } from '../cause-text.ts';
import { paramsText } from '../params-text.ts';
import type { Services } from '../services.ts';
import type { Stage } from '../stage.ts';

/** Writes one row for every call and step, refused ones too; a full queue holds the answer back. */
export const audit: Stage = {
  name: 'audit',
  wrap: (next, _skill, services) => {
    const { store } = services;
    if (store.record === undefined) return next;
    const record = (call: Call, outcome: Outcome): Outcome | Promise<Outcome> => {
      const row = toRow(call, outcome, services);
      publish('skillwright:call-end', () => ({
        row,
        cause: outcome.ok ? undefined : outcome.error.cause,
      }));
      try {
        const full = store.record?.(row);
        return full === undefined
          ? outcome
          : full.then(
              () => outcome,
              (error: unknown) => unrecorded(error, outcome),
            );
      } catch (error) {
        return unrecorded(error, outcome);
      }
    };
    return (call) => after(next(call), (outcome) => record(call, outcome));
  },
};

function toRow(call: Call, outcome: Outcome, services: Services): CallRow {
  const { contract } = call.skill;
  const error = outcome.ok ? undefined : outcome.error;
  const reason = error?.details?.['reason'];
  return {
    at: call.at,
    traceId: call.traceId,
    spanId: call.spanId,
    parentId: call.parentId,
    conversation: call.session.conversation,
    turn: call.turn.number,
    caller: call.session.caller.id,
    skill: contract.name,
    version: contract.version,
    effect: contract.side_effect.kind,
    ok: outcome.ok,
    code: error?.code ?? null,
    reason: typeof reason === 'string' ? reason : null,
    message: error?.message ?? null,
    attempts: call.attempts,
    // To the microsecond: the digits behind it are noise, and the dearest part of the row to print.
    duration: Math.round((call.endedAt - call.startedAt) * 1_000) / 1_000,
    cause: error === undefined ? null : causeText(error.cause),
    params: call.paramsText === '' ? paramsText(call, services) : call.paramsText,
  };
}

// A read whose row is lost has still been answered; writes do not come this far without their journal.
function unrecorded(error: unknown, outcome: Outcome): Outcome {
  publish('skillwright:store-failed', () => ({ error }));
  return outcome;
}
