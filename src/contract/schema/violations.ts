import type { ErrorObject } from 'ajv';
import { isPlainObject, type Json, type JsonObject } from '../../base/json.ts';
import { nearest } from '../../base/nearest.ts';
import type { Violation } from '../execution-context.ts';
import { resolvePointer } from './resolve-pointer.ts';

const MAX = 10;

/**
 * Turns a validator's findings into what a model can act on: where, which rule, what to send instead.
 * No received value is ever repeated, only names and what the schema itself says.
 */
export function describeViolations(
  errors: readonly ErrorObject[],
  schema: JsonObject,
  value: unknown,
): readonly Violation[] {
  // Branch findings repeat what the union's own finding says in one line.
  const unions = errors.filter((error) => error.keyword === 'anyOf' || error.keyword === 'oneOf');
  const told = errors.filter(
    (error) =>
      error.keyword !== 'if' &&
      !unions.some(
        (union) => union !== error && error.schemaPath.startsWith(`${union.schemaPath}/`),
      ),
  );
  const violations: Violation[] = [];
  for (const error of told.length > 0 ? told : errors) {
    const violation = describe(error, schema, value);
    const repeated = violations.some(
      (other) => other.path === violation.path && other.message === violation.message,
    );
    if (!repeated) violations.push(violation);
    if (violations.length === MAX) break;
  }
  return violations;
}

function describe(error: ErrorObject, schema: JsonObject, value: unknown): Violation {
  const params = error.params as Record<string, unknown>;
  const path = error.instancePath;
  const here = path === '' ? 'the parameters' : path.slice(1).replaceAll('/', '.');
  const inside = path === '' ? '' : `${path.slice(1).replaceAll('/', '.')}.`;
  const parent = parentSchema(error, schema);
  const say = (message: string, suggestion?: string, at = path): Violation => ({
    path: at,
    rule: error.keyword,
    message,
    ...(suggestion === undefined ? {} : { suggestion }),
  });
  switch (error.keyword) {
    case 'required': {
      const name = String(params['missingProperty']);
      const properties = isPlainObject(parent?.['properties']) ? parent['properties'] : {};
      return say(
        `${inside}${name} is missing`,
        `send ${inside}${name}: ${describeSchema(properties[name])}`,
        `${path}/${name}`,
      );
    }
    case 'additionalProperties':
    case 'unevaluatedProperties':
    case 'propertyNames': {
      const name = String(
        params['additionalProperty'] ?? params['unevaluatedProperty'] ?? params['propertyName'],
      );
      const properties = isPlainObject(parent?.['properties'])
        ? Object.keys(parent['properties'])
        : [];
      return say(
        `${inside}${name} is not a parameter here`,
        didYouMean(name, properties),
        `${path}/${name}`,
      );
    }
    case 'enum': {
      const allowed = (params['allowedValues'] as Json[]).slice(0, 30);
      const received = resolvePointer(value, path);
      const close =
        typeof received === 'string'
          ? nearest(
              received,
              allowed.filter((item) => typeof item === 'string'),
              1,
            )[0]
          : undefined;
      return say(
        `${here} must be one of ${allowed.map((item) => JSON.stringify(item)).join(', ')}`,
        close === undefined ? undefined : `did you mean ${JSON.stringify(close)}?`,
      );
    }
    case 'type':
      return say(
        resolvePointer(value, path) === null
          ? `${here} is null, and has to be ${[params['type']].flat().join(' or ')}`
          : `${here} must be ${[params['type']].flat().join(' or ')}`,
        `send ${describeSchema(parent)}`,
      );
    case 'format':
      return say(
        `${here} must be a valid ${String(params['format'])}`,
        formatExample(String(params['format'])),
      );
    case 'anyOf':
    case 'oneOf':
      return say(
        `${here} matches ${params['passingSchemas'] === null || error.keyword === 'anyOf' ? 'none' : 'more than one'} of the allowed forms`,
        `send ${describeSchema(parent)}`,
      );
    default:
      return say(
        `${here} ${error.message ?? 'is not valid'}`,
        parent === undefined ? undefined : `send ${describeSchema(parent)}`,
      );
  }
}

function parentSchema(error: ErrorObject, schema: JsonObject): Record<string, unknown> | undefined {
  const path = error.schemaPath.slice(1, error.schemaPath.lastIndexOf('/'));
  const parent = resolvePointer(schema, path);
  return isPlainObject(parent) ? parent : undefined;
}

/** One line of what a schema asks for: its type, bounds and meaning. */
export function describeSchema(schema: unknown): string {
  if (!isPlainObject(schema)) return 'a value as the contract describes';
  const parts: string[] = [];
  if (Array.isArray(schema['enum']))
    parts.push(
      `one of ${schema['enum']
        .slice(0, 12)
        .map((item) => JSON.stringify(item))
        .join(', ')}`,
    );
  else if (schema['type'] !== undefined)
    parts.push(
      (Array.isArray(schema['type']) ? schema['type'] : [schema['type']]).map(String).join(' or '),
    );
  const bounds = [
    'format',
    'pattern',
    'minimum',
    'maximum',
    'exclusiveMinimum',
    'exclusiveMaximum',
    'minLength',
    'maxLength',
    'minItems',
    'maxItems',
    'multipleOf',
  ];
  for (const key of bounds)
    if (schema[key] !== undefined) parts.push(`${key} ${JSON.stringify(schema[key])}`);
  const description =
    typeof schema['description'] === 'string' ? ` (${schema['description'].slice(0, 160)})` : '';
  return (parts.join(', ') || 'a value as the contract describes') + description;
}

/** `did you mean x?` for a name close to one of the candidates; else the list of them. */
export function didYouMean(name: string, candidates: readonly string[]): string | undefined {
  const close = nearest(name, candidates, 2);
  if (close.length > 0) return `did you mean ${close.join(' or ')}?`;
  if (candidates.length === 0) return 'leave it out';
  return `leave it out; the parameters are ${candidates.slice(0, 20).join(', ')}`;
}

const FORMATS: Readonly<Record<string, string>> = {
  date: '2026-03-31',
  'date-time': '2026-03-31T09:00:00Z',
  time: '09:00:00Z',
  email: 'name@example.com',
  uri: 'https://example.com/page',
  url: 'https://example.com/page',
  uuid: '123e4567-e89b-42d3-a456-426614174000',
  ipv4: '192.0.2.1',
  ipv6: '2001:db8::1',
  hostname: 'example.com',
};

/** A value of a JSON Schema format; undefined when there is none at hand. */
export function formatValue(format: string): string | undefined {
  return Object.hasOwn(FORMATS, format) ? FORMATS[format] : undefined;
}

function formatExample(format: string): string | undefined {
  const example = formatValue(format);
  return example === undefined ? undefined : `for example ${JSON.stringify(example)}`;
}
