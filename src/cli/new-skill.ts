import { existsSync, statSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Option, type Command } from 'commander';
import { commandLine } from './command-line.ts';
import { makeFolder } from '../base/make-folder.ts';
import { usageError } from './open-library.ts';
import { skillFiles, type SkillPlan } from './skill-template.ts';
import { createTerminal, type GlobalOptions } from './terminal.ts';

interface NewFlags extends GlobalOptions {
  readonly kind: SkillPlan['kind'];
  readonly effect?: SkillPlan['effect'];
}

const HELP = `
The folder goes into --library, else $SKILLWRIGHT_LIBRARY, else ./skills; nothing is overwritten.

Examples:
  $ skillwright new skill greeting.say-hello
  $ skillwright new skill task.archive --effect write
  $ skillwright new skill weather.current --kind http --library ./skills`;

/** Declares `skillwright new`. */
export function newSkill(command: Command): void {
  command
    .addHelpText('afterAll', HELP)
    .command('skill')
    .description('Write a working skill folder: contract, guidance, body and test')
    .argument('<domain.action>', 'its name: lower-case words joined by hyphens')
    .addOption(
      new Option('--kind <kind>', 'how the body runs')
        .choices(['module', 'command', 'http', 'composite'])
        .default('module'),
    )
    .addOption(
      new Option('--effect <effect>', 'what it changes (default none; read for http)').choices([
        'read',
        'write',
        'none',
      ]),
    )
    .action(async (name: string, _options: unknown, own: Command) => {
      const flags = own.optsWithGlobals<NewFlags>();
      const files = skillFiles(plan(name, flags));
      const library = flags.library ?? process.env['SKILLWRIGHT_LIBRARY'] ?? 'skills';
      await write(library, files);
      const terminal = createTerminal(flags);
      const paths = [...files.keys()].map((file) => join(library, file));
      if (flags.json === true) return terminal.printJson({ name, files: paths });
      await terminal.print(paths.map((path) => `${terminal.out.green('+')} ${path}`).join('\n'));
      const where = library === 'skills' ? '' : ` --library ${library}`;
      terminal.log(
        `Try it:\n  skillwright test ${name}${where}\n  ${commandLine(name, { text: 'hello' })}${where}`,
      );
    });
}

const WORD = /^[a-z][a-z0-9]*(?:-[a-z0-9]+)*$/;

function plan(
  name: string,
  { kind, effect = kind === 'http' ? 'read' : 'none' }: NewFlags,
): SkillPlan {
  const [domain, action, ...rest] = name.split('.');
  if (
    domain !== undefined &&
    action !== undefined &&
    rest.length === 0 &&
    WORD.test(domain) &&
    WORD.test(action) &&
    name.length <= 58
  ) {
    return { domain, action, kind, effect };
  }
  const words = name
    .split('.')
    .map(hyphenate)
    .filter((word) => WORD.test(word));
  const hint = words.length === 2 ? ` Perhaps ${words.join('.')}?` : '';
  throw usageError(
    `${JSON.stringify(name)} is no name for a skill: send domain.action, each of lower-case letters, digits and hyphens, at most 58 characters.${hint}`,
  );
}

function hyphenate(text: string): string {
  return text
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1-$2')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-+|-+$/g, '');
}

async function write(library: string, files: ReadonlyMap<string, string>): Promise<void> {
  if (existsSync(library) && !statSync(library).isDirectory()) {
    throw usageError(`${library} is a file; a new skill needs a folder. Pass --library <folder>.`);
  }
  const folders = new Set([...files.keys()].map((file) => dirname(join(library, file))));
  const taken = [...folders].find((folder) => existsSync(folder));
  if (taken !== undefined) {
    throw usageError(`${taken} exists already; choose another name, or remove the folder first.`);
  }
  for (const folder of folders) makeFolder(folder);
  for (const [file, text] of files) await writeFile(join(library, file), text, { flag: 'wx' });
}
