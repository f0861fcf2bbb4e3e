import type { DecodeFailure } from '../adapters/decode.ts';

/** Why a call is refused before it reaches a skill, told to the model. */
export type Refused = Pick<DecodeFailure, 'code' | 'message' | 'details'>;

/** The store could not promise that a decision is used once. */
export const UNRECORDED: Refused = {
  code: 'INTERNAL_ERROR',
  message:
    'Nothing was run: the use of this decision could not be recorded beforehand. The operator has to look at the store; then it can be tried again.',
  details: { reason: 'journal_unavailable' },
};

/** A decision was used before. */
export const USED: Refused = {
  code: 'UNAUTHORISED',
  message:
    'Nothing was run: this decision has been used before. Look up what was done then, and ask again for anything more.',
  details: { reason: 'approval_used' },
};

/** Somebody said no, or nobody said yes. */
export function notApproved(skill: string, note: string): Refused {
  return {
    code: 'UNAUTHORISED',
    message: `${skill} was not run: it was not approved. ${note} Do without it, or ask the user.`,
    details: { reason: 'approval_denied' },
  };
}

/** What would run now is not what was decided about. */
export function changed(skill: string): Refused {
  return {
    code: 'UNAUTHORISED',
    message: `${skill} was not run: it has changed since it was approved. Call it again, so that it can be judged anew.`,
    details: { reason: 'approval_required' },
  };
}
