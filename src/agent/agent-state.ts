import { randomUUID } from 'node:crypto';
import { isPlainObject, type Json, type JsonObject } from '../base/json.ts';

/** A paused run as JSON: the history, the reply whose calls wait, and how far it was. */
export interface AgentState {
  readonly format: 'skillwright.agent/1';
  /** One pause of one run: it can be gone on with once. */
  readonly id: string;
  readonly dialect: string;
  readonly messages: readonly JsonObject[];
  readonly reply: Json;
  readonly steps: number;
}

/** The state of a run that pauses now. */
export function writeState(state: {
  readonly dialect: string;
  readonly messages: readonly JsonObject[];
  readonly reply: unknown;
  readonly steps: number;
}): AgentState {
  const copy = JSON.parse(JSON.stringify(state)) as Omit<AgentState, 'format' | 'id'>;
  return { format: 'skillwright.agent/1', id: randomUUID(), ...copy };
}

/** The state of a paused run. Throws TypeError with what to do when it is none, or one of another dialect. */
export function readState(state: unknown, dialect: string): AgentState {
  if (!isPlainObject(state) || state['format'] !== 'skillwright.agent/1')
    throw new TypeError(
      'resume.state is no state of a paused run. Pass what runAgent gave as `state`.',
    );
  if (state['dialect'] !== dialect)
    throw new TypeError(
      `resume.state belongs to a run of ${String(state['dialect'])}. Resume it with a model of that dialect.`,
    );
  if (
    !Array.isArray(state['messages']) ||
    typeof state['id'] !== 'string' ||
    typeof state['steps'] !== 'number'
  )
    throw new TypeError('resume.state is damaged. Pass what runAgent gave as `state`.');
  return state as unknown as AgentState;
}
