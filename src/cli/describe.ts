import type { Command } from 'commander';
import { inspectLibrary, usageError } from './open-library.ts';
import { renderSkill } from './render-skill.ts';
import { createTerminal, type GlobalOptions } from './terminal.ts';

const HELP = `
Examples:
  $ skillwright describe task.create
  $ skillwright describe task.create --json`;

/** Declares `skillwright describe`. */
export function describe(command: Command): void {
  command
    .argument('<skill>', 'its name')
    .addHelpText('after', HELP)
    .action(async (name: string) => {
      const flags = command.optsWithGlobals<GlobalOptions>();
      const terminal = createTerminal(flags);
      await inspectLibrary(flags.library, async ({ snapshot }) => {
        const skill = snapshot.resolve(name);
        if ('ok' in skill) throw usageError(skill.error.message);
        if (flags.json === true) await terminal.printJson(skill.contract);
        else await terminal.print(renderSkill(skill, terminal.out));
      });
    });
}
