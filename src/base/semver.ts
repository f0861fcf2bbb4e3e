/** A version as `major.minor.patch[-prerelease]`; build metadata is ignored (Semantic Versioning 2.0.0). */
export interface Version {
  readonly major: number;
  readonly minor: number;
  readonly patch: number;
  readonly prerelease: readonly (string | number)[];
}

const FORM =
  /^(0|[1-9]\d{0,8})\.(0|[1-9]\d{0,8})\.(0|[1-9]\d{0,8})(?:-([0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*))?(?:\+[0-9A-Za-z.-]+)?$/;

/** Parses a full version; undefined when the text is not one. */
export function parseVersion(text: string): Version | undefined {
  const match = FORM.exec(text);
  if (match === null) return undefined;
  const [, major, minor, patch, prerelease] = match;
  return {
    major: Number(major),
    minor: Number(minor),
    patch: Number(patch),
    prerelease: (prerelease?.split('.') ?? []).map((part) =>
      /^\d+$/.test(part) ? Number(part) : part,
    ),
  };
}

/** Negative, zero or positive as `left` is older than, equal to or newer than `right`; text that is no version counts as oldest. */
export function compareVersions(left: string, right: string): number {
  const a = parseVersion(left);
  const b = parseVersion(right);
  if (a === undefined || b === undefined) return Number(a !== undefined) - Number(b !== undefined);
  return (
    a.major - b.major ||
    a.minor - b.minor ||
    a.patch - b.patch ||
    comparePrerelease(a.prerelease, b.prerelease)
  );
}

function comparePrerelease(a: Version['prerelease'], b: Version['prerelease']): number {
  if (a.length === 0 || b.length === 0) return Number(a.length === 0) - Number(b.length === 0);
  for (let index = 0; index < Math.max(a.length, b.length); index++) {
    const left = a[index];
    const right = b[index];
    if (left === undefined || right === undefined) return left === undefined ? -1 : 1;
    if (left === right) continue;
    if (typeof left !== typeof right) return typeof left === 'number' ? -1 : 1;
    return left < right ? -1 : 1;
  }
  return 0;
}

/** True when `version` is of the release line a reference names: `1` any 1.y.z, `1.3` any 1.3.z, `1.3.2` itself. */
export function matchesLine(version: string, line: string): boolean {
  return version === line || (/^\d+(\.\d+)?$/.test(line) && version.startsWith(`${line}.`));
}
