import { fail } from '../../contract/outcome.ts';
import { invalidParams } from '../invalid-params.ts';
import type { Stage } from '../stage.ts';

/** Holds parameters against the contract: structure first, then its declared rules. */
export const validate: Stage = {
  name: 'validate',
  wrap: (next, skill, services) => {
    const checker = services.checker(skill);
    return (call) => {
      let violations;
      try {
        violations = checker.check(call.params, call.at, call.sound);
      } catch (error) {
        if (!(error instanceof RangeError)) throw error;
        return fail(
          'INVALID_PARAMS',
          `${skill.contract.name} was not run: its parameters are nested too deeply. Send plain JSON of modest depth.`,
          { cause: error },
        );
      }
      if (violations === undefined) return next(call);
      const business =
        Array.isArray(skill.contract.rules) &&
        skill.contract.rules.some((rule) => rule.id === violations[0]?.rule);
      return invalidParams(
        skill.contract,
        violations,
        checker.example(),
        business ? 'business_rule' : 'structure',
      );
    };
  },
};
