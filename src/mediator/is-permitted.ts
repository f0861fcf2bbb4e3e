/** True when one of the granted permissions covers the one needed: `*` all, `task:*` a family, else the same text. */
export function isPermitted(needed: string, granted: readonly string[]): boolean {
  return granted.some(
    (grant) =>
      grant === '*' ||
      grant === needed ||
      (grant.endsWith(':*') && needed.startsWith(grant.slice(0, -1))),
  );
}
