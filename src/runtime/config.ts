import { readFileSync } from 'node:fs';
import { isPlainObject, parseJson, type JsonObject } from '../base/json.ts';
import { nearest } from '../base/nearest.ts';
import type { Policy } from '../contract/contract.ts';

/** What `skillwright.config.json` says of one skill. */
export interface SkillConfig {
  /** Values for absent parameters: what the business always means. */
  readonly defaults?: JsonObject;
  /** What the body reads as `context.settings`. */
  readonly settings?: JsonObject;
  /** Overrides of the contract's own policy. */
  readonly policy?: Policy;
}

/** The shape of `skillwright.config.json` at a library's root; every part may be absent. */
export interface Config {
  readonly skills?: Readonly<Record<string, SkillConfig>>;
  /** Hosts (`name` or `name:port`) that HTTP skills may reach although their address is private. */
  readonly http?: { readonly allow?: readonly string[] };
  /** Where to remember: a SQLite file relative to the data folder, `memory`, or `none` (no audit, no call log). Default `store.db`. */
  readonly store?: string;
}

const KNOWN: Readonly<Record<string, readonly string[]>> = {
  '': ['skills', 'http', 'store', '$schema'],
  skill: ['defaults', 'settings', 'policy'],
  http: ['allow'],
};

/**
 * Reads a library's configuration; an absent file is an empty configuration. Throws Error with what to
 * do when the file is not JSON or says something that is not understood: a typing error must not
 * silently switch a default off.
 */
export function readConfig(file: string): Config {
  let text: string;
  try {
    text = readFileSync(file, 'utf8').replace(/^\uFEFF/, '');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return {};
    throw new Error(`${file} cannot be read. Check its permissions.`, { cause: error });
  }
  let value: unknown;
  try {
    value = parseJson(text);
  } catch (error) {
    throw new Error(
      `${file} is not valid JSON: ${error instanceof Error ? error.message : String(error)}. Correct it or remove it.`,
      { cause: error },
    );
  }
  const faults = [...configFaults(value)];
  if (faults.length > 0)
    throw new Error(`${file} is not a valid configuration: ${faults.join('; ')}.`);
  return value as Config;
}

function configFaults(value: unknown): string[] {
  if (!isPlainObject(value)) return ['it must hold one JSON object'];
  const { skills = {}, http = {}, store = 'store.db' } = value;
  const faults = [...unknownKeys(value, '', 'the configuration')];
  if (typeof store !== 'string' || store === '')
    faults.push('store is a file name, "memory" or "none"');
  if (isPlainObject(http))
    faults.push(...unknownKeys(http, 'http', 'http'), ...hostFaults(http['allow']));
  else faults.push('http is an object such as {"allow": ["127.0.0.1:8080"]}');
  if (!isPlainObject(skills)) return [...faults, 'skills is an object by skill name'];
  for (const [name, skill] of Object.entries(skills)) {
    if (!isPlainObject(skill)) {
      faults.push(`skills.${name} is an object with defaults, settings or policy`);
      continue;
    }
    faults.push(...unknownKeys(skill, 'skill', `skills.${name}`));
    for (const [key, part] of Object.entries(skill)) {
      if (!isPlainObject(part)) faults.push(`skills.${name}.${key} is an object`);
    }
  }
  return faults;
}

function hostFaults(allow: unknown): string[] {
  const fits =
    allow === undefined ||
    (Array.isArray(allow) && allow.every((host) => typeof host === 'string'));
  return fits ? [] : ['http.allow is a list of hosts'];
}

function* unknownKeys(
  value: Record<string, unknown>,
  kind: string,
  where: string,
): Iterable<string> {
  const known = KNOWN[kind] ?? [];
  for (const key of Object.keys(value)) {
    if (known.includes(key)) continue;
    const close = nearest(key, known, 1)[0];
    yield `${where} has no ${JSON.stringify(key)}${close === undefined ? ` (it may have ${known.join(', ')})` : `; did you mean ${close}?`}`;
  }
}
