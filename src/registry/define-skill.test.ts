import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { z } from 'zod';
import { contextOf, failure } from '../../test/support/executor-fixture.ts';
import { createRuntime } from '../runtime/create-runtime.ts';
import { defineSkill, type SkillDefinition } from './define-skill.ts';
import type { Skill } from './skill.ts';
import { createCodeSource } from './sources/code.ts';
import type { StandardSchema } from './standard-schema.ts';

const FACTS = {
  name: 'task.create',
  version: '1.0.0',
  description: 'Creates a task.',
  purpose: 'Something is to be remembered.',
  side_effect: { kind: 'none' },
} as const;

const context = contextOf();

/** Runs a skill's body and check as the mediator does. */
function bodyOf(skill: Skill) {
  return {
    execute: (params: unknown) => skill.execute?.(params as never, context),
    check: (params: unknown) => skill.check?.(params as never, context),
  };
}

/** What a wrong definition throws; the types would not let it pass. */
function refusal(over: Record<string, unknown>): string {
  const definition = {
    ...FACTS,
    parameters: { type: 'object', properties: {} },
    execute: () => 1,
    ...over,
  } as unknown as SkillDefinition<Record<string, unknown>>;
  try {
    defineSkill(definition);
  } catch (error) {
    assert.ok(error instanceof TypeError);
    return error.message;
  }
  return assert.fail('It should have been refused.');
}

suite('defineSkill with JSON Schema', () => {
  const parameters = {
    type: 'object',
    properties: { title: { type: 'string' } },
    required: ['title'],
  };

  test('makes a skill of a contract and its body', async () => {
    const tags = ['task'];
    const skill = defineSkill({
      ...FACTS,
      tags,
      parameters,
      returns: { type: 'string' },
      guidance: 'Ask for a title.',
      kind: 'composite',
      check: () => [{ path: '/title', rule: 'taken', message: 'It is taken.' }],
      execute: ({ title }) => title,
    });
    tags.push('changed later');
    assert.deepEqual(skill.contract.tags, ['task']);
    assert.deepEqual(skill.contract.parameters, parameters);
    assert.deepEqual(skill.contract.returns, { type: 'string' });
    assert.deepEqual(skill.contract.executor, { kind: 'composite' });
    assert.equal(skill.guidance, 'Ask for a title.');
    assert.equal(skill.folder, undefined);
    const { execute, check } = bodyOf(skill);
    assert.equal(execute({ title: 'x' }), 'x');
    assert.deepEqual(await check({}), [{ path: '/title', rule: 'taken', message: 'It is taken.' }]);
  });

  const rows: readonly (readonly [Record<string, unknown>, RegExp])[] = [
    [{ execute: undefined }, /execute must be the function that does the work\./],
    [{ check: true }, /check must be a function\./],
    [{ executor: { kind: 'http' } }, /executor is for skills in a folder/],
    [{ descripton: 'x' }, /descripton .*did you mean description/i],
    [{ kind: 'http' }, /kind must be "module" or "composite"/],
    [{ version: '1', purpose: undefined }, /version must be .* purpose is missing/],
    [{ side_effect: { kind: 'write' } }, /rules is missing/],
    [{ permision: ['a'] }, /permision is not known and does nothing; did you mean permissions\?/],
    [{ parameters: undefined }, /parameters is missing/],
    [{ parameters: 'string' }, /parameters must be a JSON Schema/],
    [{ parameters: { type: 'object', default: new Date(0) } }, /parameters\.default must be JSON/],
    [{ policy: { timeout: Infinity } }, /policy\.timeout must be JSON/],
    [{ examples: [{ input: {}, output: [undefined] }] }, /examples\.0\.output\.0 must be JSON/],
  ];
  for (const [over, message] of rows)
    test(`refuses ${message.source}`, () => {
      const text = refusal(over);
      assert.match(text, /^task\.create is not a valid skill: /);
      assert.match(text, message);
    });

  test('refuses what never ends', () => {
    const circle: Record<string, unknown> = {};
    circle['self'] = circle;
    assert.match(refusal({ parameters: circle }), /endless nesting/);
  });
});

suite('defineSkill with a schema of a library', () => {
  const parameters = z.object({
    title: z.string().min(1),
    due: z.iso
      .date()
      .transform((day) => new Date(day))
      .optional(),
    priority: z.enum(['low', 'high']).default('low'),
    share: z
      .number()
      .refine((share) => share % 5 === 0, 'must be a multiple of 5')
      .default(5),
  });
  const skill = defineSkill({
    ...FACTS,
    parameters,
    check: ({ due }) =>
      due !== undefined && due.getTime() < 0
        ? [{ path: '/due', rule: 'past', message: 'Too long ago.' }]
        : undefined,
    execute: ({ title, due, priority, share }) => [title, due?.getTime(), priority, share],
  });

  test('the contract says what a caller sends: members with a default are not required', () => {
    const { type, required, properties } = skill.contract.parameters;
    assert.equal(type, 'object');
    assert.deepEqual(required, ['title']);
    assert.deepEqual((properties as Record<string, unknown>)['priority'], {
      type: 'string',
      enum: ['low', 'high'],
      default: 'low',
    });
  });

  test('the body and the check get what the library makes of the parameters', async () => {
    const { execute, check } = bodyOf(skill);
    assert.deepEqual(execute({ title: 'x', due: '1970-01-02' }), ['x', 86_400_000, 'low', 5]);
    assert.equal(await check({ title: 'x' }), undefined);
    assert.deepEqual(await check({ title: 'x', due: '1969-01-01' }), [
      { path: '/due', rule: 'past', message: 'Too long ago.' },
    ]);
  });

  test('what only the library can tell is a violation, never silently passed', async () => {
    const { execute, check } = bodyOf(skill);
    assert.deepEqual(await check({ title: 'x', share: 3 }), [
      { path: '/share', rule: 'zod', message: 'share: must be a multiple of 5' },
    ]);
    const { code, message } = await failure((async () => execute({ title: 'x', share: 3 }))());
    assert.equal(code, 'INVALID_PARAMS');
    assert.match(message, /share: must be a multiple of 5\. Correct it and call again\./);
  });

  test('all of it holds on the road of every call', async (t) => {
    const runtime = await createRuntime({ skills: [skill] });
    t.after(() => runtime.close());
    const good = await runtime.runSkill('task.create', { title: 'x', due: '2026-01-01' });
    assert.deepEqual(good.result, ['x', Date.UTC(2026, 0, 1), 'low', 5]);
    const bad = await runtime.runSkill('task.create', { title: 'x', share: 3 });
    assert.equal(bad.success, false);
    assert.match(JSON.stringify(bad), /INVALID_PARAMS.*share: must be a multiple of 5/);
  });

  test('any library that speaks both standards will do, also one that answers later', async () => {
    const text: StandardSchema<{ text: string }, string> = {
      '~standard': {
        version: 1,
        vendor: 'ours',
        validate: async (value) => {
          const { text } = value as { text: string };
          return text === 'bad'
            ? { issues: [{ message: 'is bad', path: [{ key: 'text' }] }, { message: 'all bad' }] }
            : { value: text.toUpperCase() };
        },
        jsonSchema: {
          input: ({ target }) => ({
            $schema: target,
            type: 'object',
            properties: { text: { type: 'string' } },
          }),
        },
      },
    };
    const shout = defineSkill({ ...FACTS, parameters: text, execute: (params) => `${params}!` });
    assert.deepEqual(shout.contract.parameters, {
      type: 'object',
      properties: { text: { type: 'string' } },
    });
    const { execute, check } = bodyOf(shout);
    assert.equal(await execute({ text: 'a' }), 'A!');
    assert.deepEqual(await check({ text: 'bad' }), [
      { path: '/text', rule: 'ours', message: 'text: is bad' },
      { path: '', rule: 'ours', message: 'all bad' },
    ]);
  });

  test('a schema that JSON Schema cannot say is refused, each by its place', () => {
    const text = refusal({ parameters: z.object({ at: z.date() }), returns: z.bigint() });
    assert.match(text, /parameters: Date cannot be represented .* returns: BigInt cannot be/);
    const mute = { '~standard': { version: 1, vendor: 'old', validate: () => ({ value: 1 }) } };
    assert.match(
      refusal({ parameters: mute }),
      /old schema cannot be turned into JSON Schema; use/,
    );
  });
});

suite('what the library configures', () => {
  const skill = defineSkill({
    ...FACTS,
    parameters: { type: 'object', properties: { title: { type: 'string' } } },
    policy: { timeout: 100, retries: 2 },
    execute: () => 1,
  });
  const load = (given: Partial<ReturnType<Parameters<typeof createCodeSource>[1]['configure']>>) =>
    createCodeSource([skill], {
      configure: () => ({ defaults: {}, settings: {}, ...given }),
    }).load();

  test('goes over what the skill says', async () => {
    const { skills, problems } = await load({
      defaults: { title: 'x' },
      settings: { base: 'y' },
      policy: { retries: 0 },
    });
    assert.deepEqual(problems, []);
    const [ready] = skills;
    assert.deepEqual(ready?.contract.policy, { timeout: 100, retries: 0 });
    assert.deepEqual([ready.defaults, ready.settings], [{ title: 'x' }, { base: 'y' }]);
    assert.deepEqual(skill.contract.policy, { timeout: 100, retries: 2 });
  });

  test('is checked: a wrong limit leaves the skill out, a default for nothing is told', async () => {
    const wrong = await load({ policy: { timeout: 'soon' as unknown as number } });
    assert.deepEqual(wrong.skills, []);
    assert.match(
      wrong.problems[0]?.message ?? '',
      /^skills\["task\.create"\]\.policy\.timeout must be a number from 1/,
    );
    assert.equal(wrong.problems[0]?.file, 'skillwright.config.json');
    const odd = await load({ defaults: { titel: 'x' } });
    assert.equal(odd.skills.length, 1);
    assert.match(
      odd.problems[0]?.message ?? '',
      /defaults\.titel is no parameter .* mean title\?$/,
    );
    assert.equal(odd.problems[0]?.severity, 'warning');
  });
});
