import { has, isPlainObject, type Json, type JsonObject } from '../../base/json.ts';
import { parseVersion } from '../../base/semver.ts';
import type {
  Contract,
  DeclaredError,
  Dependency,
  Example,
  SecretDeclaration,
  SideEffect,
} from '../../contract/contract.ts';
import { ERROR_CODES, isErrorCode } from '../../contract/error.ts';
import { isSkillName } from '../../contract/name.ts';
import { schemaFaults } from '../../contract/schema/guard.ts';
import { partsOf } from '../../contract/schema/types-of.ts';
import type { Problem } from '../snapshot.ts';
import { parseExecutor, parseFallback, parsePolicy } from './execution.ts';
import { Findings, objects, text, texts, unknownKeys } from './fields.ts';
import { parseRules } from './rules.ts';

/** What is known about a contract from outside its file. */
export interface ContractContext {
  /** The name the skill must have, from its folder; the contract's own when absent. */
  readonly name?: string;
  /** From SKILL.md. */
  readonly description?: string;
  /** From the files found beside it. */
  readonly executor?: Contract['executor'];
  readonly file?: string;
  /** The file's text, to find lines in. */
  readonly text?: string;
}

/** A contract, or why there is none; warnings come with either. */
export interface ParsedContract {
  readonly contract?: Contract;
  readonly problems: readonly Problem[];
}

const KEYS = [
  '$schema',
  'name',
  'version',
  'title',
  'description',
  'tags',
  'purpose',
  'preconditions',
  'related',
  'side_effect',
  'parameters',
  'returns',
  'rules',
  'aliases',
  'errors',
  'secrets',
  'examples',
  'queries',
  'dependencies',
  'permissions',
  'policy',
  'fallback',
  'executor',
] as const;

/** Reads a contract from parsed JSON; every problem says what is wrong, where, and what to do. */
export function parseContract(value: unknown, context: ContractContext = {}): ParsedContract {
  const own = isPlainObject(value) && typeof value['name'] === 'string' ? value['name'] : undefined;
  const name = context.name ?? own ?? '';
  const findings = new Findings(name, context.file, context.text);
  if (!isPlainObject(value)) {
    findings.error('a contract is one JSON object');
    return { problems: findings.problems };
  }
  unknownKeys(value, KEYS, '', findings);
  checkName(name, own, findings);
  const description = text(value, 'description', findings) ?? context.description;
  if (description === undefined)
    findings.error(
      'description is missing: say what the skill does, when to use it, what comes back and what it does not do',
    );
  const sideEffect = parseSideEffect(value['side_effect'], findings);
  const parameters = parseSchema(value, 'parameters', findings);
  const returns = has(value, 'returns') ? parseSchema(value, 'returns', findings) : undefined;
  const declared = parameters === undefined ? [] : parameterNames(parameters);
  const title = text(value, 'title', findings);
  const fallback = parseFallback(value['fallback'], findings);
  const contract: Contract = {
    name,
    version: parseVersionField(value['version'], findings),
    ...(title === undefined ? {} : { title }),
    description: description ?? '',
    tags: texts(value, 'tags', findings),
    purpose:
      text(value, 'purpose', findings) ??
      missing('purpose', 'the intent under which to call it', findings),
    preconditions: texts(value, 'preconditions', findings),
    related: texts(value, 'related', findings),
    side_effect: sideEffect,
    parameters: parameters ?? {},
    ...(returns === undefined ? {} : { returns }),
    rules: parseRules(value['rules'], { declared, write: sideEffect.kind === 'write' }, findings),
    aliases: parseAliases(value['aliases'], declared, findings),
    errors: objects(value, 'errors', findings).flatMap((row) => parseError(row, findings)),
    secrets: objects(value, 'secrets', findings).flatMap((row) => parseSecret(row, findings)),
    examples: objects(value, 'examples', findings).flatMap((row) => parseExample(row, findings)),
    queries: texts(value, 'queries', findings),
    dependencies: objects(value, 'dependencies', findings).flatMap((row) =>
      parseDependency(row, findings),
    ),
    permissions: texts(value, 'permissions', findings),
    policy: parsePolicy(value['policy'], findings),
    ...(fallback === undefined ? {} : { fallback }),
    executor: parseExecutor(value['executor'], context.executor, findings),
  };
  return findings.failed
    ? { problems: findings.problems }
    : { contract, problems: findings.problems };
}

function missing(key: string, meaning: string, findings: Findings): string {
  findings.error(`${key} is missing: ${meaning}`);
  return '';
}

function checkName(name: string, own: string | undefined, findings: Findings): void {
  if (!isSkillName(name))
    findings.error(
      `${JSON.stringify(name.slice(0, 80))} is not a skill name: use domain.action, letters, digits, - and _, at most 64 characters`,
      'name',
    );
  else if (own !== undefined && own !== name)
    findings.error(
      `name is ${JSON.stringify(own)}, but its folders say ${name}; make them agree, or leave name out`,
      'name',
    );
}

function parseVersionField(value: unknown, findings: Findings): string {
  if (typeof value === 'string' && parseVersion(value) !== undefined) return value;
  findings.error('version must be a semantic version such as "1.0.0"', 'version');
  return '';
}

function parseSideEffect(value: unknown, findings: Findings): SideEffect {
  const unknown: SideEffect = { kind: 'write' };
  if (!isPlainObject(value)) {
    findings.error(
      'side_effect is missing: say what it changes, for example {"kind": "none"} or {"kind": "write", "targets": ["database"]}; without it the skill is not exposed',
      'side_effect',
    );
    return unknown;
  }
  unknownKeys(
    value,
    ['kind', 'targets', 'idempotent', 'destructive', 'reversed_by'],
    'side_effect.',
    findings,
  );
  const { kind } = value;
  if (kind !== 'none' && kind !== 'read' && kind !== 'write') {
    findings.error('side_effect.kind must be "none", "read" or "write"', 'side_effect');
    return unknown;
  }
  for (const key of ['idempotent', 'destructive'])
    if (has(value, key) && typeof value[key] !== 'boolean')
      findings.error(`side_effect.${key} must be true or false`, key);
  if (has(value, 'reversed_by') && typeof value['reversed_by'] !== 'string')
    findings.error('side_effect.reversed_by must name a skill', 'reversed_by');
  texts(value, 'targets', findings);
  return value as unknown as SideEffect;
}

function parseSchema(
  value: Record<string, unknown>,
  key: 'parameters' | 'returns',
  findings: Findings,
): JsonObject | undefined {
  const schema = value[key];
  if (!isPlainObject(schema)) {
    findings.error(
      `${key} must be a JSON Schema object${key === 'parameters' ? ', at least {"type": "object", "properties": {}}' : ''}`,
      key,
    );
    return undefined;
  }
  const faults = schemaFaults(schema);
  for (const { path, message } of faults)
    findings.error(`${key}${path}: ${message}`, path.split('/').at(-1) ?? key);
  if (key === 'parameters' && schema['type'] !== 'object')
    findings.error('parameters must have "type": "object"', key);
  return faults.length > 0 ? undefined : (schema as JsonObject);
}

function parameterNames(schema: JsonObject): string[] {
  return [
    ...new Set(
      partsOf(schema, schema).flatMap((part) =>
        isPlainObject(part['properties']) ? Object.keys(part['properties']) : [],
      ),
    ),
  ];
}

function parseAliases(
  value: unknown,
  declared: readonly string[],
  findings: Findings,
): Record<string, string> {
  if (value === undefined) return {};
  if (!isPlainObject(value)) {
    findings.error(
      'aliases must be an object of {"what models send": "declared parameter"}',
      'aliases',
    );
    return {};
  }
  for (const [alias, name] of Object.entries(value)) {
    if (typeof name !== 'string' || !declared.includes(name))
      findings.error(
        `aliases.${alias} points to ${JSON.stringify(name)}, which is not a parameter`,
        alias,
      );
    if (declared.includes(alias))
      findings.error(`aliases.${alias} is a parameter itself; remove the alias`, alias);
  }
  return value as Record<string, string>;
}

function parseError(row: Record<string, unknown>, findings: Findings): DeclaredError[] {
  unknownKeys(row, ['code', 'reason', 'retryable', 'message'], 'errors[].', findings);
  if (isErrorCode(row['code'])) return [row as unknown as DeclaredError];
  findings.error(
    `errors[].code must be one of ${Object.keys(ERROR_CODES).join(', ')}; put finer grain into reason`,
    'errors',
  );
  return [];
}

function parseSecret(row: Record<string, unknown>, findings: Findings): SecretDeclaration[] {
  const fits =
    typeof row['name'] === 'string' &&
    /^[A-Za-z_]\w*$/.test(row['name']) &&
    typeof row['env'] === 'string' &&
    /^[A-Z_][A-Z0-9_]*$/.test(row['env']);
  if (fits) return [row as unknown as SecretDeclaration];
  findings.error(
    'secrets[] needs a name (letters and digits) and env (an environment variable in capitals)',
    'secrets',
  );
  return [];
}

function parseExample(row: Record<string, unknown>, findings: Findings): Example[] {
  if (isPlainObject(row['input'])) {
    const { description = '', input, output } = row;
    return [
      {
        description: String(description),
        input: input as JsonObject,
        ...(output === undefined ? {} : { output: output as Json }),
      },
    ];
  }
  findings.error('examples[].input must be an object of parameters', 'examples');
  return [];
}

function parseDependency(row: Record<string, unknown>, findings: Findings): Dependency[] {
  unknownKeys(row, ['skill', 'minVersion'], 'dependencies[].', findings);
  const { skill, minVersion = '0.0.0' } = row;
  if (
    typeof skill === 'string' &&
    isSkillName(skill) &&
    typeof minVersion === 'string' &&
    parseVersion(minVersion) !== undefined
  )
    return [{ skill, minVersion }];
  findings.error(
    'dependencies[] needs skill ("domain.action") and minVersion ("1.0.0")',
    'dependencies',
  );
  return [];
}
