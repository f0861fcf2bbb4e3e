import { isPlainObject, type JsonObject } from '../../base/json.ts';
import { compileValidator } from './compile.ts';
import { resolvePointer } from './resolve-pointer.ts';
import type { SchemaFault } from './schema-fault.ts';

const LISTS = ['allOf', 'anyOf', 'oneOf'];
const SINGLE = ['not', 'if', 'then', 'else'];

/**
 * What is wrong with the references of a schema that is otherwise usable: one that leads back to itself
 * without going into a value would check for ever, and one the compiler cannot follow would fail at the
 * first call.
 */
export function referenceFaults(schema: JsonObject): readonly SchemaFault[] {
  const circle = findCircle(schema);
  if (circle !== undefined) {
    const message = `${JSON.stringify(circle)} leads back to itself without going into a property or an item; end the circle, or put a member between`;
    return [{ path: circle.slice(1), message }];
  }
  try {
    compileValidator(schema);
    return [];
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return [
      { path: '', message: `its references cannot be followed: ${why}; use "#/$defs/..." alone` },
    ];
  }
}

/** The pointer of a schema that applies itself to the very same value. */
function findCircle(root: JsonObject): string | undefined {
  const open = new Set<unknown>();
  const done = new Set<unknown>();
  const visit = (node: unknown, pointer: string): string | undefined => {
    if (!isPlainObject(node) || done.has(node)) return undefined;
    if (open.has(node)) return pointer;
    open.add(node);
    for (const [child, at] of applied(node, pointer, root)) {
      const found = visit(child, at);
      if (found !== undefined) return found;
    }
    open.delete(node);
    done.add(node);
    return undefined;
  };
  // Every schema may be where a circle begins, also one that only an item reaches.
  const all: (readonly [unknown, string])[] = [[root, '#']];
  for (let next = all.pop(); next !== undefined; next = all.pop()) {
    const [node, pointer] = next;
    if (typeof node !== 'object' || node === null) continue;
    const found = visit(node, pointer);
    if (found !== undefined) return found;
    for (const [key, child] of Object.entries(node)) all.push([child, `${pointer}/${key}`]);
  }
  return undefined;
}

/** The schemas that a schema applies to the same value as itself. */
function applied(
  node: Record<string, unknown>,
  pointer: string,
  root: JsonObject,
): readonly (readonly [unknown, string])[] {
  const { $ref: reference, dependentSchemas } = node;
  return [
    ...(typeof reference === 'string'
      ? ([[resolvePointer(root, reference.slice(1)), reference]] as const)
      : []),
    ...SINGLE.map((key) => [node[key], `${pointer}/${key}`] as const),
    ...LISTS.flatMap((key) => {
      const list = node[key];
      return Array.isArray(list)
        ? list.map((child, index) => [child as unknown, `${pointer}/${key}/${index}`] as const)
        : [];
    }),
    ...(isPlainObject(dependentSchemas)
      ? Object.entries(dependentSchemas).map(
          ([key, child]) => [child, `${pointer}/dependentSchemas/${key}`] as const,
        )
      : []),
  ];
}
