import { after } from '../base/after.ts';
import { isPlainObject } from '../base/json.ts';
import type { Contract } from '../contract/contract.ts';
import type { Check, Execute, ExecutionContext, Violation } from '../contract/execution-context.ts';
import { ToolError } from '../contract/tool-error.ts';
import { parseContract } from './parse/contract.ts';
import type { Skill } from './skill.ts';
import {
  isStandardSchema,
  toJsonSchema,
  toViolations,
  type InferParams,
  type StandardSchema,
} from './standard-schema.ts';

type Schema = Readonly<Record<string, unknown>> | StandardSchema;
type Required = 'name' | 'version' | 'description' | 'purpose' | 'side_effect';

/** A skill written in code: a contract whose lists may be left out, and its body. */
export type SkillDefinition<Parameters extends Schema> = Pick<Contract, Required> &
  Partial<Omit<Contract, Required | 'parameters' | 'returns' | 'executor'>> & {
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
 * Defines a skill in code. Throws TypeError at once with everything that is wrong with the definition.
 * Parameters of a library's schema are validated by the library, too, and reach the body as it returns
 * them: its refinements and transformations hold, although JSON Schema cannot say them.
 */
export function defineSkill<Parameters extends Schema>(
  definition: SkillDefinition<Parameters>,
): Skill {
  const { execute, check, guidance = '', parameters } = definition;
  const contract = readContract(definition);
  const body = { execute, ...(check === undefined ? {} : { check }) };
  return {
    contract,
    folder: undefined,
    guidance,
    defaults: {},
    settings: {},
    ...(isStandardSchema(parameters) ? withOwnValidation(parameters, body) : body),
  };
}

function readContract(definition: SkillDefinition<Schema>): Contract {
  const { execute: _execute, check: _check, guidance: _guidance, kind, ...rest } = definition;
  const faults = bodyFaults(definition);
  const jsonSchema = (key: 'parameters' | 'returns'): object | undefined => {
    const schema = rest[key];
    if (typeof schema !== 'object' && typeof schema !== 'function') return schema;
    try {
      return toJsonSchema(schema);
    } catch (error) {
      faults.push(`${key}: ${(error as Error).message}.`);
      return {};
    }
  };
  const value = {
    ...rest,
    parameters: jsonSchema('parameters'),
    returns: jsonSchema('returns'),
    executor: { kind: kind ?? 'module' },
  };
  faults.push(...jsonFaults(value));
  if (faults.length === 0) {
    const { contract, problems } = parseContract(JSON.parse(JSON.stringify(value)), {
      strict: true,
    });
    if (contract !== undefined) return contract;
    const errors = problems.filter(({ severity }) => severity === 'error');
    faults.push(...errors.map(({ message }) => message));
  }
  throw new TypeError(`${definition.name} is not a valid skill: ${faults.join(' ')}`);
}

function bodyFaults(definition: SkillDefinition<Schema>): string[] {
  const { execute, check, kind = 'module' } = definition;
  const faults: string[] = [];
  if (typeof execute !== 'function')
    faults.push('execute must be the function that does the work.');
  if ('executor' in definition)
    faults.push('executor is for skills in a folder; in code the body is execute.');
  if (check !== undefined && typeof check !== 'function') faults.push('check must be a function.');
  if (!['module', 'composite'].includes(kind))
    faults.push('kind must be "module" or "composite"; describe other executors in a folder.');
  return faults;
}

/** What JSON would drop or bend without a word. */
function jsonFaults(value: unknown, place = '', depth = 0): string[] {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return [];
  if (typeof value === 'number' && Number.isFinite(value)) return [];
  if (depth < 100 && (Array.isArray(value) || isPlainObject(value)))
    return Object.entries(value).flatMap(([key, member]) =>
      member === undefined && !Array.isArray(value)
        ? []
        : jsonFaults(member, place === '' ? key : `${place}.${key}`, depth + 1),
    );
  return [`${place} must be JSON; leave functions, classes and endless nesting out.`];
}

function withOwnValidation(
  schema: StandardSchema,
  { execute, check }: { readonly execute: Execute; readonly check?: Check },
): { readonly execute: Execute; readonly check: Check } {
  const { validate, vendor } = schema['~standard'];
  return {
    check: (params, context) =>
      after(validate(params), (result) =>
        result.issues === undefined
          ? check?.(result.value as never, context)
          : toViolations(result.issues, vendor),
      ),
    execute: (params, context) =>
      after(validate(params), (result) => {
        if (result.issues === undefined) return execute(result.value as never, context);
        const told = toViolations(result.issues, vendor).map(({ message }) => message);
        throw new ToolError('INVALID_PARAMS', `${told.join('; ')}. Correct it and call again.`);
      }),
  };
}
