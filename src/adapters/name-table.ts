import { createHash } from 'node:crypto';

/** The names a request shows for skills, and the way back. */
export interface NameTable {
  /** What a model is shown; undefined for a skill that is not in the table. */
  exposed(skill: string): string | undefined;
  /**
   * The skill a model meant: the exposed name, the skill's own, or either with a host's prefix before it or
   * its dots changed, as long as only one skill fits.
   */
  skill(called: string): string | undefined;
}

/**
 * Names for skills within a vendor's rule, one to one. A name that had to be changed and could then be
 * mistaken for another carries a hash of the whole, on every member of the clash, so that nothing depends on
 * the order of loading.
 */
export function createNameTable(
  skills: readonly string[],
  { maxName, dots }: { readonly maxName: number; readonly dots: boolean },
): NameTable {
  const wishes = new Map(skills.map((skill) => [skill, wish(skill, dots)]));
  const wanted = Map.groupBy(skills, (skill) => (wishes.get(skill) as string).toLowerCase());
  const bySkill = new Map<string, string>();
  for (const [skill, wished] of wishes) {
    const clash = (wanted.get(wished.toLowerCase())?.length ?? 0) > 1;
    const lossy = wished.length > maxName || !readable(skill, wished);
    bySkill.set(skill, clash || lossy ? withHash(skill, wished, maxName) : wished);
  }
  const byExposed = new Map([...bySkill].map(([skill, exposed]) => [exposed, skill]));
  return {
    exposed: (skill) => bySkill.get(skill),
    skill: (called) => byExposed.get(called) ?? guess(called, bySkill),
  };
}

function wish(skill: string, dots: boolean): string {
  return skill
    .normalize('NFKC')
    .replaceAll(dots ? /[^A-Za-z0-9_.-]+/g : /[^A-Za-z0-9_-]+/g, '_')
    .replaceAll(/^_+|_+$/g, '');
}

/** Whether what is left of a name still tells it: more than a separator was lost otherwise. */
function readable(skill: string, wished: string): boolean {
  return wished.length > 0 && !/[^\x20-\x7e]/.test(skill);
}

function withHash(skill: string, wished: string, maxName: number): string {
  const digest = createHash('sha256').update(skill).digest('hex').slice(0, 8);
  const start = wished === '' ? 'skill' : wished.slice(0, maxName - 9).replace(/[_.-]+$/, '');
  return `${start}_${digest}`;
}

function guess(called: string, bySkill: ReadonlyMap<string, string>): string | undefined {
  const heard = plain(called);
  const found = new Set<string>();
  for (const [skill, exposed] of bySkill) {
    for (const name of [plain(exposed), plain(skill)]) {
      if (
        heard === name ||
        heard.endsWith(`__${name}`) ||
        PREFIX.some((prefix) => heard === `${prefix}_${name}`)
      )
        found.add(skill);
    }
  }
  const [only] = found;
  return found.size === 1 ? only : undefined;
}

// What models put before a name that nobody asked them to.
const PREFIX = ['functions', 'function', 'tools', 'tool', 'default_api'];

function plain(name: string): string {
  return name
    .trim()
    .toLowerCase()
    .replaceAll(/[^a-z0-9_\u0080-\uffff]/g, '_');
}
