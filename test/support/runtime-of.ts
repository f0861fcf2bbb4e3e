import type { TestContext } from 'node:test';
import {
  createMemoryStore,
  createRuntime,
  defineSkill,
  type CallControl,
  type CallOptions,
  type Contract,
  type Envelope,
  type ExecutionContext,
  type Flow,
  type JsonObject,
  type Runtime,
  type RuntimeOptions,
  type Session,
  type SessionOptions,
  type Skill,
} from '../../src/index.ts';

type Body = (params: JsonObject, context: ExecutionContext) => unknown;

/** A skill in code whose contract says only what a test needs. */
export function skillOf(
  name: string,
  execute: Body,
  more: Partial<Contract> & { check?: Body } = {},
): Skill {
  return defineSkill({
    name,
    version: '1.0.0',
    description: 'A skill for tests.',
    purpose: 'To be tested.',
    side_effect: { kind: 'read' },
    parameters: {
      type: 'object',
      properties: { n: { type: 'integer' } },
      additionalProperties: false,
    },
    rules: { none: 'a test' },
    execute,
    ...(more as object),
  });
}

/** Dependencies on any version of these skills. */
export function needs(...skills: string[]): { skill: string; minVersion: string }[] {
  return skills.map((skill) => ({ skill, minVersion: '1.0.0' }));
}

/** A composite that writes with a flow, as a folder with a flow.json would give it. */
export function flowOf(name: string, flow: Flow, skills: readonly string[]): Skill {
  const { execute: _execute, ...skill } = skillOf(name, () => 1, {
    side_effect: { kind: 'write', targets: ['database'] },
    dependencies: needs(...skills),
  });
  return { ...skill, flow, contract: { ...skill.contract, executor: { kind: 'composite' } } };
}

/** A runtime of skills in code over a memory store, closed after the test. */
export async function runtimeOf(
  t: TestContext,
  skills: readonly Skill[],
  options: Partial<RuntimeOptions> = {},
): Promise<Runtime> {
  const runtime = await createRuntime({ skills, store: createMemoryStore(), ...options });
  t.after(() => runtime.close());
  return runtime;
}

/** How a test calls a skill: `options` of the envelope, a session, and what goes beside the envelope. */
export interface CallBy {
  readonly options?: CallOptions;
  readonly session?: Session;
  readonly by?: SessionOptions;
  readonly control?: CallControl;
}

/** One call, in a session of its own unless one is given. */
export async function callOf(
  runtime: Runtime,
  toolName: string,
  params: JsonObject = {},
  { options, session, by, control }: CallBy = {},
): Promise<Envelope> {
  const own = session ?? (await runtime.openSession(by));
  return own.call({ toolName, params, ...(options === undefined ? {} : { options }) }, control);
}

/** What a failed call says in short: code, reason, attempts; a success says `ok`. */
export function verdict(envelope: Envelope): string {
  if (envelope.success) return `ok ${envelope.metadata.attempts}`;
  const reason = envelope.error.details?.['reason'];
  return `${envelope.error.code} ${typeof reason === 'string' ? reason : '-'} ${envelope.metadata.attempts}`;
}
