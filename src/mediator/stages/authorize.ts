import { fail } from '../../contract/outcome.ts';
import { isPermitted } from '../is-permitted.ts';
import type { Stage } from '../stage.ts';

/** Refuses a call whose caller lacks a permission the contract asks for. */
export const authorize: Stage = {
  name: 'authorize',
  wrap: (next, { contract }) => {
    if (contract.permissions.length === 0) return next;
    return (call) => {
      const missing = contract.permissions.filter(
        (permission) => !isPermitted(permission, call.session.caller.permissions),
      );
      if (missing.length === 0) return next(call);
      return fail(
        'UNAUTHORISED',
        `You may not call ${contract.name}: it needs ${missing.join(' and ')}. Ask the user for another way or for that permission; trying again changes nothing.`,
        {
          details: { reason: 'permission', missing },
        },
      );
    };
  },
};
