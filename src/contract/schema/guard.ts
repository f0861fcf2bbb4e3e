import { isPlainObject, type JsonObject } from '../../base/json.ts';
import { compilePattern } from './pattern.ts';
import { referenceFaults } from './reference-faults.ts';
import { resolvePointer } from './resolve-pointer.ts';
import type { SchemaFault } from './schema-fault.ts';

/** What a schema may cost at most; a larger one is refused before anything compiles it. */
export const SCHEMA_LIMITS = { nodes: 5_000, depth: 64, characters: 512 * 1024 } as const;

const TYPES = new Set(['string', 'number', 'integer', 'boolean', 'object', 'array', 'null']);
const KEYS = {
  type: ['type'],
  required: ['required'],
  pattern: ['pattern'],
  reference: ['$ref', '$dynamicRef'],
  one: [
    'additionalProperties',
    'items',
    'contains',
    'propertyNames',
    'not',
    'if',
    'then',
    'else',
    'unevaluatedProperties',
    'unevaluatedItems',
  ],
  many: ['allOf', 'anyOf', 'oneOf', 'prefixItems'],
  named: ['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas'],
  number: ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'],
  count: [
    'minLength',
    'maxLength',
    'minItems',
    'maxItems',
    'minProperties',
    'maxProperties',
    'minContains',
    'maxContains',
  ],
  data: ['enum', 'const', 'default', 'examples'],
} as const;

type Kind = keyof typeof KEYS;

interface Keyword {
  readonly key: string;
  readonly kind: Kind;
}

// One look a key that is there, not one a keyword there is: libraries are judged whole at start.
const KEYWORDS: ReadonlyMap<string, Keyword> = new Map(
  Object.entries(KEYS).flatMap(([kind, keys]) =>
    keys.map((key) => [key, { key, kind: kind as Kind }] as const),
  ),
);

/**
 * Finds what makes a JSON Schema 2020-12 unusable or dangerous, without compiling it: wrong keyword
 * values, references that leave the document, patterns that can hang, sizes over `SCHEMA_LIMITS`.
 * Walks iteratively, so that no nesting can exhaust the stack; an empty list means that it compiles.
 */
export function schemaFaults(schema: unknown): readonly SchemaFault[] {
  const walk = new Walk(schema);
  walk.run();
  if (walk.faults.length > 0 || !walk.references) return walk.faults;
  return referenceFaults(schema as JsonObject);
}

class Walk {
  readonly faults: SchemaFault[] = [];
  /** True when there is a reference to judge. */
  references = false;
  readonly #root: unknown;
  readonly #open: { value: unknown; path: string; depth: number; data: boolean }[];
  #nodes = 0;
  #characters = 0;

  constructor(root: unknown) {
    this.#root = root;
    this.#open = [{ value: root, path: '', depth: 0, data: false }];
  }

  run(): void {
    for (let next = this.#open.pop(); next !== undefined; next = this.#open.pop()) {
      const { value, path, depth, data } = next;
      if (!this.#affordable(value, path, depth)) return;
      if (data) this.#children(value, path, depth);
      else this.#schema(value, path, depth);
      if (this.faults.length >= 20) return;
    }
  }

  #fault(path: string, message: string): void {
    this.faults.push({ path, message });
  }

  #push(value: unknown, path: string, depth: number, data = false): void {
    this.#open.push({ value, path, depth: depth + 1, data });
  }

  #affordable(value: unknown, path: string, depth: number): boolean {
    this.#nodes++;
    if (typeof value === 'string') this.#characters += value.length;
    const over =
      this.#nodes > SCHEMA_LIMITS.nodes
        ? `has over ${SCHEMA_LIMITS.nodes} nodes`
        : depth > SCHEMA_LIMITS.depth
          ? `is nested deeper than ${SCHEMA_LIMITS.depth}`
          : this.#characters > SCHEMA_LIMITS.characters
            ? `has over ${SCHEMA_LIMITS.characters} characters`
            : undefined;
    if (over !== undefined)
      this.#fault(
        path.slice(0, 200),
        `the schema ${over}; split the skill or simplify its parameters`,
      );
    return over === undefined;
  }

  #children(value: unknown, path: string, depth: number): void {
    if (typeof value !== 'object' || value === null) return;
    for (const [key, child] of Object.entries(value)) {
      this.#characters += key.length;
      this.#push(child, `${path}/${key}`, depth, true);
    }
  }

  #schema(value: unknown, path: string, depth: number): void {
    if (typeof value === 'boolean') return;
    if (!isPlainObject(value)) return this.#fault(path, 'a schema is an object or a boolean');
    for (const key of Object.keys(value)) {
      this.#characters += key.length;
      const keyword = KEYWORDS.get(key);
      if (keyword !== undefined) this.#keyword(keyword, value[key], `${path}/${key}`, depth);
    }
  }

  #keyword({ key, kind }: Keyword, value: unknown, path: string, depth: number): void {
    switch (kind) {
      case 'type':
        return this.#type(value, path);
      case 'required':
        if (!isStrings(value)) this.#fault(path, 'required is an array of names');
        return;
      case 'pattern':
        return this.#pattern(value, path);
      case 'reference':
        return this.#reference(value, path);
      case 'one':
        return this.#push(value, path, depth);
      case 'many':
        if (!Array.isArray(value) || value.length === 0)
          return this.#fault(path, `${key} is a non-empty array of schemas`);
        for (const [index, child] of value.entries()) this.#push(child, `${path}/${index}`, depth);
        return;
      case 'named':
        return this.#named(value, path, depth);
      case 'number':
        if (typeof value !== 'number' || (key === 'multipleOf' && !(value > 0)))
          this.#fault(
            path,
            `${key} is a ${key === 'multipleOf' ? 'positive ' : ''}number (JSON Schema 2020-12)`,
          );
        return;
      case 'count':
        if (!Number.isInteger(value) || (value as number) < 0)
          this.#fault(path, `${key} is a whole number, 0 or more`);
        return;
      case 'data':
        if (key === 'enum' && (!Array.isArray(value) || value.length === 0))
          this.#fault(path, 'enum is a non-empty array');
        this.#push(value, path, depth, true);
    }
  }

  #type(value: unknown, path: string): void {
    const types = Array.isArray(value) ? value : [value];
    if (types.length === 0 || !types.every((type) => TYPES.has(type as string)))
      this.#fault(path, `type is one of ${[...TYPES].join(', ')}, or an array of them`);
  }

  #named(value: unknown, path: string, depth: number): void {
    if (!isPlainObject(value)) return this.#fault(path, 'is an object of schemas by name');
    for (const [name, child] of Object.entries(value)) {
      this.#characters += name.length;
      if (name === '__proto__')
        this.#fault(path, '__proto__ cannot be a name here; choose another');
      if (path.endsWith('/patternProperties')) this.#pattern(name, path);
      this.#push(child, `${path}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`, depth);
    }
  }

  #pattern(source: unknown, path: string): void {
    if (typeof source !== 'string') return this.#fault(path, 'a pattern is a string');
    try {
      compilePattern(source);
    } catch (error) {
      this.#fault(path, error instanceof Error ? error.message : String(error));
    }
  }

  #reference(reference: unknown, path: string): void {
    this.references = true;
    if (typeof reference !== 'string' || !reference.startsWith('#')) {
      return this.#fault(
        path,
        'only references inside the document (#/$defs/...) are followed; copy the schema in',
      );
    }
    if (reference !== '#' && reference.startsWith('#/') && !resolves(this.#root, reference)) {
      this.#fault(
        path,
        `${JSON.stringify(reference.slice(0, 100))} points to nothing in this schema`,
      );
    }
  }
}

function isStrings(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((item) => typeof item === 'string');
}

function resolves(root: unknown, reference: string): boolean {
  return resolvePointer(root, reference.slice(1)) !== undefined;
}
