import { has, isPlainObject, type Json, type JsonObject } from '../../base/json.ts';
import type { Violation } from '../execution-context.ts';
import { compilePattern, type Pattern } from './pattern.ts';
import { partsOf, typesOf, typesOfValue, type TypeName } from './types-of.ts';
import { cleanLoose, unknownField, type Report } from './unknown-fields.ts';

/** Parameters made to fit, what was changed, and what cannot be mended without guessing. */
export interface Cleaned {
  readonly params: JsonObject;
  readonly warnings: readonly string[];
  readonly violations: readonly Violation[];
}

/** How a contract wants its parameters cleaned. */
export interface CleanRules {
  readonly aliases: Readonly<Record<string, string>>;
  /** Values for absent parameters that go before the schema's own defaults. */
  readonly defaults: JsonObject;
  /** On a write no field may be dropped: its absence could change what is written. */
  readonly write: boolean;
}

/** Cleans the parameters of one call; returns the very object given when nothing had to change. */
export type Cleaner = (params: JsonObject) => Cleaned;

const NOTHING: readonly never[] = [];

interface Plan {
  readonly types: ReadonlySet<TypeName>;
  /** `typeof` of a value that needs no look at all. */
  readonly plain: 'string' | 'number' | 'boolean' | undefined;
  /** The texts of an enumeration by what is left of them without case and white space around. */
  readonly texts: ReadonlyMap<string, string> | undefined;
  readonly members: Members | undefined;
  readonly items: Plan | undefined;
}

interface Member {
  readonly plan: Plan;
  readonly absentWhenNull: boolean;
}

interface Members {
  readonly declared: ReadonlyMap<string, Member>;
  readonly patterns: readonly Pattern[];
  readonly open: boolean;
  readonly defaults: readonly (readonly [string, Json])[];
}

/**
 * Compiles the cleaning of one contract: aliases, null for absent, text that holds the number, boolean
 * or JSON the schema asks for, defaults, and unknown fields, in that order. Cleaning twice changes
 * nothing more, and a valid call keeps its meaning.
 */
export function compileCleaner(schema: JsonObject, rules: CleanRules): Cleaner {
  const plans = new Map<object, Plan>();
  const root = compilePlan(schema, schema, plans);
  const members = withDefaults(root.members ?? NO_MEMBERS, rules.defaults);
  const aliases = Object.entries(rules.aliases);
  return (given) => {
    const report: Report = { write: rules.write, warnings: undefined, violations: undefined };
    const renamed = aliases.length === 0 ? given : rename(given, aliases, report);
    const params = cleanObject(renamed, members, '', report) as JsonObject;
    return {
      params,
      warnings: report.warnings ?? NOTHING,
      violations: report.violations ?? NOTHING,
    };
  };
}

const NO_MEMBERS: Members = { declared: new Map(), patterns: [], open: false, defaults: [] };

function withDefaults(members: Members, business: JsonObject): Members {
  const own = Object.entries(business)
    .filter(([name]) => members.declared.has(name) || members.open)
    .map(
      ([name, value]) =>
        [name, cleanValue(value, members.declared.get(name)?.plan, '', noReport())] as const,
    );
  return {
    ...members,
    defaults: [...own, ...members.defaults.filter(([name]) => !has(business, name))],
  };
}

function noReport(): Report {
  return { write: false, warnings: undefined, violations: undefined };
}

function compilePlan(node: unknown, root: JsonObject, plans: Map<object, Plan>): Plan {
  if (!isPlainObject(node)) return ANYTHING;
  const known = plans.get(node);
  if (known !== undefined) return known;
  const types = typesOf(node, root);
  const texts = textsOf(node);
  const plan: { -readonly [Key in keyof Plan]: Plan[Key] } = {
    types,
    plain: texts === undefined ? plainType(types) : undefined,
    texts,
    members: undefined,
    items: undefined,
  };
  plans.set(node, plan);
  const parts = partsOf(node, root);
  if (types.has('object')) plan.members = compileMembers(parts, root, plans);
  if (types.has('array')) {
    const items = parts.filter((part) => isPlainObject(part['items'])).map((part) => part['items']);
    // Two opinions on the items leave no single way to clean them.
    if (items.length === 1) plan.items = compilePlan(items[0], root, plans);
  }
  return plan;
}

const ANYTHING: Plan = {
  types: typesOf({}, {}),
  plain: undefined,
  texts: undefined,
  members: undefined,
  items: undefined,
};

/** Undefined where nothing is enumerated; members that differ in case only stand for themselves. */
function textsOf({
  enum: values,
}: Record<string, unknown>): ReadonlyMap<string, string> | undefined {
  if (!Array.isArray(values)) return undefined;
  const texts = values.filter((value) => typeof value === 'string');
  const folded = Map.groupBy(texts, fold);
  const exact = texts.map((text) => [text, text] as const);
  const alone = [...folded].flatMap(([text, members]): (readonly [string, string])[] =>
    members.length === 1 && members[0] !== undefined ? [[text, members[0]]] : [],
  );
  return new Map([...alone, ...exact]);
}

function fold(text: string): string {
  return text.trim().toLowerCase();
}

function plainType(types: ReadonlySet<TypeName>): Plan['plain'] {
  if (types.has('string')) return 'string';
  if (types.has('number')) return 'number';
  return types.has('boolean') && types.size === 1 ? 'boolean' : undefined;
}

function compileMembers(
  parts: readonly Record<string, unknown>[],
  root: JsonObject,
  plans: Map<object, Plan>,
): Members | undefined {
  const schemas = new Map<string, unknown[]>();
  const required = new Set<string>();
  const patterns: Pattern[] = [];
  let open = false;
  for (const part of parts) {
    for (const [name, child] of Object.entries(
      (part['properties'] as JsonObject | undefined) ?? {},
    )) {
      schemas.set(name, [...(schemas.get(name) ?? []), child]);
    }
    for (const name of (part['required'] as string[] | undefined) ?? []) required.add(name);
    for (const source of Object.keys((part['patternProperties'] as JsonObject | undefined) ?? {}))
      patterns.push(compilePattern(source));
    for (const key of ['additionalProperties', 'unevaluatedProperties']) {
      if (part[key] === true || isPlainObject(part[key])) open = true;
    }
  }
  // An object about which nothing is said takes anything; only the root is closed even then.
  const silent = schemas.size === 0 && patterns.length === 0 && !open;
  if (silent && parts.every((part) => part['additionalProperties'] !== false)) return undefined;
  const declared = new Map<string, Member>();
  const defaults: (readonly [string, Json])[] = [];
  for (const [name, opinions] of schemas) {
    const plan = compilePlan(
      opinions.length === 1 ? opinions[0] : { anyOf: opinions as Json[] },
      root,
      plans,
    );
    const standard = opinions.find(
      (child) => isPlainObject(child) && has(child, 'default') && fitsType(child['default'], plan),
    ) as JsonObject | undefined;
    if (standard !== undefined)
      defaults.push([name, cleanValue(standard['default'] as Json, plan, '', noReport())]);
    declared.set(name, {
      plan,
      absentWhenNull: !plan.types.has('null') && (!required.has(name) || standard !== undefined),
    });
  }
  return { declared, patterns, open, defaults };
}

/** Generators write `"default": null` where null is not allowed, and the like: filled in, it would break every call. */
function fitsType(standard: unknown, plan: Plan): boolean {
  const value = cleanValue(standard as Json, plan, '', noReport());
  return typesOfValue(value).some((type) => plan.types.has(type));
}

function rename(
  given: JsonObject,
  aliases: readonly (readonly [string, string])[],
  report: Report,
): JsonObject {
  let params = given;
  for (const [alias, name] of aliases) {
    if (!has(params, alias)) continue;
    if (params === given) params = { ...given };
    const value = params[alias] as Json;
    delete params[alias];
    if (!has(params, name) || params[name] === null) {
      params[name] = value;
    } else if (value !== null && JSON.stringify(params[name]) !== JSON.stringify(value)) {
      const message = `${alias} is another name of ${name}, and the two have different values`;
      if (report.write)
        (report.violations ??= []).push({
          path: `/${alias}`,
          rule: 'alias',
          message,
          suggestion: `send ${name} alone`,
        });
      else (report.warnings ??= []).push(`${message}; ${name} was used.`);
    }
  }
  return params;
}

function cleanObject(value: JsonObject, members: Members, path: string, report: Report): Json {
  let copy: JsonObject | undefined;
  for (const key of Object.keys(value)) {
    const member = members.declared.get(key);
    const child = value[key] as Json;
    if (member === undefined) {
      if (
        key !== '__proto__' &&
        (members.open || members.patterns.some((pattern) => pattern.test(key)))
      ) {
        const loose = cleanLoose(child, path === '' ? key : `${path}.${key}`, report);
        if (loose !== child) (copy ??= { ...value })[key] = loose;
        continue;
      }
      if (unknownField(key, members.declared.keys(), path, report))
        delete (copy ??= { ...value })[key];
      continue;
    }
    if (typeof child === member.plan.plain) continue;
    if (child === undefined || (child === null && member.absentWhenNull)) {
      delete (copy ??= { ...value })[key];
      continue;
    }
    const clean = cleanValue(child, member.plan, path === '' ? key : `${path}.${key}`, report);
    if (clean !== child) (copy ??= { ...value })[key] = clean;
  }
  const result = copy ?? value;
  for (const [key, standard] of members.defaults) {
    if (has(result, key)) continue;
    copy ??= { ...value };
    copy[key] = typeof standard === 'object' ? structuredClone(standard) : standard;
  }
  return copy ?? value;
}

function cleanValue(value: Json, plan: Plan | undefined, path: string, report: Report): Json {
  if (plan === undefined) return cleanLoose(value, path, report);
  if (typeof value === plan.plain) return value;
  if (typeof value === 'string' && plan.texts !== undefined && plan.types.has('string'))
    return plan.texts.get(value) ?? plan.texts.get(fold(value)) ?? value;
  const fitting =
    typeof value === 'string' && !plan.types.has('string') ? fromText(value, plan.types) : value;
  if (Array.isArray(fitting)) {
    const { items } = plan;
    if (items === undefined) return cleanLoose(fitting, path, report);
    let copy: Json[] | undefined;
    for (let index = 0; index < fitting.length; index++) {
      const item = fitting[index] as Json;
      const clean = cleanValue(item, items, `${path}.${index}`, report);
      if (clean !== item) (copy ??= [...fitting])[index] = clean;
    }
    return copy ?? fitting;
  }
  if (typeof fitting !== 'object' || fitting === null) return fitting;
  if (plan.members === undefined) return cleanLoose(fitting, path, report);
  return cleanObject(fitting, plan.members, path, report);
}

const NUMBER = /^-?(?:0|[1-9]\d{0,30})(?:\.\d{1,30})?(?:[eE][+-]?\d{1,3})?$/;

/** The value a text spells, when the schema takes no text and the spelling leaves no doubt; else the text. */
function fromText(text: string, types: ReadonlySet<TypeName>): Json {
  const trimmed = text.trim();
  if ((types.has('number') || types.has('integer')) && NUMBER.test(trimmed)) {
    const number = Number(trimmed);
    const whole = !types.has('number') || !/[.eE]/.test(trimmed);
    if (Number.isFinite(number) && (!whole || Number.isSafeInteger(number))) return number;
  }
  if (types.has('boolean') && /^(?:true|false)$/i.test(trimmed))
    return trimmed.toLowerCase() === 'true';
  const opening = trimmed[0];
  if ((opening === '{' && types.has('object')) || (opening === '[' && types.has('array'))) {
    try {
      return JSON.parse(trimmed) as Json;
    } catch {
      return text;
    }
  }
  return text;
}
