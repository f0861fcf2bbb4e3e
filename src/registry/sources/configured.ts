import type { Skill } from '../skill.ts';
import type { SkillSettings } from '../source.ts';

/** The skill as its library wants it: with business defaults, settings, and policy overrides merged in. */
export function configured(skill: Skill, { defaults, settings, policy }: SkillSettings): Skill {
  const contract =
    policy === undefined
      ? skill.contract
      : { ...skill.contract, policy: { ...skill.contract.policy, ...policy } };
  return {
    ...skill,
    contract,
    defaults: { ...skill.defaults, ...defaults },
    settings: { ...skill.settings, ...settings },
  };
}
