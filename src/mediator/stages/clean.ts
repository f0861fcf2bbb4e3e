import { fail } from '../../contract/outcome.ts';
import { invalidParams } from '../invalid-params.ts';
import type { Stage } from '../stage.ts';

/** Makes parameters fit the contract where that takes no guessing, and says what it changed. */
export const clean: Stage = {
  name: 'clean',
  wrap: (next, skill, services) => {
    const checker = services.checker(skill);
    return (call) => {
      try {
        const { params, warnings, violations } = checker.clean(call.params);
        call.params = params;
        if (warnings.length > 0) call.warnings = [...(call.warnings ?? []), ...warnings];
        if (violations.length > 0) {
          const told = new Set(violations.map((violation) => violation.path));
          const structural = (checker.check(params, call.at) ?? []).filter(
            (violation) => !told.has(violation.path),
          );
          return invalidParams(skill.contract, [...violations, ...structural], checker.example());
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
