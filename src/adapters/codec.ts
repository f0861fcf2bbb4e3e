import type { Json } from '../base/json.ts';

/** How a value is spelled in a dialect, and read back. Both are pure and never throw. */
export interface Codec {
  /** What a model sends, as the contract has it. */
  restore(sent: Json): Json;
  /** What the contract has, as a model would send it. */
  spell(value: Json): Json;
}

/** JSON text in place of a value that the dialect has no type for. */
export const JSON_TEXT: Codec = {
  restore: (sent) => {
    if (typeof sent !== 'string') return sent;
    try {
      return JSON.parse(sent) as Json;
    } catch {
      return sent;
    }
  },
  spell: (value) => JSON.stringify(value),
};

/** Text in place of the members of an enumeration. */
export function textCodec(values: readonly Json[], texts: readonly string[]): Codec {
  const byText = new Map(texts.map((text, index) => [text, values[index] as Json]));
  const keys = values.map((value) => JSON.stringify(value));
  return {
    restore: (sent) => (typeof sent === 'string' ? (byText.get(sent) ?? sent) : sent),
    spell: (value) => texts[keys.indexOf(JSON.stringify(value))] ?? value,
  };
}

/** The codec of a list's items, for lists; anything else is left alone. */
export function listCodec(items: Codec): Codec {
  const over =
    (change: (item: Json) => Json) =>
    (value: Json): Json =>
      Array.isArray(value) ? value.map(change) : value;
  return { restore: over(items.restore), spell: over(items.spell) };
}

/** What differs in an object: names, values, and what has to be there although it is absent. */
export interface MemberCodec {
  /** As the contract has it. */
  readonly name: string;
  /** As the dialect has it. */
  readonly spelled: string;
  readonly codec: Codec | undefined;
  /** Sent as null when absent. */
  readonly nullWhenAbsent: boolean;
  /** The contract itself takes null, so that a null that comes back is kept. */
  readonly nullable: boolean;
}

/** The codec of an object with these members; others pass as they are. */
export function objectCodec(members: readonly MemberCodec[]): Codec {
  const bySpelled = new Map(members.map((member) => [member.spelled, member]));
  const byName = new Map(members.map((member) => [member.name, member]));
  const absent = members.filter((member) => member.nullWhenAbsent);
  return {
    restore: (sent) => {
      if (!isObject(sent)) return sent;
      // Most calls need nothing put back: they come back as the very object that was sent.
      let changed: [string, Json][] | undefined;
      let seen = 0;
      for (const key of Object.keys(sent)) {
        const value = sent[key] as Json;
        const member = bySpelled.get(key);
        const absent = value === null && member?.nullWhenAbsent === true && !member.nullable;
        const name = member?.name ?? key;
        const restored = member?.codec === undefined ? value : member.codec.restore(value);
        if (changed === undefined && (absent || name !== key || restored !== value))
          changed = Object.entries(sent).slice(0, seen);
        if (!absent) changed?.push([name, restored]);
        seen++;
      }
      return changed === undefined ? sent : Object.fromEntries(changed);
    },
    spell: (value) => {
      if (!isObject(value)) return value;
      const spelled = Object.entries(value).map(([key, child]) => {
        const member = byName.get(key);
        return [
          member?.spelled ?? key,
          member?.codec === undefined ? child : member.codec.spell(child),
        ] as const;
      });
      const missing = absent.filter(({ name }) => !Object.hasOwn(value, name));
      return Object.fromEntries([
        ...spelled,
        ...missing.map(({ spelled: name }) => [name, null] as const),
      ]) as Json;
    },
  };
}

/** The codec of a union: that of the first branch by which the value is valid, else the value as it is. */
export function unionCodec(
  branches: readonly { readonly codec: Codec | undefined; holds(value: Json): boolean }[],
): Codec {
  return {
    restore: (sent) => {
      for (const { codec, holds } of branches) {
        const value = codec === undefined ? sent : codec.restore(sent);
        if (holds(value)) return value;
      }
      return sent;
    },
    spell: (value) => {
      const branch = branches.find(({ holds }) => holds(value));
      return branch?.codec === undefined ? value : branch.codec.spell(value);
    },
  };
}

function isObject(value: Json): value is { [key: string]: Json } {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
