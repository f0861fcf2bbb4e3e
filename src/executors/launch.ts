import { existsSync } from 'node:fs';
import { extname, join, resolve } from 'node:path';
import type { ExecutorSpec } from '../contract/contract.ts';
import type { ExecutionContext } from '../contract/execution-context.ts';
import { ToolError } from '../contract/tool-error.ts';
import type { Skill } from '../registry/skill.ts';
import type { Launch } from './process-group.ts';

// What a program needs to find itself, its libraries and its language; nothing else leaks in.
const SAFE = ['PATH', 'HOME', 'LANG', 'LC_ALL', 'TZ', 'TMPDIR', 'TEMP', 'TMP', 'SYSTEMROOT'];
const FILES = ['executor.py', 'executor.sh', 'executor.mjs', 'executor.js', 'executor'];

/** What a contract says of a program. */
export type CommandSpec = Extract<ExecutorSpec, { kind: 'command' }>;

/** Starts the same program with the environment of one call, and what is `extra` in it. */
export type ForCall = (
  context: ExecutionContext,
  extra: Readonly<Record<string, string>>,
) => Launch;

/** Works out how a skill's program is started. Throws ToolError when the skill names none. */
export function compileLaunch(skill: Skill, spec: CommandSpec): ForCall {
  const { folder } = skill;
  const { secrets, name } = skill.contract;
  if (folder === undefined) {
    throw new ToolError(
      'INTERNAL_ERROR',
      `${name} has no folder to run a command in. Give it one, or write its body as a function.`,
    );
  }
  const [program, ...args] = spec.command ?? defaultCommand(name, folder, spec.file);
  if (program === undefined) {
    throw new ToolError(
      'INTERNAL_ERROR',
      `executor.command of ${name} is empty. Name the program first, then its arguments.`,
    );
  }
  const path = program.includes('/') ? resolve(folder, program) : program;
  const passed = [...SAFE, ...(spec.environment ?? [])];
  return (context, extra) => {
    const env: Record<string, string> = {};
    for (const key of passed) {
      const value = process.env[key];
      if (value !== undefined) env[key] = value;
    }
    for (const secret of secrets) env[secret.env] = context.secrets[secret.name] ?? '';
    env['SKILLWRIGHT_SKILL'] = name;
    env['SKILLWRIGHT_SETTINGS'] = JSON.stringify(context.settings);
    env['SKILLWRIGHT_DATA_DIR'] = context.dataDir;
    return { program: path, args, cwd: folder, env: { ...env, ...extra } };
  };
}

function defaultCommand(
  name: string,
  folder: string,
  given: string | undefined,
): readonly string[] {
  const file = given ?? FILES.find((candidate) => existsSync(join(folder, candidate)));
  if (file === undefined || !existsSync(resolve(folder, file))) {
    throw new ToolError(
      'INTERNAL_ERROR',
      `${name} has no ${file ?? 'executor'} in its folder. Add ${file ?? 'executor.py, executor.sh or executor.mjs'}, or set executor.command.`,
    );
  }
  const path = resolve(folder, file);
  switch (extname(file)) {
    case '.py':
      return ['python3', path];
    case '.sh':
      return ['sh', path];
    case '.js':
    case '.mjs':
    case '.ts':
      return [process.execPath, path];
    default:
      return [path];
  }
}
