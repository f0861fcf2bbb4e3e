import { guardStdout } from '../base/guard-stdout.ts';
import { createRedactor } from '../base/redact.ts';
import { ToolError } from '../contract/tool-error.ts';
import type { Skill } from '../registry/skill.ts';

/**
 * Keeps what the bodies of skills do to this process from ending the command: `process.exit` throws in the
 * body, an error that no call waits for is reported, and what is printed to stderr loses its secrets.
 */
export function guardProcess(skills: readonly Skill[]): void {
  const declared = skills.flatMap(({ contract }) => contract.secrets);
  const redactor = createRedactor(declared.map(({ env }) => process.env[env] ?? ''));
  const write = process.stderr.write.bind(process.stderr);
  process.stderr.write = (text: string | Uint8Array, ...rest: []) =>
    write(redactor.text(Buffer.from(text).toString()), ...rest);
  const report = (): void => {
    // Without its text: what a body throws may hold anything.
    process.stderr.write(
      'A skill left an error behind that no call was waiting for; the others go on.\n',
    );
  };
  process.on('unhandledRejection', report).on('uncaughtException', report);
  process.exit = () => {
    throw new ToolError(
      'EXECUTION_ERROR',
      'The skill tried to end the whole process. Its owner has to return a result, or throw, in place of process.exit.',
      { retryable: false },
    );
  };
}

/** Guards the process of a command whose output is all that may reach stdout: what bodies print goes to stderr. */
export function guardOutput(skills: readonly Skill[]): void {
  guardProcess(skills);
  guardStdout();
}
