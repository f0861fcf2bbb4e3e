import type { Problem } from './snapshot.ts';
import type { Skill } from './skill.ts';

/**
 * Keeps the first skill of each name, in the order given. Names that differ in case alone count as one:
 * some file systems and clients cannot tell them apart.
 */
export function uniqueSkills(skills: readonly Skill[]): {
  readonly kept: readonly Skill[];
  readonly problems: readonly Problem[];
} {
  const byName = new Map<string, Skill>();
  const problems: Problem[] = [];
  for (const skill of skills) {
    const { name } = skill.contract;
    const key = name.normalize('NFC').toLowerCase();
    const first = byName.get(key);
    if (first === undefined) byName.set(key, skill);
    else
      problems.push({
        severity: 'error',
        skill: name,
        message: `${name} (${placeOf(skill)}) has the name of ${first.contract.name} (${placeOf(first)}), which is served. Rename or remove one.`,
      });
  }
  return { kept: [...byName.values()], problems };
}

function placeOf({ folder }: Skill): string {
  return folder ?? 'defined in code';
}
