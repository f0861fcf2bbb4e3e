import type { Command } from 'commander';
import { dependencyTree, impactOf, type DependencyNode } from '../registry/dependencies.ts';
import type { Snapshot } from '../registry/snapshot.ts';
import type { Colors } from './colors.ts';
import { inspectLibrary, usageError } from './open-library.ts';
import { renderTree, type Branch } from './render-tree.ts';
import { createTerminal, type GlobalOptions, type Terminal } from './terminal.ts';

const HELP = `
Without a skill: every skill that needs others, or that others need.

Examples:
  $ skillwright graph
  $ skillwright graph report.daily
  $ skillwright graph region.lookup --json`;

/** Declares `skillwright graph`. */
export function graph(command: Command): void {
  command
    .argument('[skill]', 'its name')
    .addHelpText('after', HELP)
    .action(async (name: string | undefined) => {
      const flags = command.optsWithGlobals<GlobalOptions>();
      await inspectLibrary(flags.library, ({ snapshot }) =>
        show(snapshot, name, createTerminal(flags), flags.json === true),
      );
    });
}

async function show(
  snapshot: Snapshot,
  name: string | undefined,
  terminal: Terminal,
  json: boolean,
): Promise<void> {
  const chosen = name === undefined ? connected(snapshot) : [find(snapshot, name)];
  const graphs = chosen.map((skill) => ({
    skill,
    dependencies: dependencyTree(skill, snapshot.skills),
    dependents: impactOf(skill, snapshot.skills),
  }));
  if (json) return terminal.printJson(name === undefined ? graphs : graphs[0]);
  const pages = graphs.map(({ dependencies, dependents }) =>
    [
      renderTree(branch(dependencies, terminal.out)),
      terminal.out.dim(
        dependents.all.length === 0
          ? 'nothing needs it'
          : `a change can break: ${dependents.all.join(', ')}`,
      ),
    ].join('\n'),
  );
  await terminal.print(pages.length === 0 ? 'No skill needs another.' : pages.join('\n\n'));
}

function find(snapshot: Snapshot, name: string): string {
  const skill = snapshot.resolve(name);
  if ('ok' in skill) throw usageError(skill.error.message);
  return skill.contract.name;
}

function connected({ skills }: Snapshot): readonly string[] {
  const needed = new Set(
    skills.flatMap(({ contract }) => contract.dependencies.map(({ skill }) => skill)),
  );
  return skills
    .map(({ contract }) => contract)
    .filter(({ name, dependencies }) => dependencies.length > 0 || needed.has(name))
    .map(({ name }) => name);
}

function branch(node: DependencyNode, colors: Colors): Branch {
  const { name, version = 'missing', repeated } = node;
  return {
    label: `${name} ${colors.dim(repeated ? `${version} (see above)` : version)}`,
    children: node.dependencies.map((child) => branch(child, colors)),
  };
}
