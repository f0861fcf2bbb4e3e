import type { Command } from 'commander';
import { inspectLibrary, usageError } from './open-library.ts';
import { createTerminal, type GlobalOptions } from './terminal.ts';

const HELP = `
Examples:
  $ skillwright discover
  $ skillwright discover task`;

/** Declares `skillwright discover`. */
export function discover(command: Command): void {
  command
    .argument('[filter]', 'part of a name or a tag, whatever the case')
    .addHelpText('after', HELP)
    .action(async (filter: string | undefined) => {
      const flags = command.optsWithGlobals<GlobalOptions>();
      if (filter?.startsWith('{') === true) {
        throw usageError(
          'The filter is part of a name or a tag, as in "skillwright discover task". A whole request goes to "skillwright call -" on stdin.',
        );
      }
      await inspectLibrary(flags.library, async (runtime) => {
        const session = await runtime.openSession({ caller: { id: 'cli', permissions: ['*'] } });
        const options = filter === undefined ? {} : { options: { filter } };
        const envelope = session.discover({ action: 'discover', ...options });
        await createTerminal(flags).printJson(envelope);
      });
    });
}
