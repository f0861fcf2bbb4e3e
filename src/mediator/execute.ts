import { fail, type Outcome } from '../contract/outcome.ts';
import { decode, type DecodeOptions } from '../executors/decode.ts';
import type { Prepared } from '../executors/executor.ts';
import type { Skill } from '../registry/skill.ts';
import { Attempt } from './attempt.ts';
import type { Call } from './call.ts';
import type { Services } from './services.ts';
import type { Handler } from './stage.ts';
import { toFailure } from './to-failure.ts';

const RESULT_BUDGET = 256 * 1024;

/** The innermost handler: one attempt of the body, its value decoded, whatever it throws classified. */
export function execute(skill: Skill, services: Services): Handler {
  const { checkResult } = services.checker(skill);
  const options = {
    checkResult,
    budget: skill.contract.policy.result_budget ?? RESULT_BUDGET,
    write: skill.contract.side_effect.kind === 'write',
  };
  const asJson: DecodeOptions = { ...options, format: 'json' };
  const asRaw: DecodeOptions = { ...options, format: 'raw' };
  let ready: Prepared | undefined;
  const run = (prepared: Prepared, call: Call): Outcome | Promise<Outcome> => {
    if (call.over) return notStarted(call);
    call.attempts++;
    const attempt = new Attempt(call, services);
    attempt.stops = prepared.stops;
    call.current = attempt;
    const finish = (value: unknown): Outcome => {
      attempt.ended = true;
      try {
        return read(value);
      } catch (error) {
        return toFailure(error, skill);
      }
    };
    const read = (value: unknown): Outcome => {
      const { outcome, warnings } = decode(value, call.options.format === 'raw' ? asRaw : asJson);
      if (warnings !== undefined) call.warnings = [...(call.warnings ?? []), ...warnings];
      if (!outcome.ok) return outcome;
      const safe =
        skill.contract.secrets.length === 0
          ? outcome.value
          : services.redactor().knownIn(outcome.value);
      return { ok: true, value: safe, stale: attempt.stale };
    };
    const fails = (error: unknown): Outcome => {
      attempt.ended = true;
      return toFailure(error, skill);
    };
    let value: unknown;
    try {
      value = prepared.run(call.params, attempt);
      if (!isThenable(value)) return finish(value);
    } catch (error) {
      return fails(error);
    }
    attempt.running = value instanceof Promise ? value : Promise.resolve(value);
    return attempt.running.then(finish, fails);
  };
  return (call) => {
    if (ready !== undefined) return run(ready, call);
    let preparing: Prepared | Promise<Prepared>;
    try {
      preparing = services.prepare(skill);
    } catch (error) {
      return toFailure(error, skill);
    }
    const go = (prepared: Prepared): Outcome | Promise<Outcome> => {
      ready = prepared;
      return run(prepared, call);
    };
    return preparing instanceof Promise
      ? preparing.then(go, (error: unknown) => toFailure(error, skill))
      : go(preparing);
  };
}

function isThenable(value: unknown): value is PromiseLike<unknown> {
  return (
    typeof value === 'object' &&
    value !== null &&
    'then' in value &&
    typeof value.then === 'function'
  );
}

function notStarted(call: Call): Outcome {
  return fail(
    'TIMEOUT',
    `${call.skill.contract.name} was not started: the call had already ended.`,
    { details: { reason: 'deadline' } },
  );
}
