/** Makes whatever prints to stdout print to stderr instead; returns what still reaches stdout, and how to undo it. */
export function guardStdout(): {
  readonly write: (data: string | Buffer) => boolean;
  release(): void;
} {
  const { stdout, stderr } = process;
  const print = stdout.write.bind(stdout);
  stdout.write = stderr.write.bind(stderr);
  return {
    write: (data) => print(data),
    release: () => {
      stdout.write = print;
    },
  };
}
