import type { JsonObject } from '../base/json.ts';
import type { Contract } from '../contract/contract.ts';
import type { Violation } from '../contract/execution-context.ts';
import { fail, type Outcome } from '../contract/outcome.ts';

/** INVALID_PARAMS with everything a model needs to send a right call: where, which rule, what instead, and a valid example. */
export function invalidParams(
  contract: Contract,
  violations: readonly Violation[],
  example: JsonObject | undefined,
  reason: 'structure' | 'business_rule' = 'structure',
): Outcome & { ok: false } {
  const told = violations
    .map(({ message, suggestion }) =>
      suggestion === undefined ? message : `${message} (${suggestion})`,
    )
    .join('; ');
  const shown = example === undefined ? '' : ` A valid call: ${JSON.stringify(example)}`;
  return fail('INVALID_PARAMS', `${contract.name} was not run: ${told}.${shown}`, {
    details: {
      reason,
      violations: violations.map((violation) => ({ ...violation })),
      ...(example === undefined ? {} : { example }),
    },
  });
}
