import { isPlainObject, type JsonObject } from '../base/json.ts';
import type { Violation } from '../contract/execution-context.ts';

/**
 * A validator of any library that also speaks JSON Schema: Standard Schema 1 and Standard JSON Schema 1
 * (https://standardschema.dev, the members used here). zod 4.2 and later is one.
 */
export interface StandardSchema<Input = unknown, Output = Input> {
  readonly '~standard': {
    readonly version: 1;
    readonly vendor: string;
    readonly types?: { readonly input: Input; readonly output: Output } | undefined;
    readonly validate: (value: unknown) => StandardResult<Output> | Promise<StandardResult<Output>>;
    readonly jsonSchema: {
      readonly input: (options: { readonly target: 'draft-2020-12' }) => Record<string, unknown>;
    };
  };
}

/** What validating came to. */
export type StandardResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly StandardIssue[] };

/** One thing that is wrong with a value, and where. */
export interface StandardIssue {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

/** What a body gets for parameters declared by this schema. */
export type InferParams<Schema> = Schema extends {
  readonly '~standard': { readonly types?: { readonly output: infer Output } | undefined };
}
  ? Output
  : JsonObject;

/** True for a schema of a library, false for JSON Schema. */
export function isStandardSchema(schema: object): schema is StandardSchema {
  return '~standard' in schema;
}

/** The JSON Schema 2020-12 of what a caller sends: a defaulted member is not required. Throws what the library throws. */
export function toJsonSchema(schema: object): object {
  if (!isStandardSchema(schema)) return schema;
  const { vendor, jsonSchema } = schema['~standard'] as Partial<StandardSchema['~standard']>;
  if (typeof jsonSchema?.input !== 'function')
    throw new TypeError(
      `the ${vendor} schema cannot be turned into JSON Schema; use a version that supports Standard JSON Schema (zod 4.2 or later), or give JSON Schema`,
    );
  const { $schema: _dialect, ...plain } = jsonSchema.input({ target: 'draft-2020-12' });
  return plain;
}

/** A library's issues as violations of a contract. */
export function toViolations(issues: readonly StandardIssue[], rule: string): readonly Violation[] {
  return issues.map(({ message, path = [] }) => {
    const keys = path.map((part) => String(isPlainObject(part) ? part['key'] : part));
    return {
      path: keys.map((key) => `/${key}`).join(''),
      rule,
      message: keys.length === 0 ? message : `${keys.join('.')}: ${message}`,
    };
  });
}
