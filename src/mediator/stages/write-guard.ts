import { after } from '../../base/after.ts';
import { fail, type Outcome } from '../../contract/outcome.ts';
import { writeStepCount } from '../../executors/composite.ts';
import type { Call } from '../call.ts';
import type { Stage } from '../stage.ts';

/** Writes allowed in one turn without a word from the user: a red line, so not configurable upwards. */
export const WRITES_PER_TURN = 3;

/** Lets no write through on a read-only request, and no more than three in a row in one turn. */
export const writeGuard: Stage = {
  name: 'write-guard',
  wrap: (next, skill) => {
    const { contract, flow } = skill;
    if (contract.side_effect.kind !== 'write') return next;
    const composite = contract.executor.kind === 'composite';
    return (call) => {
      if (call.compensating) return next(call);
      if (call.session.readOnly || call.turn.readOnly) return readOnly(contract.name);
      // A composite's steps count one by one as they run; it is only not begun when they cannot all run.
      const needed = !composite
        ? 1
        : flow === undefined
          ? 0
          : writeStepCount(
              flow,
              (name) => call.snapshot.get(name)?.contract.side_effect.kind ?? 'write',
            );
      if (call.turn.writes + needed > WRITES_PER_TURN) return overBudget(call, needed);
      if (composite) return next(call);
      call.turn.writes++;
      return after(next(call), (outcome) => {
        if (call.attempts === 0) call.turn.writes--;
        return outcome;
      });
    };
  },
};

function readOnly(name: string): Outcome {
  return fail(
    'UNAUTHORISED',
    `${name} changes things, and this request is read-only. Answer with reads, or ask the user to confirm that something should be changed.`,
    {
      details: { reason: 'read_only_turn' },
    },
  );
}

function overBudget({ skill, turn }: Call, needed: number): Outcome {
  return fail(
    'UNAUTHORISED',
    `${skill.contract.name} was not run: ${turn.writes} of the ${WRITES_PER_TURN} writes of one turn are used${needed > 1 ? `, and it needs ${needed}` : ''}. Tell the user what was done and ask whether to go on.`,
    { details: { reason: 'write_budget', used: turn.writes, allowed: WRITES_PER_TURN } },
  );
}
