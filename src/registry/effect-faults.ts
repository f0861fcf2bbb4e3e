import type { Skill } from './skill.ts';

/**
 * Where a skill's effect and those of its dependencies do not go together: it writes under a contract that
 * says it does not, or another way to an answer could write twice. An unknown effect counts as a write;
 * a dependency that is not there is no business of this.
 */
export function effectFaults(skill: Skill, find: (name: string) => Skill | undefined): string[] {
  const { contract, flow } = skill;
  const faults: string[] = [];
  if (isWrite(skill)) {
    if (contract.fallback !== undefined) {
      faults.push(
        'It writes and has a fallback, which could hide that the write has happened. Take the fallback out.',
      );
    }
  } else {
    for (const { skill: name } of contract.dependencies) {
      if (isWrite(find(name))) faults.push(hiddenWrite(skill, name));
    }
  }
  const other = contract.fallback?.skill;
  if (
    other !== undefined &&
    !contract.dependencies.some((dependency) => dependency.skill === other)
  ) {
    faults.push(
      `Its fallback calls ${other}, which is no dependency of the contract. Add it to dependencies.`,
    );
  }
  for (const { id, skill: name, fallback } of flow?.steps ?? []) {
    if (fallback?.skill === undefined && fallback?.after === undefined) continue;
    if (!isWrite(find(name))) continue;
    faults.push(
      `Step ${id} has a fallback with skill or after, but ${name} writes and may still take effect. Leave only fallback.value, or compensate instead.`,
    );
  }
  return faults;
}

function isWrite(skill: Skill | undefined): boolean {
  if (skill === undefined) return false;
  const { kind } = skill.contract.side_effect;
  return kind !== 'none' && kind !== 'read';
}

function hiddenWrite({ contract, flow }: Skill, name: string): string {
  const step = flow?.steps.find(({ skill, fallback, compensate }) =>
    [skill, fallback?.skill, compensate?.skill].includes(name),
  );
  const culprit =
    step === undefined
      ? `its dependency ${name} writes`
      : `step ${step.id} calls ${name}, which writes`;
  return `It is declared side_effect ${contract.side_effect.kind}, but ${culprit}. Declare side_effect write, or take that out.`;
}
