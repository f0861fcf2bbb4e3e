import { has, isPlainObject, parseJson } from '../base/json.ts';
import { nearest } from '../base/nearest.ts';
import { expressionsInCondition } from './condition.ts';
import type { Contract } from './contract.ts';
import { expressionsIn, type Expression } from './expression.ts';
import { declaredInputs } from './declared-inputs.ts';
import { stepGroups, type Flow, type Step } from './flow.ts';
import { ToolError } from './tool-error.ts';

interface Field {
  readonly is: (value: unknown) => boolean;
  /** Completes "must be". */
  readonly says: string;
  readonly required?: boolean;
}

type Shape = Readonly<Record<string, Field>>;

/** What the expressions of one part of a flow may refer to. */
interface Sight {
  readonly where: string;
  /** Steps that have run by then. */
  readonly steps: ReadonlySet<string>;
  /** The step itself, once it has run. */
  readonly own?: string;
  /** Steps that run at the same time. */
  readonly siblings: ReadonlySet<string>;
}

const ID = /^\p{L}[\p{L}\p{N}_-]*$/u;
const TEXT: Field = {
  is: (value) => typeof value === 'string' && value.trim() !== '',
  says: 'a text that is not empty',
};
const OBJECT: Field = { is: isPlainObject, says: 'an object' };
const ANY: Field = { is: () => true, says: 'JSON' };
const FLOW: Shape = {
  steps: {
    is: (value) => Array.isArray(value) && value.length > 0,
    says: 'a list of at least one step, such as [{"id": "find", "skill": "task.find", "with": {"title": "$inputs.title"}}]',
    required: true,
  },
  outputs: ANY,
};
const STEP: Shape = {
  id: {
    is: (value) => typeof value === 'string' && ID.test(value),
    says: 'a letter, then letters, digits, _ or -',
    required: true,
  },
  skill: { ...TEXT, required: true },
  with: OBJECT,
  when: TEXT,
  parallel: { is: (value) => typeof value === 'boolean', says: 'true or false' },
  fallback: OBJECT,
  compensate: OBJECT,
};
const FALLBACK: Shape = {
  skill: TEXT,
  with: OBJECT,
  value: ANY,
  after: {
    is: (value) => typeof value === 'number' && value >= 1 && value <= 3_600_000,
    says: 'a number of ms from 1 to 3600000',
  },
};
const COMPENSATE: Shape = { skill: { ...TEXT, required: true }, with: OBJECT };

/** Reads the text of a flow.json. Throws SyntaxError when it is no JSON, ToolError when it has not the form of a flow. */
export function parseFlow(text: string): Flow {
  const flow = parseJson(text);
  const faults: string[] = [];
  if (isFlow(flow, faults)) return flow;
  throw new ToolError('INTERNAL_ERROR', faults.join(' '));
}

/**
 * Everything wrong with a flow that can be seen without running it: its form, skills that the contract does
 * not declare, expressions that lead nowhere. Empty when all is well.
 */
export function flowFaults(flow: unknown, contract: Contract): string[] {
  const faults: string[] = [];
  if (!isFlow(flow, faults)) return faults;
  const ids = new Set(flow.steps.map(({ id }) => id));
  const inputs = declaredInputs(contract.parameters);
  const check = (sight: Sight, read: () => readonly Expression[]): void => {
    faults.push(...expressionFaults(read, { sight, ids, inputs }));
  };
  const finished = new Set<string>();
  for (const group of stepGroups(flow.steps)) {
    const siblings = new Set(group.map(({ id }) => id));
    for (const step of group) {
      faults.push(...skillFaults(step, contract));
      const before = { where: `Step ${step.id}`, steps: finished, siblings };
      const { when, fallback, compensate } = step;
      if (when !== undefined) check(before, () => expressionsInCondition(when));
      check(before, () => expressionsIn([step.with ?? {}, fallback?.with ?? {}]));
      check({ ...before, own: step.id }, () => expressionsIn(compensate?.with ?? {}));
    }
    for (const id of siblings) finished.add(id);
  }
  const { outputs } = flow;
  const end = { where: 'outputs', steps: finished, siblings: new Set<string>() };
  if (outputs !== undefined) check(end, () => expressionsIn(outputs));
  return faults;
}

function isFlow(value: unknown, faults: string[]): value is Flow {
  checkShape(value, { where: 'The flow', shape: FLOW }, faults);
  const steps: unknown = isPlainObject(value) ? value['steps'] : undefined;
  const seen = new Set<unknown>();
  for (const [index, step] of Array.isArray(steps) ? steps.entries() : []) {
    checkStep(step, index, faults);
    if (!isPlainObject(step)) continue;
    const { id } = step;
    if (id !== undefined && seen.has(id))
      faults.push(`Two steps have the id ${JSON.stringify(id)}. Rename one.`);
    seen.add(id);
  }
  return faults.length === 0;
}

function checkStep(step: unknown, index: number, faults: string[]): void {
  const named = isPlainObject(step) && typeof step['id'] === 'string' ? ` (${step['id']})` : '';
  const where = `Step ${index + 1}${named}`;
  checkShape(step, { where, shape: STEP }, faults);
  if (!isPlainObject(step)) return;
  const { fallback, compensate } = step;
  if (isPlainObject(compensate))
    checkShape(compensate, { where: `${where}: compensate`, shape: COMPENSATE }, faults);
  if (!isPlainObject(fallback)) return;
  checkShape(fallback, { where: `${where}: fallback`, shape: FALLBACK }, faults);
  if (has(fallback, 'skill') === has(fallback, 'value'))
    faults.push(`${where}: fallback needs either skill or value.`);
  if (has(fallback, 'with') && !has(fallback, 'skill'))
    faults.push(`${where}: fallback.with goes with fallback.skill only.`);
}

function checkShape(
  value: unknown,
  { where, shape }: { where: string; shape: Shape },
  faults: string[],
): void {
  const keys = Object.keys(shape);
  if (!isPlainObject(value)) {
    faults.push(`${where} must be an object with ${keys.join(', ')}.`);
    return;
  }
  for (const key of Object.keys(value)) {
    if (has(shape, key)) continue;
    const [close] = nearest(key, keys, 1);
    const advice = close === undefined ? `Use ${keys.join(', ')}.` : `Did you mean ${close}?`;
    faults.push(`${where} has the unknown key ${JSON.stringify(key)}. ${advice}`);
  }
  for (const [key, { is, says, required }] of Object.entries(shape)) {
    if (has(value, key) ? !is(value[key]) : required === true)
      faults.push(`${where}: ${key} must be ${says}.`);
  }
}

function skillFaults(
  { id, skill, fallback, compensate }: Step,
  { dependencies }: Contract,
): string[] {
  const declared = dependencies.map((dependency) => dependency.skill);
  return [skill, fallback?.skill, compensate?.skill]
    .filter((name) => name !== undefined)
    .filter((name) => !declared.includes(name))
    .map((name) => {
      const [close] = nearest(name, declared, 1);
      return `Step ${id} calls ${name}, which is no dependency of the contract. Add it to dependencies${close === undefined ? '' : `, or did you mean ${close}`}.`;
    });
}

function expressionFaults(
  read: () => readonly Expression[],
  context: {
    readonly sight: Sight;
    readonly ids: ReadonlySet<string>;
    readonly inputs: ReadonlySet<string> | undefined;
  },
): string[] {
  const { sight, ids, inputs } = context;
  try {
    return read().flatMap((expression) => {
      const why =
        expression.from === 'inputs'
          ? inputFault(expression.path[0], inputs)
          : stepFault(expression.step, sight, ids);
      return why === undefined ? [] : [`${sight.where}: ${expression.text} leads nowhere: ${why}`];
    });
  } catch (error) {
    if (ToolError.is(error)) return [`${sight.where}: ${error.message}`];
    throw error;
  }
}

function inputFault(
  name: string | undefined,
  inputs: ReadonlySet<string> | undefined,
): string | undefined {
  if (name === undefined || inputs === undefined || inputs.has(name)) return undefined;
  return `the contract has no parameter ${name}. ${hint(name, inputs)}`;
}

function stepFault(
  id: string,
  { steps, own, siblings }: Sight,
  ids: ReadonlySet<string>,
): string | undefined {
  if (steps.has(id) || id === own) return undefined;
  if (!ids.has(id)) return `there is no step ${id}. ${hint(id, ids)}`;
  if (siblings.has(id))
    return `step ${id} is not finished by then. Refer to earlier steps only, and not to those in the same parallel group.`;
  return `step ${id} comes later. Refer to earlier steps only.`;
}

function hint(name: string, candidates: ReadonlySet<string>): string {
  const close = nearest(name, candidates, 2);
  return close.length > 0
    ? `Did you mean ${close.join(' or ')}?`
    : `There is ${[...candidates].slice(0, 20).join(', ') || 'none'}.`;
}
