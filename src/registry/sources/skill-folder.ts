import { basename, join } from 'node:path';
import { has } from '../../base/json.ts';
import { parseContract } from '../parse/contract.ts';
import { parseJsonText } from '../parse/json-text.ts';
import { createLocator } from '../parse/locator.ts';
import { parseSkillMd, type SkillMd } from '../parse/skill-md.ts';
import type { Skill } from '../skill.ts';
import type { Problem } from '../snapshot.ts';
import type { Loaded, SkillSettings } from '../source.ts';
import { configured } from './configured.ts';
import type { FolderFile } from './folder-files.ts';
import { isInside } from './is-inside.ts';
import { readBounded } from './read-bounded.ts';
import { inferExecutor, readBody } from './skill-body.ts';

/** A folder that may hold a skill. */
export interface SkillFolder {
  readonly path: string;
  /** The name it gives the skill: `<domain>.<action>`. */
  readonly name: string;
  /** The real path of the library, which nothing of the skill may lead out of. */
  readonly root: string;
}

/** Reads the skill in a folder whose files are known; whatever is wrong with it is a problem, never an exception. */
export function readSkillFolder(
  folder: SkillFolder,
  files: readonly FolderFile[],
  settings: SkillSettings,
): Loaded {
  const guide = files.find(({ name }) => name.toLowerCase() === 'skill.md');
  const schema = files.find(({ name }) => name === 'schema.json');
  if (guide === undefined && schema === undefined) return { skills: [], problems: [] };
  if (guide === undefined || schema === undefined)
    return refused(folder, { message: halfMessage(guide?.name) });
  const stray = files.find(
    ({ name, isLink }) => isLink && !isInside(join(folder.path, name), folder.root),
  );
  if (stray !== undefined)
    return refused(folder, {
      message: `${stray.name} is a link that leads out of the library, or nowhere. Copy the file in.`,
    });
  try {
    const { skill, problems } = read(folder, { guide, schema, files });
    if (skill === undefined) return { skills: [], problems };
    const ready = configured(skill, settings);
    return { skills: ready.skills, problems: [...problems, ...ready.problems] };
  } catch (error) {
    return refused(folder, { message: `It cannot be read: ${(error as Error).message}.` });
  }
}

/** The problem of a folder that is left out. */
export function refused(
  { name, path }: SkillFolder,
  problem: Pick<Problem, 'message'> & Partial<Problem>,
): Loaded {
  return { skills: [], problems: [{ severity: 'error', skill: name, file: path, ...problem }] };
}

interface Parts {
  readonly guide: FolderFile;
  readonly schema: FolderFile;
  readonly files: readonly FolderFile[];
}

function read(
  folder: SkillFolder,
  { guide, schema, files }: Parts,
): { readonly skill?: Skill; readonly problems: readonly Problem[] } {
  const { path, name } = folder;
  const file = join(path, schema.name);
  const text = readBounded(file, schema);
  const json = parseJsonText(text);
  if ('message' in json) return refused(folder, { ...json, file });
  const guideFile = join(path, guide.name);
  const skillMd = parseSkillMd(readBounded(guideFile, guide));
  const executor = inferExecutor(files);
  const parsed = parseContract(json.value, {
    name,
    ...(skillMd.description === undefined ? {} : { description: skillMd.description }),
    ...(executor === undefined ? {} : { executor }),
    file,
    locate: createLocator(text),
  });
  const problems = [...parsed.problems, ...guideProblems(folder, guideFile, skillMd)];
  const { contract } = parsed;
  if (contract === undefined) return { problems };
  const explicit = has(json.value as object, 'executor');
  const body = readBody({ ...folder, files, explicit }, contract);
  if ('message' in body) return { problems: [...problems, ...refused(folder, body).problems] };
  const skill: Skill = {
    contract:
      body.executor === contract.executor ? contract : { ...contract, executor: body.executor },
    folder: path,
    guidance: skillMd.body,
    defaults: {},
    settings: {},
    ...(body.flow === undefined ? {} : { flow: body.flow }),
  };
  return { skill, problems };
}

function halfMessage(guide: string | undefined): string {
  return guide === undefined
    ? 'There is a schema.json but no SKILL.md. Add one with name and description.'
    : `There is a ${guide} but no schema.json. Add the contract: version, purpose, side_effect, parameters.`;
}

function guideProblems({ name, path }: SkillFolder, file: string, guide: SkillMd): Problem[] {
  const action = basename(path);
  const mismatch =
    guide.name === undefined || guide.name === action
      ? []
      : [
          `Its name is ${JSON.stringify(guide.name.slice(0, 80))}, its folder's ${action}. Make them equal: other readers want it.`,
        ];
  return [...guide.warnings, ...mismatch].map((message) => ({
    severity: 'warning',
    skill: name,
    file,
    message,
  }));
}
