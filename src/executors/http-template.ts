import { has, type Json, type JsonObject } from '../base/json.ts';
import type { ExecutionContext } from '../contract/execution-context.ts';
import { ToolError } from '../contract/tool-error.ts';

/** Where a placeholder's value comes from. */
export type Source = 'inputs' | 'settings' | 'secrets' | 'idempotency_key' | 'trace_id';

/** `{inputs.address.city}`: a value that differs from call to call. */
export interface Placeholder {
  readonly source: Source;
  readonly path: readonly string[];
  /** As written, without the braces. */
  readonly name: string;
}

/** Text with placeholders, cut into its parts once. */
export type Template = readonly (string | Placeholder)[];

/** What placeholders are filled from. */
export interface Scope {
  readonly inputs: JsonObject;
  readonly context: ExecutionContext;
}

const PLACEHOLDER = /^(?:(inputs|settings|secrets)\.([^{}]+)|(idempotency_key|trace_id))$/;

/** Cuts text into a template. Throws ToolError on a placeholder that is unknown or not one of `allowed`. */
export function compileTemplateText(text: string, allowed: readonly Source[]): Template {
  return text
    .split(/(\{[^{}]*\})/)
    .filter((part) => part !== '')
    .map((part) =>
      part.startsWith('{') && part.endsWith('}') ? placeholder(part.slice(1, -1), allowed) : part,
    );
}

/** A placeholder's value; undefined when it is absent or null. Throws ToolError for a secret that is not set. */
export function valueOf(
  { source, path }: Placeholder,
  { inputs, context }: Scope,
): Json | undefined {
  if (source === 'idempotency_key') return context.idempotencyKey;
  if (source === 'trace_id') return context.traceId;
  if (source === 'secrets') return context.secrets[path.join('.')];
  return readPath(source === 'inputs' ? inputs : context.settings, path) ?? undefined;
}

/** The template as text, each value passed through `encode`; undefined when a value is absent. */
export function fillTemplate(
  template: Template,
  scope: Scope,
  encode: (text: string) => string,
): string | undefined {
  let filled = '';
  for (const part of template) {
    if (typeof part === 'string') {
      filled += part;
      continue;
    }
    const value = valueOf(part, scope);
    if (value === undefined) return undefined;
    filled += encode(toText(value));
  }
  return filled;
}

/** The value at the end of a path of own keys; undefined when there is none. */
export function readPath(value: Json, path: readonly string[]): Json | undefined {
  let found: Json | undefined = value;
  for (const key of path) {
    if (typeof found !== 'object' || found === null || !has(found, key)) return undefined;
    found = (found as JsonObject)[key];
  }
  return found;
}

/** A value as it is written into an URL or a header: text as it is, anything else as JSON. */
export function toText(value: Json): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function placeholder(name: string, allowed: readonly Source[]): Placeholder {
  const [, scope, path, fact] = PLACEHOLDER.exec(name) ?? [];
  const source = (scope ?? fact) as Source | undefined;
  if (source !== undefined && allowed.includes(source)) {
    return { source, path: path?.split('.') ?? [], name };
  }
  throw new ToolError(
    'INTERNAL_ERROR',
    `{${name}} cannot stand in this part of an http executor. Use one of: ${allowed.map(spelling).join(', ')}.`,
  );
}

function spelling(source: Source): string {
  return source.includes('_') ? `{${source}}` : `{${source}.name}`;
}
