import { createRequire } from 'node:module';
import { isPlainObject } from '../../base/json.ts';

/** What a SKILL.md says (https://agentskills.io/specification), read leniently. */
export interface SkillMd {
  readonly name?: string;
  readonly description?: string;
  readonly license?: string;
  readonly metadata: Readonly<Record<string, string>>;
  /** The guidance under the frontmatter. */
  readonly body: string;
  /** What other readers of the format would stumble over. */
  readonly warnings: readonly string[];
}

const MAX_CHARACTERS = 256 * 1024;
// A hostile text of that size still costs a YAML reader less than a tenth of a second.
const MAX_FRONT = 16 * 1024;
const KNOWN = new Set([
  'name',
  'description',
  'license',
  'compatibility',
  'metadata',
  'allowed-tools',
]);
const LINE = /^( *)([\w.-]+):(?:[ \t]+(.*))?$/;
const DOUBLE_QUOTED = /^"(?:[^"\\\p{Cc}]|\\["\\/nt])*"$/u;
const SINGLE_QUOTED = /^'(?:[^']|'')*'$/;
// An unquoted colon or comment is where YAML readers part ways; so are all the other signs with a meaning.
const SPECIAL = /^[[\]{}>|&*!%@`,?#-]| #|: |:$/;
const load = createRequire(import.meta.url);

/** Reads a SKILL.md; whatever is wrong with it becomes a warning, never an exception. */
export function parseSkillMd(text: string): SkillMd {
  if (text.length > MAX_CHARACTERS)
    return bare(
      '',
      `It has over ${MAX_CHARACTERS} characters; move material into files beside it.`,
    );
  const source = text.replace(/^\uFEFF/, '').replaceAll('\r\n', '\n');
  const match = /^---[ \t]*\n([\s\S]*?)\n---[ \t]*(?:\n|$)/.exec(source);
  if (match === null)
    return bare(
      source.trim(),
      'It has no frontmatter; begin it with --- and name: and description:.',
    );
  const [whole, front = ''] = match;
  const warnings: string[] = [];
  const fields = readPlain(front) ?? readYaml(front, warnings);
  for (const key of Object.keys(fields)) {
    if (!KNOWN.has(key)) warnings.push(`${key} is no field of SKILL.md; put it under metadata.`);
  }
  return {
    ...textOf(fields, 'name'),
    ...textOf(fields, 'description'),
    ...textOf(fields, 'license'),
    metadata: metadataOf(fields['metadata'], warnings),
    body: source.slice(whole.length).trim(),
    warnings,
  };
}

function bare(body: string, warning: string): SkillMd {
  return { metadata: {}, body, warnings: [warning] };
}

function textOf<Key extends string>(
  fields: Record<string, unknown>,
  key: Key,
): { readonly [Name in Key]?: string } {
  const value = fields[key];
  const text = typeof value === 'string' ? value.trim() : '';
  return text === '' ? {} : ({ [key]: text } as { readonly [Name in Key]: string });
}

function metadataOf(given: unknown, warnings: string[]): Record<string, string> {
  if (given === undefined || given === '') return {};
  if (!isPlainObject(given)) {
    warnings.push('metadata is not a map of names to texts.');
    return {};
  }
  const metadata: Record<string, string> = {};
  for (const [key, value] of Object.entries(given)) {
    if (typeof value !== 'string')
      warnings.push(`metadata.${key} is not text; other readers take flat text only.`);
    metadata[key] = typeof value === 'string' ? value : JSON.stringify(value);
  }
  return metadata;
}

/** Plain `key: value` lines and one level of `metadata:`, which is nearly every file; undefined for anything else. */
function readPlain(front: string): Record<string, unknown> | undefined {
  const fields: Record<string, unknown> = {};
  let nested: Record<string, unknown> | undefined;
  for (const line of front.split('\n')) {
    if (line.trim() === '' || line.startsWith('#')) continue;
    const match = LINE.exec(line);
    if (match === null) return undefined;
    const [, indent = '', key = '', raw = ''] = match;
    const target = indent === '' ? fields : nested;
    if (target === undefined || key === '__proto__' || Object.hasOwn(target, key)) return undefined;
    if (indent === '') nested = undefined;
    const text = raw.trim();
    if (text === '') {
      if (indent !== '' || key !== 'metadata') return undefined;
      target[key] = nested = {};
      continue;
    }
    const value = readScalar(text);
    if (value === undefined) return undefined;
    target[key] = value;
  }
  return fields;
}

function readScalar(raw: string): string | undefined {
  if (raw.startsWith('"')) {
    if (!DOUBLE_QUOTED.test(raw)) return undefined;
    return raw.includes('\\') ? (JSON.parse(raw) as string) : raw.slice(1, -1);
  }
  if (raw.startsWith("'"))
    return SINGLE_QUOTED.test(raw) ? raw.slice(1, -1).replaceAll("''", "'") : undefined;
  return SPECIAL.test(raw) ? undefined : raw;
}

function readYaml(front: string, warnings: string[]): Record<string, unknown> {
  if (front.length > MAX_FRONT) {
    warnings.push(`Its frontmatter has over ${MAX_FRONT} characters; move text into the body.`);
    return {};
  }
  const { parseDocument } = load('yaml') as typeof import('yaml');
  for (const text of [front, quoteColons(front)]) {
    try {
      const document = parseDocument(text, {
        schema: 'failsafe',
        uniqueKeys: false,
        logLevel: 'silent',
      });
      if (document.errors.length > 0) continue;
      const value: unknown = document.toJS({ maxAliasCount: 20 });
      if (!isPlainObject(value)) continue;
      if (text !== front)
        warnings.push('A value with ": " in it is not quoted; quote it, other readers refuse it.');
      return value;
    } catch {
      continue;
    }
  }
  warnings.push(
    'Its frontmatter is not YAML that can be read; use one "key: value" a line, with quotes round values.',
  );
  return {};
}

function quoteColons(front: string): string {
  return front.replaceAll(
    /^([\w.-]+):[ \t]+([^\s"'].*: .*)$/gm,
    (_line, key: string, value: string) => `${key}: ${JSON.stringify(value)}`,
  );
}
