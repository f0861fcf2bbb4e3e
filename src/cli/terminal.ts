import { colorJson } from './color-json.ts';
import { colorsOf, type Colors } from './colors.ts';

/** What every command accepts. */
export interface GlobalOptions {
  readonly library?: string;
  readonly json?: boolean;
  readonly quiet?: boolean;
  readonly color?: boolean;
}

/** Where a command writes: results to stdout, everything else to stderr. */
export interface Terminal {
  /** True when the reader is a program: stdout is no terminal, or `--json` was given. */
  readonly machine: boolean;
  /** Colours for stdout and for stderr. */
  readonly out: Colors;
  readonly err: Colors;
  /** Writes a line to stdout; resolves when it is out. */
  readonly print: (text: string) => Promise<void>;
  /** Writes a value as JSON to stdout: one line for a program, indented and coloured for a person. */
  readonly printJson: (value: unknown) => Promise<void>;
  /** Writes a line to stderr, unless `--quiet` was given. */
  readonly log: (text: string) => void;
}

/** The terminal as the global options want it. */
export function createTerminal(options: GlobalOptions): Terminal {
  const machine = options.json === true || !process.stdout.isTTY;
  const out = colorsOf(process.stdout, options.color);
  // Kept from now: while skills run, whatever else is written to stdout goes to stderr.
  const write = process.stdout.write.bind(process.stdout);
  const print = (text: string): Promise<void> =>
    new Promise((resolve) => {
      // A reader that has gone away is no failure of the command.
      write(`${text}\n`, () => resolve());
    });
  return {
    machine,
    out,
    err: colorsOf(process.stderr, options.color),
    print,
    printJson: (value) => print(machine ? JSON.stringify(value) : colorJson(value, out)),
    log: (text) => {
      if (options.quiet !== true) process.stderr.write(`${text}\n`);
    },
  };
}
