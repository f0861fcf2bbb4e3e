import { statSync } from 'node:fs';
import { isAbsolute, join, normalize } from 'node:path';
import type { Contract, ExecutorSpec } from '../../contract/contract.ts';
import { flowFaults, parseFlow } from '../../contract/flow-check.ts';
import type { Flow } from '../../contract/flow.ts';
import { parseJsonText } from '../parse/json-text.ts';
import type { Problem } from '../snapshot.ts';
import type { FolderFile } from './folder-files.ts';
import { isInside } from './is-inside.ts';
import { readBounded } from './read-bounded.ts';

/** What runs a skill: its executor with the file named, and the steps when it is a flow. */
export interface SkillBody {
  readonly executor: ExecutorSpec;
  readonly flow?: Flow;
}

/** Why a skill has no body that could run. */
export type BodyFault = Pick<Problem, 'message' | 'file' | 'line'>;

/** Where a skill lies and what is there. */
export interface BodyPlace {
  readonly path: string;
  /** The real path of the library. */
  readonly root: string;
  readonly files: readonly FolderFile[];
  /** Whether the contract says itself how the skill runs. */
  readonly explicit: boolean;
}

type Kind = ExecutorSpec['kind'];

const MODULES = ['executor.ts', 'executor.mjs', 'executor.js'];
const BODIES: readonly (ExecutorSpec & { readonly file: string })[] = [
  ...MODULES.map((file) => ({ kind: 'module' as const, file })),
  { kind: 'command', file: 'executor.py' },
  { kind: 'command', file: 'executor.sh' },
  { kind: 'command', file: 'executor' },
  { kind: 'composite', file: 'flow.json' },
];

/** How the files of a folder say that its skill runs. */
export function inferExecutor(files: readonly FolderFile[]): ExecutorSpec | undefined {
  return BODIES.find(({ file }) => isThere(file, files));
}

/** Finds what runs a skill in its folder; which file, whether it may be used, and for a flow whether it can work. */
export function readBody(place: BodyPlace, contract: Contract): SkillBody | BodyFault {
  const { executor } = contract;
  const { kind } = executor;
  if (kind === 'http' || (kind === 'command' && executor.command !== undefined))
    return { executor };
  const given = place.explicit ? executor.file : undefined;
  const candidates = given === undefined ? found(place, kind) : [given];
  const [file] = candidates;
  if (file === undefined)
    return {
      message: `The executor is a ${kind}, but its file is not here. Add it, or name it under executor.file.`,
    };
  if (candidates.length > 1)
    return {
      message: `There are several executors (${candidates.join(', ')}). Keep one, or name it in schema.json under executor.`,
    };
  const fault = fileFault(place, file);
  if (fault !== undefined) return { message: fault };
  const body = { executor: executor.file === file ? executor : { ...executor, file } };
  return kind === 'composite' && file.endsWith('.json')
    ? withFlow(body, join(place.path, file), contract)
    : body;
}

function isThere(file: string, files: readonly FolderFile[]): boolean {
  return files.some(({ name, stat }) => name === file && stat?.isFile() === true);
}

function found({ files, explicit }: BodyPlace, kind: Kind): readonly string[] {
  return BODIES.filter(({ file, kind: of }) => {
    // A program or a composite may be written as a module, when the contract says so.
    const fits = !explicit || of === kind || of === 'module';
    return fits && isThere(file, files);
  }).map(({ file }) => file);
}

function fileFault({ path, root, files }: BodyPlace, file: string): string | undefined {
  if (isThere(file, files)) return undefined;
  const full = join(path, file);
  if (isAbsolute(file) || normalize(file).startsWith('..'))
    return `The executor ${file} lies outside the skill's folder. Copy it in.`;
  if (statSync(full, { throwIfNoEntry: false })?.isFile() !== true)
    return `The executor ${file} does not exist. Add it, or correct executor.file in schema.json.`;
  return isInside(full, root)
    ? undefined
    : `The executor ${file} is a link that leads out of the library. Copy it in.`;
}

function withFlow(body: SkillBody, file: string, contract: Contract): SkillBody | BodyFault {
  const text = readBounded(file);
  const json = parseJsonText(text);
  if ('message' in json) return { ...json, file };
  const faults = flowFaults(json.value, contract);
  return faults.length > 0
    ? { file, message: faults.join(' ') }
    : { ...body, flow: parseFlow(text) };
}
