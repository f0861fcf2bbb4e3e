import { existsSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { isPlainObject } from '../../base/json.ts';
import { flowFaults } from '../../contract/flow-check.ts';
import type { Flow } from '../../contract/flow.ts';
import { parseContract } from '../parse/contract.ts';
import { parseJsonText } from '../parse/json-text.ts';
import type { Problem } from '../snapshot.ts';
import type { Skill } from '../skill.ts';
import type { Loaded, SkillSource, SourceOptions } from '../source.ts';
import { configured } from './configured.ts';
import { readBounded } from './read-bounded.ts';
import { watchFiles } from './watch-files.ts';

/**
 * Skills from one registry file: `{"skills": [contract, ...]}`, each contract with its description and
 * executor in it; executor files are relative to the registry file, a composite may carry its `flow`.
 */
export function createFileSource(file: string, { configure }: SourceOptions): SkillSource {
  let known: { readonly stamp: string; readonly loaded: Loaded } | undefined;
  const load = async (): Promise<Loaded> => {
    const stat = statSync(file, { throwIfNoEntry: false });
    const stamp = `${stat?.mtimeMs}:${stat?.size}`;
    if (known?.stamp !== stamp) known = { stamp, loaded: read(file, configure) };
    return known.loaded;
  };
  return { id: file, load, watch: (changed) => watchFiles(file, changed) };
}

function read(file: string, configure: SourceOptions['configure']): Loaded {
  const refuse = (message: string, line?: number): Loaded => ({
    skills: [],
    problems: [
      {
        severity: 'error',
        skill: 'registry',
        file,
        message,
        ...(line === undefined ? {} : { line }),
      },
    ],
  });
  let text: string;
  try {
    text = readBounded(file) ?? '';
  } catch (error) {
    return refuse(
      `The registry file cannot be read: ${error instanceof Error ? error.message : String(error)}.`,
    );
  }
  const json = parseJsonText(text);
  if ('message' in json) return refuse(`The registry file: ${json.message}`, json.line);
  const list = isPlainObject(json.value) ? json.value['skills'] : undefined;
  if (!Array.isArray(list)) return refuse('The registry file must be {"skills": [contract, ...]}.');
  const skills: Skill[] = [];
  const problems: Problem[] = [];
  for (const entry of list) {
    const { flow, ...value } = isPlainObject(entry) ? entry : {};
    const { contract, problems: found } = parseContract(isPlainObject(entry) ? value : entry, {
      file,
      text,
    });
    problems.push(...found);
    if (contract === undefined) continue;
    const fault = bodyFault(dirname(file), contract, flow);
    if (fault !== undefined) {
      problems.push({ severity: 'error', skill: contract.name, file, message: fault });
      continue;
    }
    const skill: Skill = {
      contract,
      folder: dirname(file),
      guidance: '',
      defaults: {},
      settings: {},
      ...(flow === undefined ? {} : { flow: flow as unknown as Flow }),
    };
    skills.push(configured(skill, configure(contract.name)));
  }
  return { skills, problems };
}

function bodyFault(folder: string, contract: Skill['contract'], flow: unknown): string | undefined {
  const { executor } = contract;
  if (flow !== undefined) return flowFaults(flow, contract).join('; ') || undefined;
  if (executor.kind === 'http' || (executor.kind === 'command' && executor.command !== undefined))
    return undefined;
  if (executor.kind === 'composite')
    return 'A composite in a registry file carries its steps under "flow".';
  if (executor.file === undefined)
    return 'executor.file is missing: name the file that runs it, relative to the registry file.';
  return existsSync(resolve(folder, executor.file))
    ? undefined
    : `The executor ${executor.file} does not exist. Add it, or correct executor.file.`;
}
