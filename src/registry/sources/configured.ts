import { nearest } from '../../base/nearest.ts';
import { Findings } from '../parse/findings.ts';
import { escapeToken } from '../parse/locator.ts';
import { parameterNames } from '../parse/parameter-names.ts';
import { parsePolicy } from '../parse/policy.ts';
import type { Skill } from '../skill.ts';
import type { Loaded, SkillSettings } from '../source.ts';

/** The skill as its library wants it: with business defaults, settings, and policy overrides merged in. */
export function configured(skill: Skill, { defaults, settings, policy }: SkillSettings): Loaded {
  const { contract } = skill;
  const pointer = `/skills/${escapeToken(contract.name)}`;
  const findings = new Findings({ skill: contract.name, file: 'skillwright.config.json' });
  const names = Object.keys(defaults);
  const declared = names.length === 0 ? [] : parameterNames(contract.parameters);
  for (const name of names) {
    if (declared.length === 0 || declared.includes(name)) continue;
    const [close] = nearest(name, declared, 1);
    findings.warn(
      `${pointer}/defaults/${escapeToken(name)}`,
      `is no parameter of the skill and does nothing; ${close === undefined ? 'remove it' : `did you mean ${close}?`}`,
    );
  }
  const over = parsePolicy(policy, `${pointer}/policy`, findings);
  const { problems } = findings;
  if (findings.failed) return { skills: [], problems };
  const configuredSkill: Skill = {
    ...skill,
    contract:
      policy === undefined ? contract : { ...contract, policy: { ...contract.policy, ...over } },
    defaults: { ...skill.defaults, ...defaults },
    settings: { ...skill.settings, ...settings },
  };
  return { skills: [configuredSkill], problems };
}
