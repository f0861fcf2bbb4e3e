import type { JsonObject } from '../base/json.ts';

/** A validator of any library that also speaks JSON Schema (Standard Schema 1 and Standard JSON Schema 1, https://standardschema.dev); zod 4.2 and later is one. */
export interface StandardSchema<Input = unknown, Output = unknown> {
  readonly '~standard': {
    readonly version: 1;
    readonly vendor: string;
    readonly types?: { readonly input: Input; readonly output: Output } | undefined;
    readonly jsonSchema: {
      readonly input: (options: { readonly target: 'draft-2020-12' }) => Record<string, unknown>;
    };
  };
}

/** What a body gets for parameters declared by this schema. */
export type InferParams<Schema> = Schema extends {
  readonly '~standard': { readonly types?: { readonly output: infer Output } | undefined };
}
  ? Output
  : JsonObject;

/** The JSON Schema 2020-12 of what a caller sends: a defaulted member is not required. Throws what the library throws. */
export function toJsonSchema(schema: object): JsonObject {
  const standard = (schema as Partial<StandardSchema>)['~standard'];
  if (standard === undefined) return schema as JsonObject;
  if (typeof standard.jsonSchema?.input !== 'function') {
    throw new TypeError(
      `The ${standard.vendor} schema cannot be turned into JSON Schema; use a version that supports Standard JSON Schema (zod 4.2 or later), or give JSON Schema.`,
    );
  }
  const { $schema: _draft, ...plain } = standard.jsonSchema.input({ target: 'draft-2020-12' });
  return JSON.parse(JSON.stringify(plain)) as JsonObject;
}
