import { isoTime, monotonicMs } from '../base/clock.ts';
import { newSpanId, newTraceId } from '../base/ids.ts';
import type { JsonObject } from '../base/json.ts';
import type { CallMetadata, Envelope } from '../contract/envelope.ts';
import { fail, type Outcome } from '../contract/outcome.ts';
import type { Call, CallSession, EffectiveOptions } from '../mediator/call.ts';
import type { Invocation } from '../mediator/services.ts';
import type { Skill } from '../registry/skill.ts';
import type { Snapshot } from '../registry/snapshot.ts';
import type { WellFormed } from './check-request.ts';
import type { Library, Ready } from './library.ts';
import type { CallControl } from './runtime.ts';
import { serialise } from './serialise.ts';
import { unexecuted } from './unexecuted.ts';

const TRACE_ID = /^(?!0{32})[0-9a-f]{32}$/;
// A compensation has its own time: the call it cleans up after may have none left.
const COMPENSATION_MS = 4_900;

/** Runs one well-formed request to its envelope; never rejects, never hangs. */
export function callSkill(
  library: Library,
  session: CallSession,
  request: WellFormed,
  control: CallControl,
): Promise<Envelope> {
  const { snapshot } = library;
  const traceId =
    control.traceId !== undefined && TRACE_ID.test(control.traceId)
      ? control.traceId
      : newTraceId();
  const at = Date.now();
  const road = library.closed ? CLOSED : openRoad(library, snapshot.resolve(request.toolName));
  if ('ok' in road) {
    const { error } = road;
    return Promise.resolve(
      unexecuted(library, session, { error, toolName: request.toolName, traceId, at }),
    );
  }
  const call = newCall(
    {
      skill: road.skill,
      snapshot,
      session,
      options: road.options(request.options),
      traceId,
      params: request.params,
      at,
    },
    control,
  );
  library.began();
  const envelope = road.run(call, (outcome) => {
    library.ended();
    return toEnvelope(library, call, request.toolName, outcome);
  });
  return envelope instanceof Promise ? envelope : Promise.resolve(envelope);
}

/** Runs a step: a call that a body makes of a declared dependency, in the snapshot its parent began with. */
export async function invokeSkill(library: Library, invocation: Invocation): Promise<Outcome> {
  const { parent, compensating } = invocation;
  const road = openRoad(library, parent.snapshot.resolve(invocation.skill));
  if ('ok' in road) return road;
  const { skill } = road;
  const options = road.options({ format: 'json' });
  const call = newCall(
    {
      skill,
      snapshot: parent.snapshot,
      session: parent.session,
      options,
      traceId: parent.traceId,
      params: invocation.params,
      at: Date.now(),
    },
    invocation.signal === undefined ? {} : { signal: invocation.signal },
    { turn: parent.turn, parentId: parent.spanId, key: invocation.key, compensating },
  );
  if (compensating) call.deadlineAt = monotonicMs() + COMPENSATION_MS;
  else call.deadlineAt = Math.min(call.deadlineAt, parent.deadlineAt);
  const outcome = await road.run(call, (result) => result);
  if (call.warnings !== undefined)
    parent.warnings = [
      ...(parent.warnings ?? []),
      ...call.warnings.map((warning) => `${skill.contract.name}: ${warning}`),
    ];
  return outcome;
}

/** The cleaned parameters of a request, or what is wrong with them; executes nothing. */
export async function validateCall(
  library: Library,
  session: CallSession,
  request: WellFormed,
): Promise<{ outcome: Outcome; warnings: readonly string[] }> {
  const road = openRoad(library, library.snapshot.resolve(request.toolName));
  if ('ok' in road) return { outcome: redacted(library, road), warnings: [] };
  const { skill } = road;
  const call = newCall(
    {
      skill,
      snapshot: library.snapshot,
      session,
      options: road.options(request.options),
      traceId: newTraceId(),
      params: request.params,
      at: Date.now(),
    },
    {},
  );
  const outcome = await library.validation(skill)(call, (result) => result);
  return { outcome: redacted(library, outcome), warnings: call.warnings ?? [] };
}

type Failed = Outcome & { readonly ok: false };

const CLOSED = fail(
  'INTERNAL_ERROR',
  'Nothing was run: the library has been closed. Open it again, or end the conversation.',
  { details: { reason: 'closed' } },
);

function openRoad(library: Library, skill: Skill | Failed): Ready | Failed {
  if ('ok' in skill) return skill;
  try {
    return library.road(skill);
  } catch (error) {
    return fail(
      'INTERNAL_ERROR',
      `${skill.contract.name} cannot be used: its contract's schema does not compile. Report it to the owner of the skill.`,
      {
        details: { reason: 'schema' },
        cause: error,
      },
    );
  }
}

interface Beginning {
  readonly skill: Skill;
  readonly snapshot: Snapshot;
  readonly session: CallSession;
  readonly options: EffectiveOptions;
  readonly traceId: string;
  readonly params: JsonObject;
  readonly at: number;
}

function newCall(
  { skill, snapshot, session, options, traceId, params, at }: Beginning,
  control: CallControl,
  step?: Pick<Call, 'turn' | 'parentId' | 'key' | 'compensating'>,
): Call {
  const spanId = newSpanId();
  const startedAt = monotonicMs();
  return {
    skill,
    snapshot,
    session,
    turn: step?.turn ?? session.turn,
    options,
    traceId,
    spanId,
    parentId: step?.parentId ?? null,
    key: step?.key ?? `${traceId}-${spanId}`,
    compensating: step?.compensating ?? false,
    startedAt,
    endedAt: startedAt,
    at,
    deadlineAt: startedAt + options.deadline,
    signal: control.signal,
    onProgress: control.onProgress,
    params,
    sound: false,
    paramsText: '',
    warnings: undefined,
    attempts: 0,
    current: undefined,
    wake: undefined,
    overtaken: undefined,
    over: false,
  };
}

function toEnvelope(library: Library, call: Call, toolName: string, outcome: Outcome): Envelope {
  const metadata: { -readonly [Key in keyof CallMetadata]: CallMetadata[Key] } = {
    duration: call.endedAt - call.startedAt,
    attempts: call.attempts,
    toolName,
    timestamp: isoTime(call.at),
    version: call.skill.contract.version,
    traceId: call.traceId,
  };
  if (call.warnings !== undefined)
    metadata.warnings = call.warnings.map((warning) => library.services.redactor().text(warning));
  if (outcome.ok) {
    if (outcome.stale === true) metadata.stale = true;
    return { success: true, result: outcome.value, metadata };
  }
  return { success: false, result: null, error: serialise(library, outcome.error), metadata };
}

function redacted(library: Library, outcome: Outcome): Outcome {
  return outcome.ok
    ? outcome
    : {
        ok: false,
        error: { ...serialise(library, outcome.error), retryable: outcome.error.retryable },
      };
}
