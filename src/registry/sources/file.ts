import { realpathSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { isPlainObject, type Json } from '../../base/json.ts';
import type { Contract } from '../../contract/contract.ts';
import { flowFaults } from '../../contract/flow-check.ts';
import type { Flow } from '../../contract/flow.ts';
import { parseContract } from '../parse/contract.ts';
import { Findings } from '../parse/findings.ts';
import { parseJsonText } from '../parse/json-text.ts';
import { createLocator, type Locator } from '../parse/locator.ts';
import type { Skill } from '../skill.ts';
import type { Problem } from '../snapshot.ts';
import type { Loaded, SkillSource, SourceOptions } from '../source.ts';
import { configured } from './configured.ts';
import { readBounded } from './read-bounded.ts';
import { watchFiles, type Watching } from './watch-files.ts';

const ENTRIES_A_TURN = 100;
const MOST_MIB = 16;

/**
 * Skills from one registry file: `{"skills": [contract, ...]}`, each contract with its description and
 * executor in it; executor files are relative to the registry file, a composite carries its `flow`.
 */
export function createFileSource(file: string, { configure }: SourceOptions): SkillSource {
  let known: ReadonlyMap<string, Skill> = new Map();
  let watching: Watching | undefined;

  const load = async (): Promise<Loaded> => {
    const { entries, locate } = readRegistry(file);
    const next = new Map<string, Skill>();
    const skills: Skill[] = [];
    const problems: Problem[] = [];
    for (const [index, entry] of entries.entries()) {
      if (index % ENTRIES_A_TURN === ENTRIES_A_TURN - 1) await nextTurn();
      const at: Locator = (pointer) => locate(`/skills/${index}${pointer}`);
      const read = readEntry(entry, file, at);
      problems.push(...read.problems);
      for (const skill of read.skills) {
        const ready = configured(skill, configure(skill.contract.name));
        problems.push(...ready.problems);
        skills.push(...ready.skills.map((fresh) => unchanged(fresh, known, next)));
      }
    }
    known = next;
    watching?.add(bodyFiles(skills));
    return { skills, problems };
  };

  const watch = async (changed: () => void): Promise<Watching> => {
    watching = await watchFiles([realpathSync.native(file), ...bodyFiles(known.values())], changed);
    return watching;
  };

  return { id: file, load, watch };
}

/** The same skill of the last reading when nothing of it has changed: what was compiled for it, and its circuit, live on. */
function unchanged(
  skill: Skill,
  known: ReadonlyMap<string, Skill>,
  next: Map<string, Skill>,
): Skill {
  const stamp = JSON.stringify([skill, stampOf(skill)]);
  const same = known.get(stamp) ?? next.get(stamp) ?? skill;
  next.set(stamp, same);
  return same;
}

function readRegistry(file: string): { entries: readonly Json[]; locate: Locator } {
  const text = readBounded(file, { mostMib: MOST_MIB });
  const json = parseJsonText(text);
  if ('message' in json)
    throw new Error(`The registry file ${file} cannot be used. ${json.message}`);
  const entries = isPlainObject(json.value) ? json.value['skills'] : undefined;
  if (!Array.isArray(entries))
    throw new Error(`The registry file ${file} must be {"skills": [contract, ...]}. Correct it.`);
  return { entries, locate: createLocator(text) };
}

function readEntry(entry: Json, file: string, locate: Locator): Loaded {
  const { flow, ...value } = isPlainObject(entry) ? entry : {};
  const { contract, problems } = parseContract(isPlainObject(entry) ? value : entry, {
    file,
    locate,
    ...(flow === undefined ? {} : { executor: { kind: 'composite' } }),
  });
  if (contract === undefined) return { skills: [], problems };
  const folder = dirname(file);
  const fault = bodyFault(folder, contract, flow);
  if (fault !== undefined) {
    const findings = new Findings({ skill: contract.name, file, locate });
    findings.error('', fault);
    return { skills: [], problems: [...problems, ...findings.problems] };
  }
  const body = flow === undefined ? {} : { flow: flow as unknown as Flow };
  const skill: Skill = { contract, folder, guidance: '', defaults: {}, settings: {}, ...body };
  return { skills: [skill], problems };
}

function bodyFault(folder: string, contract: Contract, flow: unknown): string | undefined {
  const { executor } = contract;
  if (executor.kind === 'composite' && flow !== undefined)
    return flowFaults(flow, contract).join(' ') || undefined;
  if (flow !== undefined)
    return 'It has a flow, but its executor is no composite. Leave executor out, or remove the flow.';
  if (executor.kind === 'http' || (executor.kind === 'command' && executor.command !== undefined))
    return undefined;
  if (executor.file === undefined)
    return executor.kind === 'composite'
      ? 'A composite in a registry file carries its steps under flow. Add them.'
      : 'executor.file is missing. Name the file that runs it, relative to the registry file.';
  return statSync(resolve(folder, executor.file), { throwIfNoEntry: false })?.isFile() === true
    ? undefined
    : `The executor ${executor.file} does not exist. Add it, or correct executor.file.`;
}

function bodyFiles(skills: Iterable<Skill>): readonly string[] {
  return [...skills].flatMap(({ folder = '', contract: { executor } }) =>
    'file' in executor && executor.file !== undefined ? [resolve(folder, executor.file)] : [],
  );
}

function stampOf(skill: Skill): readonly unknown[] {
  return bodyFiles([skill]).map((file) => {
    const stat = statSync(file, { throwIfNoEntry: false });
    return [stat?.ino, stat?.mtimeMs, stat?.size];
  });
}
