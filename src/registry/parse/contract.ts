import { has, isPlainObject, type JsonObject } from '../../base/json.ts';
import { nearest } from '../../base/nearest.ts';
import type {
  Contract,
  DeclaredError,
  Dependency,
  Example,
  ExecutorSpec,
  SecretDeclaration,
  SideEffect,
} from '../../contract/contract.ts';
import { declaredInputs } from '../../contract/declared-inputs.ts';
import { ERROR_CODES } from '../../contract/error.ts';
import { isSkillName } from '../../contract/name.ts';
import { schemaFaults } from '../../contract/schema/guard.ts';
import type { Problem } from '../snapshot.ts';
import { parseExecutor } from './executor.ts';
import { checkExpressions, checkHttpReferences } from './http-references.ts';
import { Findings } from './findings.ts';
import { escapeToken, type Locator } from './locator.ts';
import { parameterNames } from './parameter-names.ts';
import { parseFallback, parsePolicy } from './policy.ts';
import { parseRules } from './rules.ts';
import {
  ANY,
  fits,
  FLAG,
  LIST,
  OBJECT,
  oneOf,
  required,
  rows,
  SKILL,
  TEXT,
  TEXT_MAP,
  TEXTS,
  VERSION,
  type Field,
  type Shape,
} from './shape.ts';

/** What is known about a contract from outside its file. */
export interface ContractContext {
  /** The name the skill must have, from its folder; the contract's own when absent. */
  readonly name?: string;
  /** From SKILL.md. */
  readonly description?: string;
  /** From the files found beside it. */
  readonly executor?: ExecutorSpec;
  readonly file?: string;
  /** Finds lines in the file. */
  readonly locate?: Locator;
  /** Whether a key that nobody reads is an error. Default false: a warning. */
  readonly strict?: boolean;
}

/** A contract, or why there is none; warnings come with either. */
export interface ParsedContract {
  readonly contract?: Contract;
  readonly problems: readonly Problem[];
}

const IDENTIFIER: Field = {
  is: (value) => typeof value === 'string' && /^[A-Za-z_]\w*$/.test(value),
  says: 'letters, digits and _',
};
const CONTRACT: Shape = {
  $schema: ANY,
  name: TEXT,
  version: required(VERSION),
  title: TEXT,
  description: TEXT,
  tags: TEXTS,
  purpose: required({ ...TEXT, says: 'the intent under which to call the skill' }),
  preconditions: TEXTS,
  related: TEXTS,
  side_effect: required({
    ...OBJECT,
    says: 'what the skill changes, such as {"kind": "none"} or {"kind": "write", "targets": ["database"]}; without it the skill is not exposed',
  }),
  parameters: required({
    ...OBJECT,
    says: 'a JSON Schema, at least {"type": "object", "properties": {}}',
  }),
  returns: { ...OBJECT, says: 'a JSON Schema' },
  rules: ANY,
  aliases: {
    ...TEXT_MAP,
    says: 'an object of {"what models send": "declared parameter"}',
  },
  errors: LIST,
  secrets: LIST,
  examples: LIST,
  queries: TEXTS,
  dependencies: LIST,
  permissions: TEXTS,
  policy: OBJECT,
  fallback: OBJECT,
  executor: OBJECT,
};
const SIDE_EFFECT: Shape = {
  kind: required(oneOf(['none', 'read', 'write'])),
  targets: TEXTS,
  idempotent: FLAG,
  destructive: FLAG,
  reversed_by: SKILL,
};
const ERROR: Shape = {
  code: required(oneOf(Object.keys(ERROR_CODES))),
  reason: TEXT,
  retryable: FLAG,
  message: TEXT,
};
const SECRET: Shape = {
  name: required(IDENTIFIER),
  env: required({ ...IDENTIFIER, says: 'the name of an environment variable' }),
  description: TEXT,
};
const EXAMPLE: Shape = {
  description: TEXT,
  input: required({ ...OBJECT, says: 'an object of parameters' }),
  output: ANY,
};
const DEPENDENCY: Shape = { skill: required(SKILL), minVersion: VERSION };

/** Reads a contract from parsed JSON; every problem says what is wrong, where, and what to do. */
export function parseContract(value: unknown, context: ContractContext = {}): ParsedContract {
  const own = isPlainObject(value) && typeof value['name'] === 'string' ? value['name'] : undefined;
  const name = context.name ?? own ?? '';
  const findings = new Findings({ ...context, skill: name || '(unnamed)' });
  const { problems } = findings;
  if (!isPlainObject(value)) {
    findings.error('', 'A contract is one JSON object');
    return { problems };
  }
  fits(value, CONTRACT, '', findings);
  checkName(name, own, findings);
  const contract = readContract(value, { ...context, name }, findings);
  return findings.failed ? { problems } : { contract, problems };
}

function checkName(name: string, own: string | undefined, findings: Findings): void {
  if (!isSkillName(name))
    findings.error(
      '/name',
      `must be domain.action in letters, digits, - and _, at most 64 characters; ${JSON.stringify(name.slice(0, 80))} is not`,
    );
  else if (own !== undefined && own !== name)
    findings.error(
      '/name',
      `is ${JSON.stringify(own.slice(0, 80))}, but the folders say ${name}; make them agree, or leave name out`,
    );
}

function readContract(
  value: Record<string, unknown>,
  context: ContractContext & { readonly name: string },
  findings: Findings,
): Contract {
  const effect = value['side_effect'];
  if (isPlainObject(effect)) fits(effect, SIDE_EFFECT, '/side_effect', findings);
  const parameters = readSchema(value, 'parameters', findings);
  const declared = parameterNames(parameters);
  checkAliases(value['aliases'], declared, findings);
  const write = isPlainObject(effect) && effect['kind'] === 'write';
  const fallback = parseFallback(value['fallback'], findings);
  const inputs = declaredInputs(parameters);
  checkExpressions('/fallback/with', fallback?.with, inputs, findings);
  const list = (key: string): readonly string[] => (value[key] ?? []) as readonly string[];
  const objects = (key: string, shape: Shape): unknown => rows(value, key, shape, findings);
  const secrets = objects('secrets', SECRET) as readonly SecretDeclaration[];
  const executor = parseExecutor(value['executor'], context.executor, findings);
  if (isPlainObject(executor) && executor.kind === 'http') {
    const names = new Set(secrets.map((secret) => secret.name));
    checkHttpReferences(executor, { parameters: inputs, secrets: names }, findings);
  }
  return {
    name: context.name,
    version: value['version'] as string,
    ...(has(value, 'title') ? { title: value['title'] as string } : {}),
    description: readDescription(value, context, findings),
    tags: list('tags'),
    purpose: value['purpose'] as string,
    preconditions: list('preconditions'),
    related: list('related'),
    side_effect: effect as SideEffect,
    parameters,
    ...(has(value, 'returns') ? { returns: readSchema(value, 'returns', findings) } : {}),
    rules: parseRules(value['rules'], { declared, write }, findings),
    aliases: (value['aliases'] ?? {}) as Record<string, string>,
    errors: objects('errors', ERROR) as readonly DeclaredError[],
    secrets,
    examples: (objects('examples', EXAMPLE) as readonly Omit<Example, 'description'>[]).map(
      (row) => ({ description: '', ...row }),
    ),
    queries: list('queries'),
    dependencies: (
      objects('dependencies', DEPENDENCY) as readonly Omit<Dependency, 'minVersion'>[]
    ).map((row) => ({ minVersion: '0.0.0', ...row })),
    permissions: list('permissions'),
    policy: parsePolicy(value['policy'], '/policy', findings),
    ...(fallback === undefined ? {} : { fallback }),
    executor,
  };
}

function readDescription(
  value: Record<string, unknown>,
  context: ContractContext,
  findings: Findings,
): string {
  const description = has(value, 'description') ? value['description'] : context.description;
  if (description === undefined)
    findings.error(
      '/description',
      'is missing: say what the skill does, when to use it, what comes back and what it does not do',
    );
  return description as string;
}

function readSchema(
  value: Record<string, unknown>,
  key: 'parameters' | 'returns',
  findings: Findings,
): JsonObject {
  const schema = value[key];
  if (!isPlainObject(schema)) return {};
  for (const { path, message } of schemaFaults(schema))
    findings.error(`/${key}${path}`, `cannot be used: ${message}`);
  if (key === 'parameters' && schema['type'] !== 'object')
    findings.error('/parameters/type', 'must be "object"');
  return schema as JsonObject;
}

function checkAliases(value: unknown, declared: readonly string[], findings: Findings): void {
  for (const [alias, name] of isPlainObject(value) ? Object.entries(value) : []) {
    const pointer = `/aliases/${escapeToken(alias)}`;
    if (declared.includes(alias))
      findings.error(pointer, 'is a parameter itself; remove the alias');
    if (typeof name !== 'string' || declared.includes(name)) continue;
    const [close] = nearest(name, declared, 1);
    findings.error(
      pointer,
      `leads to ${JSON.stringify(name.slice(0, 80))}, which is no parameter; ${close === undefined ? 'declare it, or remove the alias' : `did you mean ${close}?`}`,
    );
  }
}
