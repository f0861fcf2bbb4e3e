import type { Command } from 'commander';
import type { Skill } from '../registry/skill.ts';
import type { Colors } from './colors.ts';
import { logProblems } from './log-problems.ts';
import { inspectLibrary } from './open-library.ts';
import { renderTable } from './render-table.ts';
import { createTerminal, type GlobalOptions } from './terminal.ts';

const HELP = `
Problems of the library go to stderr; a skill with an error is left out. Exit code 1 when there is one.

Examples:
  $ skillwright list
  $ skillwright list --library ./skills --json`;

/** Declares `skillwright list`. */
export function list(command: Command): void {
  command.addHelpText('after', HELP).action(async () => {
    const flags = command.optsWithGlobals<GlobalOptions>();
    const terminal = createTerminal(flags);
    await inspectLibrary(flags.library, async ({ snapshot: { skills, problems } }) => {
      const faults = problems.filter(({ severity }) => severity === 'error').length;
      process.exitCode = faults === 0 ? 0 : 1;
      if (flags.json === true) {
        await terminal.printJson({ skills: skills.map(summary), problems });
        return;
      }
      const rows = skills.map((skill) => row(skill, terminal.out));
      if (rows.length > 0) {
        await terminal.print(renderTable(rows, process.stdout.columns || undefined));
      }
      logProblems(problems, terminal);
      terminal.log(
        terminal.err.dim(
          `${skills.length} skills, ${faults} errors, ${problems.length - faults} warnings`,
        ),
      );
    });
  });
}

function summary({ contract }: Skill): Record<string, unknown> {
  const { name, version, description, tags, side_effect } = contract;
  return { name, version, description, tags, side_effect };
}

const EFFECT_COLORS = { none: 'dim', read: 'green', write: 'yellow' } as const;

function row({ contract }: Skill, colors: Colors): readonly string[] {
  const { name, version, description, side_effect } = contract;
  const effect = colors[EFFECT_COLORS[side_effect.kind]](side_effect.kind);
  return [colors.bold(name), colors.dim(version), effect, description];
}
