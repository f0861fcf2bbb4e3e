import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Check, Execute } from '../contract/execution-context.ts';
import { ToolError } from '../contract/tool-error.ts';
import type { Skill } from '../registry/skill.ts';
import type { Executor, Run } from './executor.ts';
import { importFresh } from './import-fresh.ts';

interface Body {
  readonly execute?: Execute;
  readonly check?: Check;
}

const BODIES = ['executor.ts', 'executor.mjs', 'executor.js'];
const CHECKS = ['check.ts', 'check.mjs', 'check.js'];

/** Runs skills whose body is a function: one defined in code, or `execute` of a module in the skill's folder. */
export function createModuleExecutor(): Executor {
  return {
    kind: 'module',
    async prepare(skill) {
      const body: Body = skill.execute === undefined ? await loadBody(skill) : skill;
      const check = body.check ?? (await loadCheck(skill));
      return { run: body.execute as Run, stops: false, ...(check === undefined ? {} : { check }) };
    },
  };
}

/** A skill's own business check: defined in code, or `check` of a check file in its folder. */
export async function loadCheck(skill: Skill): Promise<Check | undefined> {
  if (skill.check !== undefined) return skill.check;
  const file = existing(skill, CHECKS);
  if (file === undefined) return undefined;
  const { check } = await load(skill, file);
  if (check === undefined) throw missing(skill, file, 'check');
  return check;
}

async function loadBody(skill: Skill): Promise<Body> {
  const { contract } = skill;
  const given = 'file' in contract.executor ? contract.executor.file : undefined;
  const file = existing(skill, given === undefined ? BODIES : [given]);
  if (file === undefined) {
    throw new ToolError(
      'INTERNAL_ERROR',
      `${contract.name} has no ${given ?? 'executor.ts, .mjs or .js'} in its folder. Add it, or name the file in executor.file.`,
    );
  }
  const body = await load(skill, file);
  if (body.execute === undefined) throw missing(skill, file, 'execute');
  return body;
}

function existing({ folder }: Skill, files: readonly string[]): string | undefined {
  return folder === undefined ? undefined : files.find((file) => existsSync(resolve(folder, file)));
}

async function load(skill: Skill, file: string): Promise<Body> {
  const folder = skill.folder ?? '';
  const exports = await importFresh(resolve(folder, file)).catch((error: unknown) => {
    const why = error instanceof Error ? error.message : String(error);
    throw new ToolError(
      'INTERNAL_ERROR',
      `${file} of ${skill.contract.name} cannot be loaded: ${why.replaceAll(join(folder, '/'), '')}`,
      {
        ...(ToolError.is(error) && error.details !== undefined ? { details: error.details } : {}),
        cause: error,
      },
    );
  });
  for (const name of ['execute', 'check']) {
    if (exports[name] !== undefined && typeof exports[name] !== 'function')
      throw missing(skill, file, name);
  }
  return exports;
}

function missing(skill: Skill, file: string, name: string): ToolError {
  return new ToolError(
    'INTERNAL_ERROR',
    `${file} of ${skill.contract.name} exports no function named ${name}. Add: export async function ${name}(params, context) { ... }`,
  );
}
