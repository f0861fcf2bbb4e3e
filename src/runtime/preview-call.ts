import { createHash } from 'node:crypto';
import type { ReadCall } from '../adapters/decode.ts';
import { canonicalJson } from '../base/json.ts';
import type { CallSession } from '../mediator/call.ts';
import type { Library } from './library.ts';
import type { PreviewedCall } from './runtime.ts';

/** A call as it would run now; undefined when nothing would, because its parameters are wrong. Executes nothing. */
export function previewCall(
  library: Library,
  session: CallSession,
  { id, read }: { readonly id: string; readonly read: ReadCall },
): PreviewedCall | undefined {
  const skill = library.snapshot.get(read.skill);
  if (skill === undefined) return undefined;
  const checker = library.services.checker(skill);
  try {
    const sound = checker.isSound(read.params);
    const { params, violations } = sound
      ? { params: read.params, violations: [] }
      : checker.clean(read.params);
    if (violations.length > 0 || checker.check(params, Date.now(), sound) !== undefined)
      return undefined;
    const { contract, settings, flow } = skill;
    const bound = canonicalJson([contract, settings, flow, params, session.caller.id]);
    return {
      id,
      skill: read.skill,
      version: contract.version,
      effect: contract.side_effect.kind,
      params: checker.shown(params),
      digest: createHash('sha256').update(bound).digest('hex'),
    };
  } catch {
    // Nested too deeply: the call itself will be told so.
    return undefined;
  }
}
