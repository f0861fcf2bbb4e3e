import { matchesLine } from '../base/semver.ts';
import { nearest } from '../base/nearest.ts';
import type { Outcome } from '../contract/outcome.ts';
import { fail } from '../contract/outcome.ts';
import { parseReference } from '../contract/name.ts';
import type { Skill } from './skill.ts';

/** Something wrong with the library's files: an error leaves the skill out, a warning does not. */
export interface Problem {
  readonly severity: 'error' | 'warning';
  /** The skill's name, or the folder's when that is not known. */
  readonly skill: string;
  readonly file?: string;
  /** Line in the file, from 1. */
  readonly line?: number;
  /** What is wrong and what to do. */
  readonly message: string;
}

/** The library at one moment; never changes. */
export class Snapshot {
  readonly revision: number;
  readonly problems: readonly Problem[];
  /** In order of name. */
  readonly skills: readonly Skill[];
  /** Dependencies before those who need them. */
  readonly order: readonly string[];
  readonly #byName: ReadonlyMap<string, Skill>;

  constructor(
    revision: number,
    skills: readonly Skill[],
    order: readonly string[],
    problems: readonly Problem[],
  ) {
    this.revision = revision;
    this.skills = [...skills].sort((a, b) => (a.contract.name < b.contract.name ? -1 : 1));
    this.order = order;
    this.problems = problems;
    this.#byName = new Map(skills.map((skill) => [skill.contract.name, skill]));
  }

  /** The skill of that exact name. */
  get(name: string): Skill | undefined {
    return this.#byName.get(name);
  }

  /** The skill a reference names, or TOOL_NOT_FOUND with the nearest names among `visible`. */
  resolve(
    reference: string,
    visible: () => Iterable<string> = () => this.#byName.keys(),
  ): Skill | (Outcome & { ok: false }) {
    const direct = this.#byName.get(reference);
    if (direct !== undefined) return direct;
    const { name, line } = parseReference(reference);
    const skill = this.#byName.get(name);
    if (skill !== undefined && line !== undefined) {
      if (matchesLine(skill.contract.version, line)) return skill;
      return fail(
        'TOOL_NOT_FOUND',
        `${name} is here in version ${skill.contract.version}, not in ${line}. Call ${name}@${skill.contract.version} or leave the version out.`,
        {
          details: { reason: 'version', available: [skill.contract.version] },
        },
      );
    }
    if (this.problems.some((problem) => problem.severity === 'error' && problem.skill === name)) {
      return fail(
        'TOOL_NOT_FOUND',
        `${name} is not in service: its files have errors. Do without it; its owner sees them with "skillwright list".`,
        { details: { reason: 'left_out' } },
      );
    }
    const suggestions = nearest(name, visible(), 3, 0.5);
    const hint =
      suggestions.length > 0
        ? `Did you mean ${suggestions.join(' or ')}?`
        : 'Use discover to list what there is.';
    return fail(
      'TOOL_NOT_FOUND',
      `No skill is named ${JSON.stringify(name.slice(0, 80))}. ${hint}`,
      {
        details: { suggestions },
      },
    );
  }
}
