import { after } from '../../base/after.ts';
import { fail, type Outcome } from '../../contract/outcome.ts';
import { writeStepCount } from '../../executors/composite.ts';
import type { Call } from '../call.ts';
import type { Skill } from '../../registry/skill.ts';
import type { Snapshot } from '../../registry/snapshot.ts';
import type { Stage } from '../stage.ts';

/** Writes allowed in one turn without a word from the user: a red line, so not configurable upwards. */
export const WRITES_PER_TURN = 3;

/** Lets no write through on a read-only request, and no more than three in a row in one turn. */
export const writeGuard: Stage = {
  name: 'write-guard',
  wrap: (next, skill) => {
    const { contract } = skill;
    if (contract.side_effect.kind !== 'write') return next;
    const composite = contract.executor.kind === 'composite';
    return (call) => {
      if (call.compensating) return next(call);
      if (call.session.readOnly || call.turn.readOnly) return readOnly(contract.name);
      // A composite's steps count one by one as they run; it is only not begun when they cannot all run.
      const needed = writesOf(skill, call.snapshot);
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

/** Writes a skill makes, as far as can be told beforehand: a flow's are those of its steps, nested ones too. */
function writesOf(skill: Skill | undefined, snapshot: Snapshot): number {
  if (skill === undefined) return 1;
  const { contract, flow } = skill;
  if (contract.side_effect.kind !== 'write') return 0;
  if (contract.executor.kind !== 'composite') return 1;
  return flow === undefined
    ? 0
    : writeStepCount(flow, (name) => writesOf(snapshot.get(name), snapshot));
}

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
