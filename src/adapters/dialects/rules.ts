/** What a vendor takes of JSON Schema 2020-12 in a tool's parameters. Plain data. */
export interface SchemaRules {
  /** Keywords sent as they are; every other is put into words or left to validation. */
  readonly keywords: ReadonlySet<string>;
  /** What becomes of `$ref`: kept, kept without siblings, or replaced by what it names. */
  readonly references: 'keep' | 'bare' | 'inline';
  readonly recursion: boolean;
  /** Whether anyOf, oneOf or allOf may stand at the root. */
  readonly rootUnions: boolean;
  /** `openapi`: one type a node, in capitals, null as `nullable`. */
  readonly types: 'json' | 'openapi';
  /** Every object says additionalProperties: false, or the tool is not strict. */
  readonly closed: boolean;
  /** Every property is required; an optional one may be null. */
  readonly allRequired: boolean;
  /** Every node says its type. */
  readonly typed: boolean;
  /** Every array says its items. */
  readonly items: boolean;
  /** Enumerations hold text only. */
  readonly textEnums: boolean;
  /** Whether anyOf may stand beside other keywords. */
  readonly unionSiblings: boolean;
  readonly formats?: ReadonlySet<string>;
  readonly patterns: 'any' | 'no-lookaround' | 'simple' | 'grammar';
  /** Names of properties, at the root or at every level. */
  readonly keys?: { readonly pattern: RegExp; readonly everywhere: boolean };
  /** The most that `minItems` may ask for. */
  readonly maxMinItems?: number;
  /** minimum, maximum and the like on integers only. */
  readonly integerBoundsOnly?: boolean;
}

/** What all strict tools of one request may have together. */
export interface StrictBudget {
  readonly tools: number;
  readonly optional: number;
  readonly unions: number;
}

/** What a strict schema may have at most. */
export interface StrictLimits {
  readonly depth: number;
  readonly properties: number;
  readonly enumValues: number;
  readonly characters: number;
}

/** How one vendor spells tools: facts as data, so that a new vendor is one more file. */
export interface Dialect {
  readonly id: string;
  /** Day of the facts. */
  readonly facts: string;
  /** The JSON around name, description and schema. */
  readonly shape:
    | 'openai.chat'
    | 'openai.responses'
    | 'anthropic'
    | 'gemini'
    | 'gemini.parameters'
    | 'bedrock'
    | 'mcp'
    | 'ai-sdk'
    | 'langchain';
  readonly maxName: number;
  /** True when a dot may stand in a name. */
  readonly dots: boolean;
  readonly maxTools?: number;
  readonly maxDescription?: number;
  /** The description may not be empty. */
  readonly needsDescription?: boolean;
  /** Whether calls come with text or with an object. */
  readonly arguments: 'text' | 'object';
  /** Where examples go; into the description when absent. */
  readonly examples?: 'input_examples';
  /** A tool without parameters leaves them out. */
  readonly omitEmpty?: boolean;
  /** The nested shape is lost on the way and is told in words. */
  readonly flattens?: boolean;
  /** How a strict tool is marked, and what it falls back to. */
  readonly strict?: {
    readonly rules: SchemaRules;
    readonly limits?: StrictLimits;
    readonly budget?: StrictBudget;
    /** Which tools are strict: all, or those that write first. */
    readonly writesFirst: boolean;
  };
  /** The key `strict` is always sent. */
  readonly strictExplicit?: boolean;
  readonly rules: SchemaRules;
}

const ANNOTATIONS = [
  'title',
  'description',
  'default',
  'examples',
  'deprecated',
  'readOnly',
  'writeOnly',
];
const JUDGING = [
  'type enum const format pattern minLength maxLength minimum maximum exclusiveMinimum exclusiveMaximum multipleOf',
  'properties required additionalProperties patternProperties propertyNames minProperties maxProperties',
  'dependentRequired dependentSchemas unevaluatedProperties items prefixItems contains minContains maxContains',
  'minItems maxItems uniqueItems unevaluatedItems anyOf oneOf allOf not if then else $ref $defs $anchor',
].flatMap((line) => line.split(' '));

/** A set of keywords from words in a line. */
export function keywords(...lines: readonly string[]): ReadonlySet<string> {
  return new Set(lines.flatMap((line) => line.split(' ')));
}

/** All of JSON Schema 2020-12, sent as it is. */
export const FULL: SchemaRules = {
  keywords: new Set([...ANNOTATIONS, ...JUDGING]),
  references: 'keep',
  recursion: true,
  rootUnions: true,
  types: 'json',
  closed: false,
  allRequired: false,
  typed: false,
  items: false,
  textEnums: false,
  unionSiblings: true,
  patterns: 'any',
};
