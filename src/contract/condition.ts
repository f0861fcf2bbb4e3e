import { canonicalJson, parseJson, type Json } from '../base/json.ts';
import {
  parseExpression,
  readExpression,
  type Expression,
  type ExpressionScope,
} from './expression.ts';
import { ToolError } from './tool-error.ts';

type Operand = (scope: ExpressionScope) => Json;

interface Token {
  readonly kind: 'operator' | 'literal' | 'expression' | 'end';
  readonly text: string;
  /** Where it begins, from 1. */
  readonly position: number;
}

const TOKEN =
  /(?<space>\s+)|(?<operator>&&|\|\||[=!<>]=|[<>!()])|(?<literal>'(?:[^']|'')*'|"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?(?![\p{L}\p{N}_.])|(?:true|false|null)(?![\p{L}\p{N}_-]))|(?<expression>\$[^\s=!<>&|()'"]+)/uy;
const COMPARISONS = new Set(['==', '!=', '<', '<=', '>', '>=']);
const MAX_DEPTH = 50;

/**
 * Compiles a simple condition (OpenAPI Arazzo 1.0): runtime expressions, `'text'`, numbers, `true`, `false`
 * and `null` under `== != < <= > >= && || !` and parentheses. As there, text compares whatever the case; what
 * is absent equals null; a lone operand holds as in JavaScript. Throws ToolError INTERNAL_ERROR with the
 * position of a mistake.
 */
export function compileCondition(text: string): (scope: ExpressionScope) => boolean {
  const holds = new Parser(text).parse();
  return (scope) => Boolean(holds(scope));
}

/** Every runtime expression of a condition, in order. Throws ToolError as `compileCondition` does. */
export function expressionsInCondition(text: string): readonly Expression[] {
  const parser = new Parser(text);
  parser.parse();
  return parser.expressions;
}

class Parser {
  readonly expressions: Expression[] = [];
  readonly #text: string;
  readonly #tokens: readonly Token[];
  readonly #end: Token;
  #next = 0;

  constructor(text: string) {
    this.#text = text;
    this.#tokens = tokenize(text);
    this.#end = { kind: 'end', text: '', position: text.length + 1 };
  }

  parse(): Operand {
    const condition = this.#any(0);
    const rest = this.#peek();
    if (rest.kind !== 'end') throw wrong(this.#text, rest, '&&, || or the end');
    return condition;
  }

  #any(depth: number): Operand {
    const first = this.#all(depth);
    const others = this.#others('||', () => this.#all(depth));
    if (others.length === 0) return first;
    return (scope) => Boolean(first(scope)) || others.some((other) => other(scope));
  }

  #all(depth: number): Operand {
    const first = this.#comparison(depth);
    const others = this.#others('&&', () => this.#comparison(depth));
    if (others.length === 0) return first;
    return (scope) => Boolean(first(scope)) && others.every((other) => other(scope));
  }

  #others(operator: string, parse: () => Operand): readonly Operand[] {
    const others: Operand[] = [];
    while (this.#accept(operator)) others.push(parse());
    return others;
  }

  #comparison(depth: number): Operand {
    const left = this.#operand(depth);
    const { kind, text } = this.#peek();
    if (kind !== 'operator' || !COMPARISONS.has(text)) return left;
    this.#next++;
    const right = this.#operand(depth);
    return (scope) => compare(left(scope), text, right(scope));
  }

  #operand(depth: number): Operand {
    const token = this.#take();
    if (depth === MAX_DEPTH)
      throw wrong(this.#text, token, `at most ${MAX_DEPTH} levels of ! and (`);
    if (token.kind === 'literal') {
      const value = literal(token, this.#text);
      return () => value;
    }
    if (token.kind === 'expression') {
      const expression = parseExpression(token.text);
      this.expressions.push(expression);
      return (scope) => readExpression(expression, scope) ?? null;
    }
    if (token.text === '!') {
      const denied = this.#operand(depth + 1);
      return (scope) => !denied(scope);
    }
    if (token.text !== '(') throw wrong(this.#text, token, 'an expression, a literal, ! or (');
    const inner = this.#any(depth + 1);
    if (!this.#accept(')')) throw wrong(this.#text, this.#peek(), ')');
    return inner;
  }

  #peek(): Token {
    return this.#tokens[this.#next] ?? this.#end;
  }

  #take(): Token {
    const token = this.#peek();
    this.#next++;
    return token;
  }

  #accept(operator: string): boolean {
    const { kind, text } = this.#peek();
    const found = kind === 'operator' && text === operator;
    if (found) this.#next++;
    return found;
  }
}

function tokenize(text: string): readonly Token[] {
  const tokens: Token[] = [];
  let position = 0;
  while (position < text.length) {
    TOKEN.lastIndex = position;
    const match = TOKEN.exec(text);
    if (match === null) {
      const found = { text: text.slice(position, position + 20), position: position + 1 };
      throw wrong(text, found, "an expression, an operator or a literal (text in '...')");
    }
    const kind = (['operator', 'literal', 'expression'] as const).find(
      (name) => match.groups?.[name] !== undefined,
    );
    if (kind !== undefined) tokens.push({ kind, text: match[0], position: position + 1 });
    position += match[0].length;
  }
  return tokens;
}

function literal(token: Token, text: string): Json {
  if (token.text.startsWith("'")) return token.text.slice(1, -1).replaceAll("''", "'");
  try {
    return parseJson(token.text);
  } catch {
    throw wrong(text, token, 'a JSON literal');
  }
}

function compare(left: Json, operator: string, right: Json): boolean {
  const [a, b] = [folded(left), folded(right)];
  if (operator === '==') return equal(a, b);
  if (operator === '!=') return !equal(a, b);
  if (typeof a === 'number' && typeof b === 'number') return ordered(a, operator, b);
  // Values of any other two kinds have no order, so that no comparison of them holds.
  return typeof a === 'string' && typeof b === 'string' && ordered(a, operator, b);
}

function ordered<T extends number | string>(left: T, operator: string, right: T): boolean {
  if (operator === '<') return left < right;
  if (operator === '<=') return left <= right;
  return operator === '>' ? left > right : left >= right;
}

function folded(value: Json): Json {
  return typeof value === 'string' ? value.toLowerCase() : value;
}

function equal(left: Json, right: Json): boolean {
  if (typeof left !== 'object' || typeof right !== 'object') return left === right;
  return canonicalJson(left) === canonicalJson(right);
}

function wrong(
  text: string,
  { text: found, position }: Omit<Token, 'kind'>,
  expected: string,
): ToolError {
  const instead = found === '' ? 'it ends' : `there is ${JSON.stringify(found)}`;
  return new ToolError(
    'INTERNAL_ERROR',
    `The condition ${JSON.stringify(text.slice(0, 200))} is wrong at character ${position}: ${expected} is needed, but ${instead}.`,
  );
}
