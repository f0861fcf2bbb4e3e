import { newSpanId } from '../base/ids.ts';
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
import { callSkill } from './call.ts';
import { describeSkill } from './describe-skill.ts';
import type { Library } from './library.ts';
import { requestFaults } from './check-request.ts';
import { refusedRequest } from './refused-request.ts';

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

  return {
    conversation: state.conversation,
    caller,
    beginTurn: ({ readOnly: quiet = false }: TurnOptions = {}) => {
      state.turn = newTurn(state.turn.number + 1, quiet);
    },
    call: (request: CallRequest, control: CallControl = {}): Promise<Envelope> => {
      const faults = requestFaults(request);
      if (faults.length > 0) return Promise.resolve(refusedRequest(request, faults));
      return callSkill(library, state, request, control ?? {});
    },
    discover: (request?: DiscoverRequest): DiscoverEnvelope => discover(skills(), request),
    skills,
    get revision() {
      return `${library.revision}|${scope}`;
    },
  };
}

function newTurn(number: number, readOnly = false): Turn {
  return { number, readOnly, writes: 0 };
}

function discover(skills: readonly Skill[], request?: DiscoverRequest): DiscoverEnvelope {
  const started = monotonicMs();
  const filter = request?.options?.filter?.toLowerCase();
  const matches = (text: string): boolean =>
    filter === undefined || text.toLowerCase().includes(filter);
  const tools = skills
    .filter(({ contract }) => matches(contract.name) || contract.tags.some(matches))
    .map(describeSkill);
  return {
    success: true,
    result: { tools },
    metadata: { duration: monotonicMs() - started, total: tools.length },
  };
}
