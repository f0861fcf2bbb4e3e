import type { Command } from 'commander';
import { compile as compileContracts, type Compiled } from '../adapters/compile.ts';
import { DIALECT_IDS } from '../adapters/dialect.ts';
import type { Contract } from '../contract/contract.ts';
import { inspectLibrary, usageError } from './open-library.ts';
import { createTerminal, type GlobalOptions } from './terminal.ts';

interface CompileFlags extends GlobalOptions {
  readonly for: string;
}

const HELP = `
Dialects: ${DIALECT_IDS.join(', ')}.
stdout holds the tools as the vendor takes them; what could not be said, and tools that were refused, go to
stderr. Exit code 1 when a tool was refused.

Examples:
  $ skillwright compile --for openai.strict
  $ skillwright compile --for anthropic task.create task.list
  $ skillwright compile --for gemini > tools.json`;

/** Declares `skillwright compile`. */
export function compile(command: Command): void {
  command
    .argument('[skills...]', 'their names; all when there is none')
    .requiredOption('--for <dialect>', 'whose tools they are to be')
    .addHelpText('after', HELP)
    .action(async (names: readonly string[]) => {
      const flags = command.optsWithGlobals<CompileFlags>();
      const terminal = createTerminal(flags);
      await inspectLibrary(flags.library, async ({ snapshot }) => {
        const skills =
          names.length === 0
            ? snapshot.skills
            : names.map((name) => {
                const skill = snapshot.resolve(name);
                if ('ok' in skill) throw usageError(skill.error.message);
                return skill;
              });
        const contracts = skills.map(({ contract }) => contract);
        const among = snapshot.skills.map(({ contract }) => contract.name);
        const { tools, warnings, refused } = compiled(contracts, flags.for, among);
        await terminal.printJson(tools);
        const { red, yellow, dim } = terminal.err;
        for (const { skill, code, message } of warnings)
          terminal.log(`${yellow('warning')} ${skill} ${dim(code)} ${message}`);
        for (const { skill, code, reasons } of refused)
          terminal.log(`${red('refused')} ${skill} ${dim(code)} ${reasons.join('; ')}`);
        terminal.log(
          dim(`${tools.length} tools, ${refused.length} refused, ${warnings.length} warnings`),
        );
        if (refused.length > 0) process.exitCode = 1;
      });
    });
}

function compiled(
  contracts: readonly Contract[],
  dialect: string,
  among: readonly string[],
): Compiled {
  try {
    return compileContracts(contracts, dialect, { among });
  } catch (error) {
    if (error instanceof TypeError) throw usageError(error.message);
    throw error;
  }
}
