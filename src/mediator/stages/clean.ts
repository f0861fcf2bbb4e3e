import { fail, type Outcome } from '../../contract/outcome.ts';
import type { Call } from '../call.ts';
import { invalidParams } from '../invalid-params.ts';
import type { Stage } from '../stage.ts';

/** Makes parameters fit the contract where that takes no guessing, and says what it changed. */
export const clean: Stage = {
  name: 'clean',
  wrap: (next, skill, services) => {
    const checker = services.checker(skill);
    const mend = (call: Call): Outcome | undefined => {
      const { params, warnings, violations } = checker.clean(call.params);
      call.params = params;
      if (warnings.length > 0) call.warnings = [...(call.warnings ?? []), ...warnings];
      if (violations.length === 0) return undefined;
      const told = new Set(violations.map((violation) => violation.path));
      const structural = (checker.check(params, call.at) ?? []).filter(
        (violation) => !told.has(violation.path),
      );
      return invalidParams(skill.contract, [...violations, ...structural], checker.example());
    };
    return (call) => {
      try {
        if (checker.isSound(call.params)) call.sound = true;
        else {
          const refusal = mend(call);
          if (refusal !== undefined) return refusal;
        }
      } catch (error) {
        // Too deep, circular, or with a getter or a proxy in it that throws.
        return fail(
          'INVALID_PARAMS',
          `${skill.contract.name} was not run: its parameters cannot be read, or are nested too deeply. Send plain JSON of modest depth.`,
          { cause: error },
        );
      }
      return next(call);
    };
  },
};
