import type { Skill } from '../skill.ts';
import type { SkillSource, SourceOptions } from '../source.ts';
import { configured } from './configured.ts';

/** Skills defined in code with `defineSkill`. */
export function createCodeSource(
  skills: readonly Skill[],
  { configure }: SourceOptions,
): SkillSource {
  const ready = skills.map((skill) => configured(skill, configure(skill.contract.name)));
  const loaded = {
    skills: ready.flatMap((part) => part.skills),
    problems: ready.flatMap((part) => part.problems),
  };
  return { id: 'code', load: async () => loaded };
}
