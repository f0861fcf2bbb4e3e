import type { CallOptions } from '../contract/envelope.ts';
import type { Contract } from '../contract/contract.ts';
import type { EffectiveOptions } from '../mediator/call.ts';

const TIMEOUT = 5_000;
const RETRIES = 3;
const RETRY_DELAY = 1_000;
const DEADLINE = 4_900;

/** The options of a contract's calls: the caller's go before the policy's, the policy's before the defaults. */
export function compileOptions({
  policy,
  executor,
  side_effect: effect,
}: Contract): (given: CallOptions | undefined) => EffectiveOptions {
  // A composite's steps retry for themselves; a write is only repeated where that is known to be safe.
  const once =
    executor.kind === 'composite' || (effect.kind === 'write' && effect.idempotent !== true);
  const standard: EffectiveOptions = {
    timeout: policy.timeout ?? TIMEOUT,
    retries: policy.retries ?? (once ? 0 : RETRIES),
    retryDelay: policy.retryDelay ?? RETRY_DELAY,
    format: 'json',
    deadline: policy.deadline ?? DEADLINE,
  };
  return (given) => {
    if (given === undefined) return standard;
    return {
      timeout: given.timeout ?? standard.timeout,
      retries: given.retries ?? standard.retries,
      retryDelay: given.retryDelay ?? standard.retryDelay,
      format: given.format ?? standard.format,
      deadline: given.deadline ?? standard.deadline,
    };
  };
}
