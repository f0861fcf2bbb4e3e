import pc from 'picocolors';

/** Colour functions of one stream; they return the text as it is where colour has no place. */
export type Colors = ReturnType<typeof pc.createColors>;

/** Colours for a stream: none unless it is a terminal, and none where $NO_COLOR is set (no-color.org). */
export function colorsOf(stream: NodeJS.WriteStream, wanted = true): Colors {
  // A plain boolean: given undefined, which isTTY is for a pipe, the library would decide by itself (yes, in CI).
  return pc.createColors([wanted, stream.isTTY, !process.env['NO_COLOR']].every(Boolean));
}
