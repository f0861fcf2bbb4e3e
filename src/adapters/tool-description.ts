import { isPlainObject, type JsonObject } from '../base/json.ts';
import type { Contract, SideEffect } from '../contract/contract.ts';
import type { Loss } from './emitter.ts';
import type { Dialect } from './dialects/rules.ts';
import type { Way } from './emit-schema.ts';

const EXAMPLE_BUDGET = 400;

/** What a model reads about a tool, and the examples that have a field of their own. */
export interface Told {
  readonly description: string;
  readonly examples: readonly JsonObject[];
  readonly losses: readonly Loss[];
}

/** The description of a tool: the contract's own, the effect, the shape and examples where nothing else carries them. */
export function toolDescription(
  contract: Contract,
  dialect: Dialect,
  { schema, codec }: Way,
): Told {
  const examples = contract.examples
    .slice(0, 3)
    .map(({ input }) => (codec === undefined ? input : (codec.spell(input) as JsonObject)));
  const hasField = dialect.examples !== undefined;
  const parts = [
    contract.description === '' && dialect.needsDescription === true
      ? contract.name
      : contract.description,
    dialect.shape === 'mcp' ? '' : effectLine(contract.side_effect),
    dialect.flattens === true ? shapeLine(schema) : '',
    hasField ? '' : exampleLine(examples),
  ];
  const whole = parts.filter((part) => part !== '').join('\n');
  const limit = dialect.maxDescription;
  if (limit === undefined || whole.length <= limit)
    return { description: whole, examples: hasField ? examples : [], losses: [] };
  const short = parts
    .slice(0, 2)
    .filter((part) => part !== '')
    .join('\n');
  const cut =
    short.length <= limit ? short : `${short.slice(0, limit - 1).replace(/[\uD800-\uDBFF]$/, '')}…`;
  return { description: cut, examples: [], losses: [{ code: 'DESCRIPTION_SHORTENED', path: '' }] };
}

function effectLine({ kind, targets = [], destructive }: SideEffect): string {
  if (kind !== 'write') return 'Changes nothing.';
  const what = targets.length === 0 ? '' : `: ${targets.join(', ')}`;
  return `Changes data${what}.${destructive === true ? ' What it does cannot be undone.' : ''}`;
}

function exampleLine(examples: readonly JsonObject[]): string {
  let line = '';
  for (const example of examples) {
    const next = `${line === '' ? 'Examples: ' : `${line}, `}${JSON.stringify(example)}`;
    if (next.length > EXAMPLE_BUDGET) break;
    line = next;
  }
  return line;
}

/** The nested shape in words, for a vendor that keeps the first level only. */
function shapeLine(schema: JsonObject): string {
  const nested = Object.entries((schema['properties'] ?? {}) as JsonObject)
    .map(([name, member]) => [name, shapeOf(member, 0)] as const)
    .filter(([, shape]) => /[{[]/.test(shape));
  if (nested.length === 0) return '';
  return `Shapes: ${nested.map(([name, shape]) => `${name}: ${shape}`).join('; ')}`;
}

function shapeOf(schema: unknown, depth: number): string {
  if (!isPlainObject(schema) || depth > 4) return 'any';
  const { type, enum: values, properties, required = [], items } = schema;
  if (Array.isArray(values)) return values.map((value) => JSON.stringify(value)).join('|');
  if (isPlainObject(properties)) {
    const members = Object.entries(properties).map(
      ([name, child]) =>
        `${name}${(required as unknown[]).includes(name) ? '' : '?'}: ${shapeOf(child, depth + 1)}`,
    );
    return `{${members.join(', ')}}`;
  }
  if (items !== undefined) return `[${shapeOf(items, depth + 1)}]`;
  return typeof type === 'string' ? type : Array.isArray(type) ? type.join('|') : 'any';
}
