import { has, isPlainObject, type JsonObject } from '../../base/json.ts';
import { compilePattern } from './pattern.ts';

/** Something in a schema that makes it unusable: where (JSON pointer) and what to do. */
export interface SchemaFault {
  readonly path: string;
  readonly message: string;
}

/** What a schema may cost at most; a larger one is refused before anything compiles it. */
export const SCHEMA_LIMITS = { nodes: 5_000, depth: 64, characters: 512 * 1024 } as const;

const TYPES = new Set(['string', 'number', 'integer', 'boolean', 'object', 'array', 'null']);
const ONE = [
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
];
const MANY = ['allOf', 'anyOf', 'oneOf', 'prefixItems'];
const NAMED = ['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas'];
const NUMBERS = ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'];
const COUNTS = [
  'minLength',
  'maxLength',
  'minItems',
  'maxItems',
  'minProperties',
  'maxProperties',
  'minContains',
  'maxContains',
];
const DATA = ['enum', 'const', 'default', 'examples'];

/**
 * Finds what makes a JSON Schema 2020-12 unusable or dangerous, without compiling it: wrong keyword
 * values, references that leave the document, patterns that can hang, sizes over `SCHEMA_LIMITS`.
 * Walks iteratively, so that no nesting can exhaust the stack; an empty list means usable.
 */
export function schemaFaults(schema: unknown): readonly SchemaFault[] {
  const walk = new Walk(schema);
  walk.run();
  return walk.faults;
}

class Walk {
  readonly faults: SchemaFault[] = [];
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

  #push(value: unknown, path: string, at: { depth: number; data?: boolean }): void {
    this.#open.push({ value, path, depth: at.depth + 1, data: at.data ?? false });
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
      this.#push(child, `${path}/${key}`, { depth, data: true });
    }
  }

  #schema(value: unknown, path: string, depth: number): void {
    if (typeof value === 'boolean') return;
    if (!isPlainObject(value)) return this.#fault(path, 'a schema is an object or a boolean');
    this.#keywords(value, path);
    for (const key of Object.keys(value)) this.#characters += key.length;
    for (const key of ONE) if (has(value, key)) this.#push(value[key], `${path}/${key}`, { depth });
    for (const key of DATA)
      if (has(value, key)) this.#push(value[key], `${path}/${key}`, { depth, data: true });
    for (const key of MANY) {
      if (!has(value, key)) continue;
      const list = value[key];
      if (!Array.isArray(list) || list.length === 0)
        this.#fault(`${path}/${key}`, `${key} is a non-empty array of schemas`);
      else
        for (const [index, child] of list.entries())
          this.#push(child, `${path}/${key}/${index}`, { depth });
    }
    for (const key of NAMED) if (has(value, key)) this.#named(value[key], `${path}/${key}`, depth);
  }

  #named(value: unknown, path: string, depth: number): void {
    if (!isPlainObject(value)) return this.#fault(path, 'is an object of schemas by name');
    for (const [name, child] of Object.entries(value)) {
      this.#characters += name.length;
      if (name === '__proto__')
        this.#fault(path, '__proto__ cannot be a name here; choose another');
      if (path.endsWith('/patternProperties')) this.#pattern(name, path);
      this.#push(child, `${path}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`, { depth });
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

  #keywords(schema: Record<string, unknown>, path: string): void {
    const at = (key: string): string => `${path}/${key}`;
    if (has(schema, 'type')) {
      const types = Array.isArray(schema['type']) ? schema['type'] : [schema['type']];
      if (types.length === 0 || !types.every((type) => TYPES.has(type as string))) {
        this.#fault(at('type'), `type is one of ${[...TYPES].join(', ')}, or an array of them`);
      }
    }
    if (has(schema, 'required') && !isStrings(schema['required']))
      this.#fault(at('required'), 'required is an array of names');
    if (has(schema, 'enum') && (!Array.isArray(schema['enum']) || schema['enum'].length === 0)) {
      this.#fault(at('enum'), 'enum is a non-empty array');
    }
    if (has(schema, 'pattern')) this.#pattern(schema['pattern'], at('pattern'));
    for (const key of NUMBERS) {
      const bad = typeof schema[key] !== 'number' || (key === 'multipleOf' && !(schema[key] > 0));
      if (has(schema, key) && bad)
        this.#fault(
          at(key),
          `${key} is a ${key === 'multipleOf' ? 'positive ' : ''}number (JSON Schema 2020-12)`,
        );
    }
    for (const key of COUNTS) {
      if (has(schema, key) && !(Number.isInteger(schema[key]) && (schema[key] as number) >= 0))
        this.#fault(at(key), `${key} is a whole number, 0 or more`);
    }
    for (const key of ['$ref', '$dynamicRef'])
      if (has(schema, key)) this.#reference(schema[key], at(key));
  }

  #reference(reference: unknown, path: string): void {
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

/** The value a JSON pointer (RFC 6901, percent-encoding tolerated) leads to; undefined when there is none. */
export function resolvePointer(root: unknown, pointer: string): unknown {
  let value = root;
  for (const raw of pointer.split('/').slice(1)) {
    const token = decode(raw).replaceAll('~1', '/').replaceAll('~0', '~');
    if (typeof value !== 'object' || value === null || !has(value, token)) return undefined;
    value = (value as JsonObject)[token];
  }
  return value;
}

function decode(token: string): string {
  try {
    return decodeURIComponent(token);
  } catch {
    return token;
  }
}
