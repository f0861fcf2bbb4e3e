import { isPlainObject, type JsonObject } from '../base/json.ts';
import type { Contract } from '../contract/contract.ts';
import type { Codec } from './codec.ts';
import type { Dialect, StrictLimits } from './dialects/rules.ts';
import { Emission } from './emission.ts';
import { NotStrict, type Loss } from './emitter.ts';
import { normalise } from './normalise.ts';

/** A schema in a dialect, how its values are spelled, and what it does not say. */
export interface Way {
  readonly schema: JsonObject;
  readonly codec: Codec | undefined;
  readonly losses: readonly Loss[];
}

/** A contract's parameters in a dialect; strict as well where the dialect knows that and the schema fits. */
export interface EmittedSchema {
  readonly plain: Way;
  readonly strict: Way | undefined;
  /** Why it is not strict, in a word. */
  readonly downgrade: string | undefined;
}

const known = new WeakMap<Contract, Map<string, EmittedSchema | readonly string[]>>();

/** The parameters of a contract in a dialect, or every reason why there is no way to say them. */
export function emitSchema(
  contract: Contract,
  dialect: Dialect,
): EmittedSchema | readonly string[] {
  let ways = known.get(contract);
  if (ways === undefined) known.set(contract, (ways = new Map()));
  let emitted = ways.get(dialect.id);
  if (emitted === undefined) ways.set(dialect.id, (emitted = emit(contract.parameters, dialect)));
  return emitted;
}

function emit(parameters: JsonObject, dialect: Dialect): EmittedSchema | readonly string[] {
  try {
    const root = normalise(parameters);
    const plain = wayOf(new Emission(root, dialect.rules, false));
    if (dialect.strict === undefined) return { plain, strict: undefined, downgrade: undefined };
    const { rules, limits } = dialect.strict;
    try {
      const strict = wayOf(new Emission(root, rules, true));
      const over = limits === undefined ? undefined : overLimit(strict.schema, limits);
      return { plain, strict: over === undefined ? strict : undefined, downgrade: over };
    } catch (error) {
      if (error instanceof NotStrict) return { plain, strict: undefined, downgrade: error.message };
      throw error;
    }
  } catch (error) {
    return [error instanceof Error ? error.message : String(error)];
  }
}

function wayOf(emission: Emission): Way {
  const { schema, codec } = emission.run();
  return { schema, codec, losses: emission.losses };
}

/** Which limit of strict schemas is passed; undefined when none is. */
function overLimit(schema: JsonObject, limits: StrictLimits): string | undefined {
  let properties = 0;
  let enumValues = 0;
  let characters = 0;
  let deepest = 0;
  const open: { readonly node: unknown; readonly depth: number }[] = [{ node: schema, depth: 1 }];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { node, depth } = next;
    if (typeof node !== 'object' || node === null) continue;
    let inside = depth;
    if (isPlainObject(node)) {
      const { properties: members, enum: values } = node;
      if (isPlainObject(members)) {
        deepest = Math.max(deepest, depth);
        inside = depth + 1;
        const names = Object.keys(members);
        properties += names.length;
        characters += names.join('').length;
      }
      if (Array.isArray(values)) {
        enumValues += values.length;
        characters += JSON.stringify(values).length;
      }
    }
    for (const child of Object.values(node)) open.push({ node: child, depth: inside });
  }
  if (deepest > limits.depth) return 'depth';
  if (properties > limits.properties) return 'properties';
  if (enumValues > limits.enumValues) return 'enum_values';
  return characters > limits.characters ? 'characters' : undefined;
}
