import { has, type Json, type JsonObject } from '../base/json.ts';
import { ToolError } from './tool-error.ts';

/** What a finished step left behind: `outputs` is undefined when its condition did not hold. */
export interface StepState {
  readonly outputs: Json | undefined;
  readonly stale: boolean;
}

/** What runtime expressions are read from. */
export interface ExpressionScope {
  readonly inputs: JsonObject;
  readonly steps?: Readonly<Record<string, StepState>>;
}

/** One parsed runtime expression; `path` leads from the inputs or the step's outputs to the value. */
export type Expression =
  | { readonly from: 'inputs'; readonly text: string; readonly path: readonly string[] }
  | {
      readonly from: 'outputs';
      readonly text: string;
      readonly step: string;
      readonly path: readonly string[];
    }
  | { readonly from: 'stale'; readonly text: string; readonly step: string };

/** A compiled template; undefined where it stands for an optional input that is absent. */
type Part = (scope: ExpressionScope) => Json | undefined;

const FORM =
  /^\$(?:inputs|steps\.([\p{L}\p{N}_-]+)\.(outputs|stale))((?:\.[\p{L}\p{N}_-]+)*)(?:#((?:\/[^/]*)*))?$/u;
const EMBEDDED = /\{(\$[^{}]*)(\}?)/;
const INDEX = /^(?:0|[1-9]\d*)$/;
const MAX_DEPTH = 100;

/**
 * Compiles JSON whose strings may be runtime expressions (OpenAPI Arazzo 1.0) into a function that fills
 * them in: `$inputs.a.b`, `$inputs#/a/b`, `$steps.id.outputs.a`, `$steps.id.outputs#/a/0`, `$steps.id.stale`,
 * or text with `{$...}` inside; `$$` stands for a plain `$`. An absent input or a skipped step leaves its key
 * out, in an array it is null. Throws ToolError INTERNAL_ERROR on a malformed expression; the function does
 * on an output that the step did not give.
 */
export function compileTemplate(value: JsonObject): (scope: ExpressionScope) => JsonObject;
export function compileTemplate(value: Json): (scope: ExpressionScope) => Json;
export function compileTemplate(value: Json): (scope: ExpressionScope) => Json {
  const part = compilePart(value, 0);
  return (scope) => part(scope) ?? null;
}

/** Fills in the runtime expressions of a template used once; `compileTemplate` says how. */
export function evaluate(value: Json, scope: ExpressionScope): Json {
  return compileTemplate(value)(scope);
}

/** Every runtime expression of a template, in order. Throws ToolError as `compileTemplate` does. */
export function expressionsIn(value: Json): readonly Expression[] {
  const found: Expression[] = [];
  compilePart(value, 0, found);
  return found;
}

/** Parses text that is one runtime expression. Throws ToolError INTERNAL_ERROR when it is not. */
export function parseExpression(text: string): Expression {
  const [matched, step, member, dotted, pointer] = FORM.exec(text) ?? [];
  if (matched === undefined) throw malformed(text);
  const path = [...(dotted ?? '').split('.').slice(1), ...parsePointer(pointer ?? '', text)];
  if (step === undefined) return { from: 'inputs', text, path };
  if (member === 'outputs') return { from: 'outputs', text, step, path };
  if (text !== `$steps.${step}.stale`) throw malformed(text);
  return { from: 'stale', text, step };
}

/** The value of an expression; undefined where the input, the output or the step itself is not there. */
export function readExpression(expression: Expression, scope: ExpressionScope): Json | undefined {
  if (expression.from === 'inputs') return walk(scope.inputs, expression.path);
  const step = stepOf(expression.step, scope);
  if (expression.from === 'stale') return step?.stale;
  return walk(step?.outputs, expression.path);
}

function compilePart(value: Json, depth: number, found?: Expression[]): Part {
  if (typeof value === 'string') return compileText(value, found);
  if (typeof value !== 'object' || value === null) return () => value;
  if (depth === MAX_DEPTH) {
    throw new ToolError(
      'INTERNAL_ERROR',
      `A template is nested deeper than ${MAX_DEPTH} levels. Make it flatter.`,
    );
  }
  if (Array.isArray(value)) {
    const items = value.map((item) => compilePart(item, depth + 1, found));
    return (scope) => items.map((item) => item(scope) ?? null);
  }
  const members = Object.entries(value)
    .filter(([key]) => key !== '__proto__')
    .map(([key, member]) => [key, compilePart(member, depth + 1, found)] as const);
  // Built anew for every call, constants too: a body may change what it is given.
  return (scope) => {
    const filled: JsonObject = {};
    for (const [key, member] of members) {
      const child = member(scope);
      if (child !== undefined) filled[key] = child;
    }
    return filled;
  };
}

function compileText(text: string, found: Expression[] | undefined): Part {
  if (text.startsWith('$') && !text.startsWith('$$')) return compileExpression(text, found);
  const parts: (string | Part)[] = [];
  let rest = text.startsWith('$$') ? text.slice(1) : text;
  for (let match = EMBEDDED.exec(rest); match !== null; match = EMBEDDED.exec(rest)) {
    const [whole, inner = '', closing] = match;
    const literal = inner.startsWith('$$');
    if (!literal && closing === '') throw malformed(whole);
    parts.push(rest.slice(0, match.index));
    parts.push(literal ? `{${inner.slice(1)}${closing}` : compileExpression(inner, found));
    rest = rest.slice(match.index + whole.length);
  }
  if (parts.every((part) => typeof part === 'string')) {
    const constant = parts.join('') + rest;
    return () => constant;
  }
  parts.push(rest);
  return (scope) => joined(parts, scope);
}

/** The text, or undefined when a part of it is absent: half a text would be a guess. */
function joined(parts: readonly (string | Part)[], scope: ExpressionScope): string | undefined {
  let text = '';
  for (const part of parts) {
    const value = typeof part === 'string' ? part : part(scope);
    if (value === undefined) return undefined;
    text += typeof value === 'string' ? value : JSON.stringify(value);
  }
  return text;
}

function compileExpression(text: string, found: Expression[] | undefined): Part {
  const expression = parseExpression(text);
  found?.push(expression);
  if (expression.from === 'inputs') return (scope) => walk(scope.inputs, expression.path);
  return (scope) => {
    const step = stepOf(expression.step, scope);
    if (step === undefined) {
      throw missing(expression, `step ${expression.step} has not run. Refer to earlier steps only`);
    }
    if (expression.from === 'stale') return step.stale;
    if (step.outputs === undefined) return undefined;
    const value = walk(step.outputs, expression.path);
    if (value !== undefined) return value;
    throw missing(
      expression,
      `step ${expression.step} gave no ${expression.path.join('.')}. Correct the expression, or run this step only when ${expression.text} != null`,
    );
  };
}

function stepOf(id: string, { steps }: ExpressionScope): StepState | undefined {
  return steps !== undefined && has(steps, id) ? steps[id] : undefined;
}

function walk(root: Json | undefined, path: readonly string[]): Json | undefined {
  let value = root;
  for (const key of path) {
    if (typeof value !== 'object' || value === null) return undefined;
    if (Array.isArray(value)) value = INDEX.test(key) ? value[Number(key)] : undefined;
    else value = has(value, key) ? value[key] : undefined;
  }
  return value;
}

/** The tokens of a JSON pointer (RFC 6901). */
function parsePointer(pointer: string, text: string): readonly string[] {
  if (/~(?![01])/.test(pointer)) throw malformed(text);
  return pointer
    .split('/')
    .slice(1)
    .map((token) => token.replaceAll('~1', '/').replaceAll('~0', '~'));
}

function malformed(text: string): ToolError {
  return new ToolError(
    'INTERNAL_ERROR',
    `${JSON.stringify(text.slice(0, 80))} is no runtime expression. Write $inputs.name, $inputs#/json/pointer, $steps.id.outputs.name, $steps.id.outputs#/json/pointer or $steps.id.stale; in the middle of text {$inputs.name}; and $$ for a plain $.`,
  );
}

function missing({ text }: Expression, why: string): ToolError {
  return new ToolError('INTERNAL_ERROR', `${text} has no value: ${why}.`);
}
