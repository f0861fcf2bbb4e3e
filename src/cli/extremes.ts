import { has, isPlainObject, type Json, type JsonObject } from '../base/json.ts';
import { nearest } from '../base/nearest.ts';
import type { Contract } from '../contract/contract.ts';
import { buildExample } from '../contract/schema/example.ts';
import { compilePattern } from '../contract/schema/pattern.ts';
import { follow, typesOf, type TypeName } from '../contract/schema/types-of.ts';

/** Parameters that a contract's own words forbid. */
export interface Extreme {
  /** What is wrong with them. */
  readonly label: string;
  readonly params: JsonObject;
}

type Schema = Readonly<Record<string, unknown>>;

/**
 * Every way to break a contract one parameter at a time, starting from a call that is valid: missing,
 * null, of another type, outside its enum, bounds, pattern or format, and fields nobody declared.
 * Whatever cleaning may mend (a number as text, an absent optional) is not among them.
 */
export function extremesOf(
  contract: Contract,
  valid: JsonObject,
  defaults: JsonObject,
): readonly Extreme[] {
  const walk = new Walk(contract, valid);
  walk.object(contract.parameters, [], { value: valid, defaults });
  return walk.found;
}

const MAX_DEPTH = 4;

class Walk {
  readonly found: Extreme[] = [];
  readonly #contract: Contract;
  readonly #valid: JsonObject;

  constructor(contract: Contract, valid: JsonObject) {
    this.#contract = contract;
    this.#valid = valid;
  }

  object(
    node: unknown,
    path: readonly string[],
    at: { readonly value: JsonObject; readonly defaults: JsonObject },
  ): void {
    const parts = this.#parts(node);
    const required = new Set(
      parts.flatMap((part) => (part['required'] as string[] | undefined) ?? []),
    );
    const members = Object.assign({}, ...parts.map((part) => part['properties'])) as Record<
      string,
      unknown
    >;
    this.#unknown(parts, Object.keys(members), path);
    for (const [name, child] of Object.entries(members)) {
      const here = [...path, name];
      const standard =
        has(at.defaults, name) || this.#parts(child).some((part) => has(part, 'default'));
      if (required.has(name) && !standard) {
        this.#add('is missing', here, undefined);
        if (!typesOf(child, this.#contract.parameters).has('null'))
          this.#add('is null', here, null);
      }
      this.#member(child, here, at.value[name]);
    }
  }

  #member(node: unknown, path: readonly string[], given: Json | undefined): void {
    const root = this.#contract.parameters;
    const types = typesOf(node, root);
    for (const wrong of wrongTypes(types))
      this.#add(`is ${Array.isArray(wrong) ? 'array' : typeof wrong}`, path, wrong);
    for (const part of this.#parts(node)) {
      for (const [label, wrong] of outside(part, types)) this.#add(label, path, wrong);
    }
    if (path.length >= MAX_DEPTH) return;
    const value = given ?? buildExample({ ...follow(node, root), $defs: root['$defs'] ?? {} });
    if (isPlainObject(value) && types.has('object'))
      this.object(node, path, { value, defaults: {} });
    if (!Array.isArray(value) || value.length === 0) return;
    for (const part of this.#parts(node))
      if (isPlainObject(part['items'])) this.#member(part['items'], [...path, '0'], value[0]);
  }

  /** What surely holds for a value: the schema itself and what it demands besides, no branches. */
  #parts(node: unknown): readonly Schema[] {
    const schema = follow(node, this.#contract.parameters);
    if (schema === undefined) return [];
    const all = Array.isArray(schema['allOf']) ? schema['allOf'] : [];
    return [schema, ...all.flatMap((part) => this.#parts(part))];
  }

  #unknown(parts: readonly Schema[], names: readonly string[], path: readonly string[]): void {
    const open = parts.some((part) =>
      ['additionalProperties', 'unevaluatedProperties', 'patternProperties'].some(
        (key) => part[key] === true || isPlainObject(part[key]),
      ),
    );
    // An object that declares nothing takes anything; only the parameters themselves are closed even then.
    if (open || (path.length > 0 && names.length === 0)) return;
    const taken = new Set([...names, ...Object.keys(this.#contract.aliases)]);
    if (this.#contract.side_effect.kind === 'write')
      this.#add('is not declared', [...path, 'zz_unheard_of'], 1);
    for (const name of names.slice(0, 1)) {
      const miss = `${name}_x`;
      if (!taken.has(miss) && nearest(miss, names, 1).length > 0)
        this.#add('is a near miss', [...path, miss], 1);
    }
  }

  #add(label: string, path: readonly string[], value: Json | undefined): void {
    const params = structuredClone(this.#valid);
    if (put(params, path, value)) this.found.push({ label: `${path.join('.')} ${label}`, params });
  }
}

/** Sets or, with undefined, removes what a path leads to; false when the valid call does not lead there. */
function put(root: JsonObject, path: readonly string[], value: Json | undefined): boolean {
  let target: Json | undefined = root;
  for (const key of path.slice(0, -1)) {
    if (typeof target !== 'object' || target === null) return false;
    target = (target as JsonObject)[key];
  }
  const last = path.at(-1);
  if (typeof target !== 'object' || target === null || last === undefined) return false;
  if (value === undefined) delete (target as JsonObject)[last];
  else (target as JsonObject)[last] = value;
  return true;
}

/** Values of types the schema does not take and that no cleaning turns into one it takes. */
function wrongTypes(types: ReadonlySet<TypeName>): readonly Json[] {
  const wrong: Json[] = [];
  if (!types.has('string')) wrong.push('not a value');
  else if (!types.has('integer')) wrong.push(12_345);
  if (!types.has('boolean')) wrong.push(true);
  if (!types.has('object')) wrong.push({});
  else if (!types.has('array')) wrong.push([]);
  return wrong;
}

const FORMATS = new Set([
  'date',
  'date-time',
  'time',
  'email',
  'uri',
  'uuid',
  'ipv4',
  'ipv6',
  'hostname',
]);

function outside(
  schema: Schema,
  types: ReadonlySet<TypeName>,
): readonly (readonly [string, Json])[] {
  const cases: [string, Json][] = [];
  if (Array.isArray(schema['enum']))
    cases.push(['is outside the enum', types.has('string') ? 'no such value' : 987_654_321]);
  if (types.has('integer')) cases.push(...outsideBounds(schema));
  if (types.has('string')) cases.push(...outsideText(schema));
  const { minItems, maxItems } = schema as { minItems?: number; maxItems?: number };
  if (types.has('array') && minItems !== undefined && minItems > 0)
    cases.push(['has too few items', []]);
  if (types.has('array') && maxItems !== undefined && maxItems < 1000) {
    cases.push([
      'has too many items',
      Array.from({ length: maxItems + 1 }, () =>
        buildExample((schema['items'] ?? {}) as JsonObject),
      ),
    ]);
  }
  return cases;
}

function outsideBounds(schema: Schema): readonly [string, Json][] {
  const bound = (key: string): number | undefined => schema[key] as number | undefined;
  const [least, most] = [bound('minimum'), bound('maximum')];
  const [above, below] = [bound('exclusiveMinimum'), bound('exclusiveMaximum')];
  return [
    ...(least === undefined ? [] : [['is under the minimum', least - 1] as [string, Json]]),
    ...(most === undefined ? [] : [['is over the maximum', most + 1] as [string, Json]]),
    ...(above === undefined ? [] : [['is at the exclusive minimum', above] as [string, Json]]),
    ...(below === undefined ? [] : [['is at the exclusive maximum', below] as [string, Json]]),
  ];
}

function outsideText(schema: Schema): readonly [string, Json][] {
  const cases: [string, Json][] = [];
  const { minLength, maxLength, pattern, format } = schema as Partial<
    Record<'minLength' | 'maxLength', number> & Record<'pattern' | 'format', string>
  >;
  if (minLength !== undefined && minLength > 0)
    cases.push(['is too short', 'x'.repeat(minLength - 1)]);
  if (maxLength !== undefined && maxLength < 100_000)
    cases.push(['is too long', 'x'.repeat(maxLength + 1)]);
  if (format !== undefined && FORMATS.has(format))
    cases.push([`is no ${format}`, 'no such thing!']);
  if (pattern !== undefined) {
    const matcher = compilePattern(pattern);
    const wrong = ['!', '', 'no such thing!', '\u0000'].find((text) => !matcher.test(text));
    if (wrong !== undefined) cases.push(['does not match the pattern', wrong]);
  }
  return cases;
}
