import { has, isPlainObject } from '../../base/json.ts';
import { parseVersion } from '../../base/semver.ts';
import { isSkillName } from '../../contract/name.ts';
import type { Findings } from './findings.ts';
import { escapeToken } from './locator.ts';

/** What one member of an object must be. */
export interface Field {
  readonly is: (value: unknown) => boolean;
  /** Completes "must be". */
  readonly says: string;
  readonly required?: boolean;
}

/** The members an object may have. */
export type Shape = Readonly<Record<string, Field>>;

export const ANY: Field = { is: () => true, says: 'JSON' };
export const FLAG: Field = { is: (value) => typeof value === 'boolean', says: 'true or false' };
export const OBJECT: Field = { is: isPlainObject, says: 'an object' };
export const LIST: Field = { is: Array.isArray, says: 'a list' };
export const TEXT: Field = {
  is: (value) => typeof value === 'string' && value.trim() !== '',
  says: 'a text that is not empty',
};
export const TEXTS: Field = { is: areTexts, says: 'a list of texts' };
export const NAMES: Field = {
  is: (value) => areTexts(value) && value.length > 0,
  says: 'a list of at least one text',
};
export const TEXT_MAP: Field = {
  is: (value) => isPlainObject(value) && areTexts(Object.values(value)),
  says: 'an object of texts',
};
export const SKILL: Field = {
  is: (value) => typeof value === 'string' && isSkillName(value),
  says: 'the name of a skill, such as "task.create"',
};
export const VERSION: Field = {
  is: (value) => typeof value === 'string' && parseVersion(value) !== undefined,
  says: 'a semantic version such as "1.0.0"',
};

/** One of a closed set of texts. */
export function oneOf(choices: readonly string[]): Field {
  return {
    is: (value) => (choices as readonly unknown[]).includes(value),
    says: `one of ${choices.join(', ')}`,
  };
}

/** A number within bounds, both allowed. */
export function numberFrom(least: number, most: number): Field {
  return {
    is: (value) => typeof value === 'number' && value >= least && value <= most,
    says: `a number from ${least} to ${most}`,
  };
}

/** A whole number within bounds, both allowed. */
export function wholeFrom(least: number, most: number): Field {
  const { is } = numberFrom(least, most);
  return {
    is: (value) => Number.isInteger(value) && is(value),
    says: `a whole number from ${least} to ${most}`,
  };
}

/** The field, which must be there. */
export function required(field: Field): Field {
  return { ...field, required: true };
}

/** True when a value is an object of that shape; what is wrong with it, and keys nobody reads, go to the findings. */
export function fits(
  value: unknown,
  shape: Shape,
  pointer: string,
  findings: Findings,
): value is Record<string, unknown> {
  if (!isPlainObject(value)) {
    findings.error(pointer, `must be an object with ${Object.keys(shape).join(', ')}`);
    return false;
  }
  let fit = true;
  for (const key of Object.keys(value)) {
    const field = has(shape, key) ? shape[key] : undefined;
    if (field === undefined) findings.unknown(`${pointer}/${escapeToken(key)}`, Object.keys(shape));
    else if (!field.is(value[key])) {
      fit = false;
      findings.error(`${pointer}/${key}`, `must be ${field.says}`);
    }
  }
  for (const key in shape) {
    const { required, says } = shape[key] as Field;
    if (required !== true || has(value, key)) continue;
    fit = false;
    findings.error(`${pointer}/${key}`, `is missing: it must be ${says}`);
  }
  return fit;
}

/** The members of the list under a key that have the shape; none when the key is absent. */
export function rows(
  value: Record<string, unknown>,
  key: string,
  shape: Shape,
  findings: Findings,
): readonly Record<string, unknown>[] {
  const list = value[key];
  // What is no list at all has been reported with the contract's own shape.
  if (!has(value, key) || !Array.isArray(list)) return [];
  return list.filter((row, index) => fits(row, shape, `/${key}/${index}`, findings));
}

function areTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((item) => typeof item === 'string');
}
