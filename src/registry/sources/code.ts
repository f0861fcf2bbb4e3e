import type { SkillSource, SourceOptions } from '../source.ts';
import type { Skill } from '../skill.ts';
import { configured } from './configured.ts';

/** Skills defined in code with `defineSkill`. */
export function createCodeSource(
  skills: readonly Skill[],
  { configure }: SourceOptions,
): SkillSource {
  const ready = skills.map((skill) => configured(skill, configure(skill.contract.name)));
  return { id: 'code', load: async () => ({ skills: ready, problems: [] }) };
}
