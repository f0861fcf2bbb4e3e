import { parseContract } from './parse/contract.ts';
import type { Json } from '../base/json.ts';
import type { Contract } from '../contract/contract.ts';
import type { ExecutionContext, Violation } from '../contract/execution-context.ts';
import type { Skill } from './skill.ts';
import { toJsonSchema, type InferParams, type StandardSchema } from './standard-schema.ts';

type Schema = Readonly<Record<string, unknown>> | StandardSchema;

/** A skill written in code: a contract whose lists may be left out, and its body. */
export type SkillDefinition<Parameters extends Schema> = Pick<
  Contract,
  'name' | 'version' | 'description' | 'purpose' | 'side_effect'
> &
  Partial<
    Omit<
      Contract,
      | 'name'
      | 'version'
      | 'description'
      | 'purpose'
      | 'side_effect'
      | 'parameters'
      | 'returns'
      | 'executor'
    >
  > & {
    /** JSON Schema, zod 4, or any Standard Schema with JSON Schema. */
    readonly parameters: Parameters;
    readonly returns?: Schema;
    /** Guidance for people and models. */
    readonly guidance?: string;
    /** `composite` for a body that only calls its declared dependencies. Default `module`. */
    readonly kind?: 'module' | 'composite';
    execute(params: InferParams<Parameters>, context: ExecutionContext): unknown;
    /** The business check against real systems, after the structure is known to be right. */
    check?(
      params: InferParams<Parameters>,
      context: ExecutionContext,
    ): readonly Violation[] | void | Promise<readonly Violation[] | void>;
  };

/**
 * Defines a skill in code. Throws TypeError at once with everything that is wrong with the definition;
 * what would be a warning for a file is none here, except on a write without rules, which is refused.
 */
export function defineSkill<Parameters extends Schema>(
  definition: SkillDefinition<Parameters>,
): Skill {
  const {
    execute,
    check,
    guidance = '',
    kind = 'module',
    parameters,
    returns,
    ...rest
  } = definition;
  if (typeof execute !== 'function')
    throw new TypeError(`${definition.name}: execute must be the function that does the work.`);
  const value = {
    ...rest,
    parameters: toJsonSchema(parameters),
    ...(returns === undefined ? {} : { returns: toJsonSchema(returns) }),
    executor: { kind },
  };
  const { contract, problems } = parseContract(JSON.parse(JSON.stringify(value)) as Json);
  if (contract === undefined) {
    const faults = problems
      .filter(({ severity }) => severity === 'error')
      .map(({ message }) => message);
    throw new TypeError(`${definition.name} is not a valid skill: ${faults.join('; ')}.`);
  }
  return {
    contract,
    folder: undefined,
    guidance,
    defaults: {},
    settings: {},
    execute: execute,
    ...(check === undefined ? {} : { check: check }),
  };
}
