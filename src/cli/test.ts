import type { Command } from 'commander';
import type { Problem, Snapshot } from '../registry/snapshot.ts';
import type { Skill } from '../registry/skill.ts';
import type { Colors } from './colors.ts';
import { guardOutput } from './guard-process.ts';
import { logProblems } from './log-problems.ts';
import { inspectLibrary, usageError } from './open-library.ts';
import { renderTable } from './render-table.ts';
import { createTerminal, type GlobalOptions } from './terminal.ts';
import { testSkill, type SkillReport, type Tally } from './test-skill.ts';

const HELP = `
Examples run for real, writes too, in a data folder that is thrown away; extreme parameters (missing,
mistyped, out of bounds, undeclared) must be stopped by validation; skill.test.ts runs with node:test.
Exit code 1 when anything fails.

Examples:
  $ skillwright test
  $ skillwright test task.create task.list --json`;

/** Declares `skillwright test`. */
export function test(command: Command): void {
  command
    .argument('[skills...]', 'their names; all when there is none')
    .addHelpText('after', HELP)
    .action(async (names: readonly string[]) => {
      const flags = command.optsWithGlobals<GlobalOptions>();
      const terminal = createTerminal(flags);
      const { skills, problems } = await choose(names, flags.library);
      guardOutput(skills);
      const reports: SkillReport[] = [];
      for (const skill of skills) {
        terminal.log(terminal.err.dim(`testing ${skill.contract.name}`));
        reports.push(await testSkill(skill, flags.library));
      }
      const failed = reports.filter(({ failures }) => failures.length > 0);
      const success = failed.length === 0 && problems.length === 0;
      process.exitCode = success ? 0 : 1;
      if (flags.json === true) {
        await terminal.printJson({ success, skills: reports, problems });
        return;
      }
      await terminal.print(page(reports, terminal.out));
      logProblems(problems, terminal);
    });
}

interface Choice {
  readonly skills: readonly Skill[];
  /** The errors of the library that leave skills out. */
  readonly problems: readonly Problem[];
}

function choose(names: readonly string[], library: string | undefined): Promise<Choice> {
  return inspectLibrary(library, async ({ snapshot }) => {
    const problems = snapshot.problems.filter(({ severity }) => severity === 'error');
    if (names.length === 0) return { skills: snapshot.skills, problems };
    const broken = new Set(problems.map(({ skill }) => skill));
    return {
      skills: names.filter((name) => !broken.has(name)).map((name) => find(snapshot, name)),
      problems: problems.filter(({ skill }) => names.includes(skill)),
    };
  });
}

function find(snapshot: Snapshot, name: string): Skill {
  const skill = snapshot.resolve(name);
  if ('ok' in skill) throw usageError(skill.error.message);
  return skill;
}

function page(reports: readonly SkillReport[], colors: Colors): string {
  const tally = ({ passed, total }: Tally): string => {
    if (total === 0) return colors.dim('-');
    return (passed === total ? colors.green : colors.red)(`${passed}/${total}`);
  };
  const rows = reports.map(({ skill, examples, extremes, tests, duration, failures }) => [
    failures.length === 0 ? colors.green('✓') : colors.red('✗'),
    skill,
    tally(examples),
    tally(extremes),
    tally(tests),
    colors.dim(`${duration.toFixed(0)} ms`),
  ]);
  const head = ['', 'skill', 'examples', 'extremes', 'tests', 'time'].map((title) =>
    colors.dim(title),
  );
  const failures = reports.flatMap(({ skill, failures }) =>
    failures.map((line) => `\n${colors.red(skill)} ${line}`),
  );
  return [renderTable([head, ...rows]), ...failures].join('\n');
}
