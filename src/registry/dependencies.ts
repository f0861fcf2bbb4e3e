import { nearest } from '../base/nearest.ts';
import { compareVersions } from '../base/semver.ts';
import { effectFaults } from './effect-faults.ts';
import type { Skill } from './skill.ts';
import type { Problem } from './snapshot.ts';
import { strongComponents } from './strong-components.ts';

/** What of a library can be used. */
export interface Resolution {
  /** In the order given. */
  readonly kept: Skill[];
  /** The names of what is kept, dependencies before those who need them, otherwise by name. */
  readonly order: string[];
  readonly problems: Problem[];
}

/** A skill with what it needs. */
export interface DependencyNode {
  readonly name: string;
  /** Undefined when there is no such skill. */
  readonly version: string | undefined;
  /** True when its dependencies are left out here because they stand further up. */
  readonly repeated: boolean;
  readonly dependencies: readonly DependencyNode[];
}

interface Node {
  readonly name: string;
  readonly skill: Skill;
  /** In order of name. */
  readonly place: number;
  /** The dependencies that are there. */
  readonly needed: Node[];
}

type Nodes = ReadonlyMap<string, Node>;

// Each hint is a search through the names, and a library that lacks many skills lacks a folder.
const MOST_HINTS = 5;

/**
 * Leaves out every skill that cannot keep its promise: a dependency is missing, too old, left out itself or
 * part of a cycle, or would write under a skill that is declared not to. Each is told with what to do.
 */
export function resolveDependencies(skills: readonly Skill[]): Resolution {
  const nodes: Nodes = new Map(
    byName(skills).map((skill, place) => {
      const { name } = skill.contract;
      return [name, { name, skill, place, needed: [] }];
    }),
  );
  const problems: Problem[] = [];
  const leftOut = new Set<string>();
  const leaveOut = (skill: string, message: string): void => {
    leftOut.add(skill);
    problems.push({ severity: 'error', skill, message });
  };
  const hint = hints(nodes);
  for (const node of nodes.values()) {
    for (const fault of connect(node, nodes, hint)) leaveOut(node.name, fault);
    for (const fault of effectFaults(node.skill, (name) => nodes.get(name)?.skill))
      leaveOut(node.name, fault);
  }
  const order: string[] = [];
  for (const members of strongComponents(nodes.values(), ({ needed }) => needed)) {
    for (const [name, fault] of cycleFaults(members)) leaveOut(name, fault);
    for (const { name, needed } of members) {
      const lost = leftOut.has(name)
        ? undefined
        : needed.find((other) => leftOut.has(other.name))?.name;
      if (lost !== undefined)
        leaveOut(
          name,
          `The dependency ${lost} is left out. Mend ${lost}, or take it out of dependencies.`,
        );
      if (!leftOut.has(name)) order.push(name);
    }
  }
  problems.sort((a, b) => (a.skill === b.skill ? 0 : a.skill < b.skill ? -1 : 1));
  return { kept: skills.filter(({ contract }) => !leftOut.has(contract.name)), order, problems };
}

/** Which skills a change of one can break: those that name it as a dependency, and all that lead to it; by name. */
export function impactOf(
  name: string,
  skills: readonly Skill[],
): { direct: string[]; all: string[] } {
  const dependants = new Map<string, string[]>();
  for (const { contract } of byName(skills)) {
    for (const { skill } of contract.dependencies) {
      const list = dependants.get(skill);
      if (list === undefined) dependants.set(skill, [contract.name]);
      else list.push(contract.name);
    }
  }
  // A set visits what is added while it is walked.
  const all = new Set(dependants.get(name));
  for (const next of all) for (const dependant of dependants.get(next) ?? []) all.add(dependant);
  return { direct: [...new Set(dependants.get(name))], all: [...all].sort() };
}

/** What a skill needs, as a tree, by name; what stands in it twice is spread out only once. */
export function dependencyTree(name: string, skills: readonly Skill[]): DependencyNode {
  const contracts = new Map(skills.map(({ contract }) => [contract.name, contract]));
  const spread = new Set<string>();
  const node = (of: string) => {
    const dependencies: DependencyNode[] = [];
    return { name: of, version: contracts.get(of)?.version, repeated: false, dependencies };
  };
  const root = node(name);
  const open = [root];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const names = contracts.get(next.name)?.dependencies.map(({ skill }) => skill) ?? [];
    const needed = [...new Set(names)].sort();
    next.repeated = needed.length > 0 && spread.has(next.name);
    if (next.repeated) continue;
    spread.add(next.name);
    const children = needed.map(node);
    next.dependencies.push(...children);
    open.push(...children.toReversed());
  }
  return root;
}

function byName(skills: readonly Skill[]): Skill[] {
  return skills.toSorted((a, b) => (a.contract.name < b.contract.name ? -1 : 1));
}

/** Ties a node to what it needs; returns what it lacks. */
function connect(node: Node, nodes: Nodes, hint: (name: string) => string): string[] {
  const faults: string[] = [];
  const { needed } = node;
  for (const { skill, minVersion } of node.skill.contract.dependencies) {
    const found = nodes.get(skill);
    if (found === undefined) {
      faults.push(
        `The dependency ${skill} is not in the library. ${hint(skill)}Add it, or take it out of dependencies.`,
      );
      continue;
    }
    needed.push(found);
    const { version } = found.skill.contract;
    if (version === minVersion || compareVersions(version, minVersion) >= 0) continue;
    faults.push(
      `The dependency ${skill} is needed in ${minVersion} or newer, and the library has ${version}. Update ${skill}, or lower its minVersion.`,
    );
  }
  needed.sort((a, b) => a.place - b.place);
  return faults;
}

function hints(nodes: Nodes): (name: string) => string {
  const found = new Map<string, string>();
  return (name) => {
    const before = found.get(name);
    if (before !== undefined || found.size === MOST_HINTS) return before ?? '';
    const domain = name.slice(0, name.indexOf('.') + 1);
    const action = name.slice(name.lastIndexOf('.'));
    const related = [...nodes.keys()].filter(
      (other) => other.startsWith(domain) || other.endsWith(action),
    );
    const close = nearest(name, related, 2);
    const text = close.length === 0 ? '' : `Did you mean ${close.join(' or ')}? `;
    found.set(name, text);
    return text;
  };
}

/** Why the members of a component are left out: the cycle at the first by name, a reference to it at the others. */
function cycleFaults(members: readonly Node[]): [string, string][] {
  const [first, ...others] = members.toSorted((a, b) => a.place - b.place);
  if (first === undefined || (others.length === 0 && !first.needed.includes(first))) return [];
  const cycle = shortestCycle(first, new Set(members))
    .map(({ name }) => name)
    .join(' -> ');
  return [
    [
      first.name,
      `Its dependencies lead back to it: ${cycle}. Take one of them out of dependencies.`,
    ],
    ...others.map(({ name }): [string, string] => [
      name,
      `It is part of a cycle of dependencies; the problem of ${first.name} shows it.`,
    ]),
  ];
}

/** The way from a node of a cycle back to itself. */
function shortestCycle(start: Node, members: ReadonlySet<Node>): Node[] {
  // A map visits what is added while it is walked.
  const cameFrom = new Map<Node, Node | undefined>([[start, undefined]]);
  let last = start;
  for (const node of cameFrom.keys()) {
    last = node;
    if (node.needed.includes(start)) break;
    for (const next of node.needed)
      if (members.has(next) && !cameFrom.has(next)) cameFrom.set(next, node);
  }
  const cycle = [start];
  for (let node: Node | undefined = last; node !== undefined; node = cameFrom.get(node))
    cycle.push(node);
  return cycle.toReversed();
}
