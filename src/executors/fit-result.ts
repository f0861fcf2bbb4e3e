import type { Json, JsonObject } from '../base/json.ts';

/** A result within its budget and what was cut to get there. */
export interface Fitted {
  readonly value: Json;
  readonly notes: readonly string[];
}

/**
 * Cuts a result to at most `budget` bytes of JSON: its longest list at an item border, else its longest
 * text, again until it fits; it stays valid JSON and the notes say what is missing and how to get it.
 */
export function fitResult(value: Json, budget: number): Fitted {
  const notes: string[] = [];
  let fitted = value;
  for (let round = 0; round < 20; round++) {
    const excess = bytes(fitted) - budget;
    if (excess <= 0) return { value: fitted, notes };
    const largest = findLargest(fitted);
    if (largest === undefined) break;
    const cut = cutOne(largest, excess);
    notes.push(
      `${largest.path || 'The result'}: ${cut.note} (${budget} bytes are allowed); ask for less, or for the next part.`,
    );
    fitted = replaceAt(fitted, largest.keys, cut.value);
  }
  if (bytes(fitted) <= budget) return { value: fitted, notes };
  return {
    value: null,
    notes: [`The result has over ${budget} bytes in a form that cannot be cut; ask for less.`],
  };
}

interface Part {
  readonly keys: readonly string[];
  readonly path: string;
  readonly value: Json[] | string;
  readonly size: number;
}

function bytes(value: Json): number {
  return Buffer.byteLength(JSON.stringify(value));
}

function findLargest(root: Json): Part | undefined {
  let best: Part | undefined;
  const open: { value: Json; keys: readonly string[] }[] = [{ value: root, keys: [] }];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { value, keys } = next;
    const cuttable = Array.isArray(value)
      ? value.length > 1
      : typeof value === 'string' && value.length > 64;
    if (cuttable) {
      // A list in a list counts less the deeper it is: cutting the outer one keeps items whole.
      const size = bytes(value) / (1 + keys.length * 0.1);
      if (best === undefined || size > best.size)
        best = { keys, path: keys.join('.'), value: value as Json[] | string, size };
    }
    if (typeof value !== 'object' || value === null || keys.length > 8) continue;
    // Inside a list that can itself be cut there is nothing to gain.
    if (Array.isArray(value) && value.length > 1) continue;
    for (const [key, child] of Object.entries(value))
      open.push({ value: child, keys: [...keys, key] });
  }
  return best;
}

function cutOne(part: Part, excess: number): { readonly value: Json; readonly note: string } {
  const { value } = part;
  if (typeof value === 'string') {
    const share = excess / bytes(value);
    const kept = Math.max(32, Math.floor(value.length * (1 - share)) - 16);
    return {
      value: `${value.slice(0, kept).replace(/[\uD800-\uDBFF]$/, '')}…`,
      note: `${kept} of ${value.length} characters are shown`,
    };
  }
  let room = bytes(value) - excess;
  let kept = 0;
  for (const item of value) {
    room -= bytes(item) + 1;
    if (room < 2) break;
    kept++;
  }
  kept = Math.max(1, Math.min(kept, value.length - 1));
  return {
    value: value.slice(0, kept),
    note: `the first ${kept} of ${value.length} items are shown`,
  };
}

function replaceAt(root: Json, keys: readonly string[], value: Json): Json {
  const [key, ...rest] = keys;
  if (key === undefined) return value;
  if (Array.isArray(root))
    return root.map((item, index) => (String(index) === key ? replaceAt(item, rest, value) : item));
  const object = root as JsonObject;
  return { ...object, [key]: replaceAt(object[key] as Json, rest, value) };
}
