import type { Json } from '../base/json.ts';
import type { ToolDescription } from '../contract/envelope.ts';
import type { Skill } from '../registry/skill.ts';

const described = new WeakMap<Skill, ToolDescription>();

/** What discovery says of a skill; made once per skill version. */
export function describeSkill(skill: Skill): ToolDescription {
  let description = described.get(skill);
  if (description === undefined) described.set(skill, (description = describe(skill)));
  return description;
}

function describe({ contract }: Skill): ToolDescription {
  return {
    name: contract.name,
    description: contract.description,
    paramsSchema: contract.parameters,
    metadata: {
      version: contract.version,
      ...(contract.title === undefined ? {} : { title: contract.title }),
      tags: contract.tags,
      purpose: contract.purpose,
      side_effect: contract.side_effect as unknown as Json,
      permissions: contract.permissions,
      examples: contract.examples as unknown as Json,
    },
  };
}
