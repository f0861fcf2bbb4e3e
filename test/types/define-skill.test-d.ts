import { expectTypeOf } from 'expect-type';
import { z } from 'zod';
import {
  defineSkill,
  type ExecutionContext,
  type JsonObject,
  type Skill,
} from '../../src/index.ts';
import type { StandardSchema } from '../../src/registry/standard-schema.ts';

const facts = {
  name: 'math.add',
  version: '1.0.0',
  description: 'Adds.',
  purpose: 'A sum is wanted.',
  side_effect: { kind: 'none' },
} as const;

const typed = defineSkill({
  ...facts,
  parameters: z.object({ a: z.number(), note: z.string().default('') }),
  execute: (params, context) => {
    // What the body gets is the schema's output: a defaulted member is always there.
    expectTypeOf(params).toEqualTypeOf<{ a: number; note: string }>();
    expectTypeOf(context).toEqualTypeOf<ExecutionContext>();
    return params.a;
  },
});
expectTypeOf(typed).toEqualTypeOf<Skill>();

defineSkill({
  ...facts,
  parameters: z.object({ day: z.iso.date().transform((day) => new Date(day)) }),
  check: (params) => {
    expectTypeOf(params).toEqualTypeOf<{ day: Date }>();
  },
  execute: ({ day }) => {
    expectTypeOf(day).toEqualTypeOf<Date>();
  },
});

declare const foreign: StandardSchema<{ text: string }, { words: number }>;
defineSkill({
  ...facts,
  parameters: foreign,
  execute: (params) => {
    expectTypeOf(params).toEqualTypeOf<{ words: number }>();
  },
});

defineSkill({
  ...facts,
  parameters: { type: 'object', properties: {} },
  execute: (params) => {
    expectTypeOf(params).toEqualTypeOf<JsonObject>();
  },
});

// @ts-expect-error a skill without an effect is not a skill
defineSkill({ ...facts, side_effect: undefined, parameters: {}, execute: () => 1 });

// @ts-expect-error a typing error in a name must not switch a permission off
defineSkill({ ...facts, permisions: ['math'], parameters: {}, execute: () => 1 });
