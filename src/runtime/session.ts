import { createRequire } from 'node:module';
import { extname } from 'node:path';
import { newSpanId, newTraceId } from '../base/ids.ts';
import { monotonicMs } from '../base/clock.ts';
import type {
  CallRequest,
  DiscoverEnvelope,
  DiscoverRequest,
  Envelope,
} from '../contract/envelope.ts';
import type { Turn } from '../mediator/call.ts';
import { isPermitted } from '../mediator/is-permitted.ts';
import type { Skill } from '../registry/skill.ts';
import type { CallControl, Caller, Session, SessionOptions, TurnOptions } from './runtime.ts';
import type { AgentSurface } from './agent-surface.ts';
import { callSkill } from './call.ts';
import { describeSkill } from './describe-skill.ts';
import type { Library } from './library.ts';
import { checkDiscovery, checkRequest, requestedName } from './check-request.ts';
import { serialise } from './serialise.ts';
import { unexecuted } from './unexecuted.ts';

/** Everyone in this process: what runs without a caller of its own may do anything. */
export const LOCAL_CALLER: Caller = { id: 'local', permissions: ['*'] };

/** Opens what one agent conversation holds, over a running library. */
export function createSession(library: Library, options: SessionOptions = {}): Session {
  const caller = options.caller ?? LOCAL_CALLER;
  const readOnly = options.mode === 'read-only';
  const state = {
    conversation: options.conversation ?? `c-${newSpanId()}`,
    caller,
    readOnly,
    turn: newTurn(1),
  };
  const scope = `${readOnly ? 'r' : 'rw'}|${[...caller.permissions].sort().join(' ')}`;

  const skills = (): readonly Skill[] =>
    library.visible(scope, ({ contract }) => {
      const permitted = contract.permissions.every((permission) =>
        isPermitted(permission, caller.permissions),
      );
      return permitted && !(readOnly && contract.side_effect.kind === 'write');
    });

  const call = (request: CallRequest, control: CallControl = {}): Promise<Envelope> => {
    const read = checkRequest(request);
    if (!('code' in read)) return callSkill(library, state, read, control ?? {});
    const refusal = {
      error: read,
      toolName: requestedName(request),
      traceId: newTraceId(),
      at: Date.now(),
    };
    return Promise.resolve(unexecuted(library, state, refusal));
  };
  const revision = (): string => `${library.revision}|${scope}`;
  let surface: AgentSurface | undefined;
  const tools = (): AgentSurface =>
    (surface ??= new (loadSurface().AgentSurface)({ library, state, revision, skills, call }));

  return {
    conversation: state.conversation,
    caller,
    beginTurn: ({ readOnly: quiet = false }: TurnOptions = {}) => {
      state.turn = newTurn(state.turn.number + 1, quiet);
    },
    call,
    discover: (request?: DiscoverRequest): DiscoverEnvelope => discover(library, skills(), request),
    skills,
    toolsFor: (dialect, toolsOptions) => tools().toolsFor(dialect, toolsOptions),
    dispatch: async (dialect, reply, dispatchOptions) =>
      tools().dispatch(dialect, reply, dispatchOptions),
    preview: (dialect, reply) => tools().preview(dialect, reply),
    instructions: (dialect) => tools().instructions(dialect),
    get revision() {
      return revision();
    },
  };
}

/** Read on first use: most sessions never speak to a model themselves, and every server would start slower. */
function loadSurface(): typeof import('./agent-surface.ts') {
  const file = `./agent-surface${extname(import.meta.url)}`;
  return createRequire(import.meta.url)(file) as typeof import('./agent-surface.ts');
}

function newTurn(number: number, readOnly = false): Turn {
  return { number, readOnly, writes: 0 };
}

function discover(
  library: Library,
  skills: readonly Skill[],
  request?: DiscoverRequest,
): DiscoverEnvelope {
  const started = monotonicMs();
  const read = checkDiscovery(request);
  if (typeof read !== 'string') {
    const error = serialise(library, read);
    return {
      success: false,
      result: null,
      error,
      metadata: { duration: monotonicMs() - started, total: 0 },
    };
  }
  const matches = (text: string): boolean => text.toLowerCase().includes(read);
  const tools = skills
    .filter(({ contract }) => matches(contract.name) || contract.tags.some(matches))
    .map(describeSkill);
  return {
    success: true,
    result: { tools },
    metadata: { duration: monotonicMs() - started, total: tools.length },
  };
}
