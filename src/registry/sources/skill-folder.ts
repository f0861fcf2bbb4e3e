import { readdirSync, realpathSync, statSync } from 'node:fs';
import { join, sep } from 'node:path';
import type { Contract, ExecutorSpec } from '../../contract/contract.ts';
import { flowFaults, parseFlow } from '../../contract/flow-check.ts';
import type { Flow } from '../../contract/flow.ts';
import { parseContract } from '../parse/contract.ts';
import { parseJsonText } from '../parse/json-text.ts';
import { parseSkillMd, type SkillMd } from '../parse/skill-md.ts';
import type { Problem } from '../snapshot.ts';
import type { Loaded, SkillSettings } from '../source.ts';
import { configured } from './configured.ts';
import { readBounded } from './read-bounded.ts';

/** A folder that may hold a skill, and the name it gives it. */
export interface SkillFolder {
  readonly path: string;
  readonly name: string;
}

const EXECUTORS: Readonly<Record<string, ExecutorSpec>> = {
  'executor.ts': { kind: 'module', file: 'executor.ts' },
  'executor.mjs': { kind: 'module', file: 'executor.mjs' },
  'executor.js': { kind: 'module', file: 'executor.js' },
  'executor.py': { kind: 'command', file: 'executor.py' },
  'executor.sh': { kind: 'command', file: 'executor.sh' },
  'flow.json': { kind: 'composite', file: 'flow.json' },
};

/** Reads one skill's folder; whatever is wrong with it is a problem, never an exception. */
export function readSkillFolder(folder: SkillFolder, settings: SkillSettings): Loaded {
  try {
    return read(folder, settings);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return refused(folder, { message: `The folder cannot be read: ${reason}` });
  }
}

function refused(
  { name, path }: SkillFolder,
  problem: Pick<Problem, 'message'> & Partial<Problem>,
): Loaded {
  return { skills: [], problems: [{ severity: 'error', skill: name, file: path, ...problem }] };
}

function read(folder: SkillFolder, settings: SkillSettings): Loaded {
  const files = readdirSync(folder.path);
  const hasContract = files.includes('schema.json');
  const guidance = files.find((file) => file.toLowerCase() === 'skill.md');
  if (!hasContract && guidance === undefined) return { skills: [], problems: [] };
  if (!hasContract)
    return refused(folder, {
      message:
        'There is a SKILL.md but no schema.json. Add the contract: parameters, side_effect, version.',
    });
  if (guidance === undefined)
    return refused(folder, {
      message: 'There is a schema.json but no SKILL.md. Add one with name and description.',
    });
  const file = join(folder.path, 'schema.json');
  const text = readBounded(file) ?? '';
  const json = parseJsonText(text);
  if ('message' in json)
    return refused(folder, { ...json, file, message: `schema.json: ${json.message}` });
  const skillMd = parseSkillMd(readBounded(join(folder.path, guidance)) ?? '');
  const candidates = Object.keys(EXECUTORS).filter((name) => files.includes(name));
  const found = candidates[0] === undefined ? undefined : EXECUTORS[candidates[0]];
  const parsed = parseContract(json.value, {
    name: folder.name,
    ...(skillMd.description === undefined ? {} : { description: skillMd.description }),
    ...(found === undefined ? {} : { executor: found }),
    file,
    text,
  });
  const problems: Problem[] = [
    ...parsed.problems,
    ...guidanceProblems(folder, join(folder.path, guidance), skillMd),
  ];
  const { contract } = parsed;
  if (contract === undefined) return { skills: [], problems };
  const body = checkBody(folder, contract, {
    candidates,
    explicit: typeof json.value === 'object' && json.value !== null && 'executor' in json.value,
  });
  if (body.fault !== undefined)
    return { skills: [], problems: [...problems, ...refused(folder, body.fault).problems] };
  const skill = {
    contract,
    folder: folder.path,
    guidance: skillMd.body,
    defaults: {},
    settings: {},
    ...(body.flow === undefined ? {} : { flow: body.flow }),
  };
  return { skills: [configured(skill, settings)], problems };
}

function guidanceProblems(
  { name, path }: SkillFolder,
  file: string,
  { name: given, warnings }: SkillMd,
): Problem[] {
  const action = path.split(sep).at(-1) ?? '';
  const mismatch =
    given === undefined || given === action
      ? []
      : [
          `SKILL.md is named ${JSON.stringify(given)}, its folder ${action}; other readers want them equal.`,
        ];
  return [...warnings, ...mismatch].map((message) => ({
    severity: 'warning',
    skill: name,
    file,
    message,
  }));
}

interface Body {
  readonly fault?: Pick<Problem, 'message'> & Partial<Problem>;
  readonly flow?: Flow;
}

function checkBody(
  { path }: SkillFolder,
  contract: Contract,
  { candidates, explicit }: { readonly candidates: readonly string[]; readonly explicit: boolean },
): Body {
  const { executor } = contract;
  if (!explicit && candidates.length > 1)
    return {
      fault: {
        message: `There are several executors (${candidates.join(', ')}). Keep one, or name it in schema.json under executor.`,
      },
    };
  const given = 'file' in executor ? executor.file : undefined;
  const file =
    given ??
    (executor.kind === 'composite'
      ? candidates.find((name) => name === 'flow.json' || EXECUTORS[name]?.kind === 'module')
      : candidates.find((name) => EXECUTORS[name]?.kind === executor.kind));
  if (file === undefined) {
    const complete =
      executor.kind === 'http' || (executor.kind === 'command' && executor.command !== undefined);
    return complete
      ? {}
      : {
          fault: {
            message: `The executor is a ${executor.kind}, but its file is not here. Add it, or name it under executor.file.`,
          },
        };
  }
  const full = join(path, file);
  if (statSync(full, { throwIfNoEntry: false })?.isFile() !== true)
    return {
      fault: {
        message: `The executor ${file} does not exist. Add it, or correct executor.file in schema.json.`,
      },
    };
  if (!realpathSync(full).startsWith(realpathSync(path) + sep))
    return {
      fault: { message: `The executor ${file} lies outside the skill's folder. Copy it in.` },
    };
  return executor.kind === 'composite' && file.endsWith('.json') ? checkFlow(full, contract) : {};
}

function checkFlow(file: string, contract: Contract): Body {
  const json = parseJsonText(readBounded(file) ?? '');
  if ('message' in json) return { fault: { ...json, file, message: `flow.json: ${json.message}` } };
  const faults = flowFaults(json.value, contract);
  if (faults.length > 0) return { fault: { file, message: `flow.json: ${faults.join('; ')}` } };
  return { flow: parseFlow(JSON.stringify(json.value)) };
}
