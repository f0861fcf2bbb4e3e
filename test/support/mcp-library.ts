import { EventEmitter } from 'node:events';
import { rmSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import {
  createRuntime,
  defineSkill,
  ToolError,
  type ExecutionContext,
  type Runtime,
  type Skill,
} from '../../src/index.ts';

/** Emits `started` and `aborted` with the parameter `id` of each `job.wait`; `finish` ends them all well. */
export const jobs = new EventEmitter();

const base = {
  version: '1.2.0',
  purpose: 'Testing the server.',
  rules: { none: 'Nothing depends on anything.' },
} as const;

const noParameters = {
  type: 'object',
  properties: {},
  required: [],
  additionalProperties: false,
} as const;

/** Skills for the server's tests, one for each thing a tool can be or do. */
export const mcpSkills: readonly Skill[] = [
  defineSkill({
    ...base,
    name: 'math.add',
    title: 'Add',
    description: 'Adds two numbers. Use it for sums. Returns {sum}. Does not round.',
    side_effect: { kind: 'none' },
    parameters: {
      type: 'object',
      properties: {
        a: { type: 'number', description: 'First number.' },
        b: { type: 'number', description: 'Second number.' },
      },
      required: ['a', 'b'],
      additionalProperties: false,
    },
    returns: { type: 'object', properties: { sum: { type: 'number' } }, required: ['sum'] },
    execute: ({ a, b }: { a: number; b: number }) => ({ sum: a + b }),
  }),
  defineSkill({
    ...base,
    name: 'text.echo',
    description: 'Gives text back. Use it to see what arrives. Returns the text. Changes nothing.',
    side_effect: { kind: 'read', targets: ['web'] },
    parameters: {
      type: 'object',
      properties: { text: { type: 'string', description: 'What to give back.' } },
      required: ['text'],
      additionalProperties: false,
    },
    execute: ({ text }: { text: string }) => text,
  }),
  defineSkill({
    ...base,
    name: 'shop.order',
    description:
      'Orders an article. Use it when asked to buy. Returns the order number. Does not pay.',
    side_effect: { kind: 'write', targets: ['database'] },
    parameters: noParameters,
    execute: () => ({ order: 1 }),
  }),
  defineSkill({
    ...base,
    name: 'shop.note',
    description: 'Writes a note. Use it to remember. Returns nothing. Deletes nothing.',
    side_effect: { kind: 'write', targets: ['database'], idempotent: true, destructive: false },
    parameters: noParameters,
    execute: () => null,
  }),
  defineSkill({
    ...base,
    name: '任务.创建',
    description: '创建任务。需要新待办时使用。返回编号。不发送邮件。',
    side_effect: { kind: 'none' },
    parameters: noParameters,
    execute: () => '好',
  }),
  defineSkill({
    ...base,
    name: 'job.steps',
    description:
      'Works in three steps. Use it to see progress. Returns their number. Changes nothing.',
    side_effect: { kind: 'none' },
    parameters: noParameters,
    execute: (_: object, context: ExecutionContext) => {
      for (const done of [1, 2, 2, 3]) context.progress(done, 3, `step ${done}`);
      return { steps: 3 };
    },
  }),
  defineSkill({
    ...base,
    name: 'job.wait',
    description: 'Waits until it is ended. Use it to end it. Returns a word. Changes nothing.',
    side_effect: { kind: 'none' },
    policy: { retries: 0 },
    parameters: {
      type: 'object',
      properties: { id: { type: 'string', description: 'Name of the job.' } },
      required: ['id'],
      additionalProperties: false,
    },
    execute: ({ id }: { id: string }, { signal }: ExecutionContext) =>
      new Promise<string>((resolve, reject) => {
        jobs.once('finish', () => resolve('finished'));
        signal.addEventListener('abort', () => {
          jobs.emit('aborted', id);
          reject(new Error('stopped'));
        });
        jobs.emit('started', id);
      }),
  }),
  defineSkill({
    ...base,
    name: 'fail.coded',
    description: 'Fails on purpose. Use it to see an error. Returns nothing. Changes nothing.',
    side_effect: { kind: 'none' },
    parameters: noParameters,
    returns: { type: 'object', properties: { never: { type: 'string' } }, required: ['never'] },
    execute: () => {
      throw new ToolError('NOT_FOUND', 'There is no order 7. List the orders first.', {
        details: { order: 7 },
      });
    },
  }),
];

/** A runtime of those skills, closed and removed with the test. */
export async function mcpRuntime(t: TestContext, skills = mcpSkills): Promise<Runtime> {
  const dataDir = await mkdtemp(join(tmpdir(), 'skillwright-mcp-'));
  const runtime = await createRuntime({ skills, dataDir });
  t.after(async () => {
    await runtime.close();
    await rm(dataDir, { recursive: true, force: true });
  });
  return runtime;
}

/** A runtime for a process of its own, whose files go with the process. */
export async function processRuntime(skills = mcpSkills): Promise<Runtime> {
  const dataDir = await mkdtemp(join(tmpdir(), 'skillwright-mcp-'));
  process.on('exit', () => rmSync(dataDir, { recursive: true, force: true }));
  process.once('SIGTERM', () => process.exit());
  return createRuntime({ skills, dataDir });
}
