const NAME = /^\p{L}[\p{L}\p{N}_-]*(?:\.\p{L}[\p{L}\p{N}_-]*)+$/u;

/** True for a skill name: `domain.action`, letters of any script, digits, `_` and `-`, at most 64 characters. */
export function isSkillName(text: string): boolean {
  return text.length <= 64 && NAME.test(text);
}

/** A reference to a skill: its name, and the release line asked for when one is (`task.create@1.3`). */
export interface SkillReference {
  readonly name: string;
  readonly line: string | undefined;
}

/** Splits `name@line`; text without `@` has no line. */
export function parseReference(text: string): SkillReference {
  const at = text.lastIndexOf('@');
  return at <= 0
    ? { name: text, line: undefined }
    : { name: text.slice(0, at), line: text.slice(at + 1) };
}
