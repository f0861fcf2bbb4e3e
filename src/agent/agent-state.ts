import { randomUUID } from 'node:crypto';
import { isPlainObject, type Json, type JsonObject } from '../base/json.ts';

const HOLDS_MS = 7 * 24 * 3_600_000;

/** A paused run as JSON: the history, the reply whose calls wait, and how far it was. */
export interface AgentState {
  readonly format: 'skillwright.agent/1';
  /** One pause of one run, and when it began: it can be gone on with once. */
  readonly id: string;
  readonly dialect: string;
  readonly messages: readonly JsonObject[];
  readonly reply: Json;
  readonly steps: number;
}

/** The id of a pause that begins now. */
export function newPause(): string {
  return `${Date.now()}-${randomUUID()}`;
}

/** True when a pause is too old to be gone on with: nobody remembers after a week what they were shown. */
export function isOver(pause: string): boolean {
  const age = Date.now() - Number(pause.split('-')[0]);
  return !(age < HOLDS_MS);
}

/** The state of a run that pauses now. */
export function writeState(state: {
  readonly id: string;
  readonly dialect: string;
  readonly messages: readonly JsonObject[];
  readonly reply: unknown;
  readonly steps: number;
}): AgentState {
  const copy = JSON.parse(JSON.stringify(state)) as Omit<AgentState, 'format'>;
  return { format: 'skillwright.agent/1', ...copy };
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
    !state['messages'].every((message) => isPlainObject(message)) ||
    typeof state['id'] !== 'string' ||
    !Number.isInteger(state['steps']) ||
    Number(state['steps']) < 0
  )
    throw new TypeError('resume.state is damaged. Pass what runAgent gave as `state`.');
  return state as unknown as AgentState;
}
