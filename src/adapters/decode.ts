import { nearest } from '../base/nearest.ts';
import { isPlainObject, type Json, type JsonObject } from '../base/json.ts';
import { compileChecker, type Checker } from '../contract/checker.ts';
import type { Contract } from '../contract/contract.ts';
import type { ErrorCode } from '../contract/error.ts';
import type { Compiled } from './compile.ts';
import type { DecodePlan } from './decode-plan.ts';
import { parseArguments } from './parse-arguments.ts';
import type { ToolCall } from './tool-call.ts';

/** A call that cannot be made, told so that the model can send a right one. */
export interface DecodeFailure {
  readonly ok: false;
  readonly code: ErrorCode;
  readonly reason: string;
  readonly message: string;
  readonly details: JsonObject;
}

/** A call with its skill and its parameters as the contract has them, not yet judged. */
export interface ReadCall {
  readonly ok: true;
  readonly skill: string;
  readonly params: JsonObject;
  /** `REPAIRED:fence` and the like. */
  readonly changes: readonly string[];
}

/**
 * Reads a call: its name, its arguments in exactly one reading, and everything the compiler had spelled
 * otherwise put back. What it says is not judged yet: the mediator does that for every call. Never throws.
 */
export function readCall(compiled: Compiled, call: ToolCall): ReadCall | DecodeFailure {
  const skill = compiled.nameTable.skill(call.name);
  const plan = skill === undefined ? undefined : compiled.decodePlans.get(skill);
  if (skill === undefined || plan === undefined) return unknownTool(compiled, call.name);
  const { contract } = plan;
  if (!call.complete) return unreadable(contract, 'truncated');
  const parsed = parseArguments(call.arguments, contract.side_effect.kind === 'write');
  if (!parsed.ok) return unreadable(contract, parsed.reason);
  const restored = restore(plan, parsed.value);
  if (restored === undefined) return unreadable(contract, 'too_deep');
  return {
    ok: true,
    skill,
    params: restored,
    changes: parsed.repairs.map((repair) => `REPAIRED:${repair}`),
  };
}

/** Undefined when the value is nested deeper than the stack goes. */
function restore(plan: DecodePlan, sent: JsonObject): JsonObject | undefined {
  try {
    const value = plan.restore(sent);
    return isPlainObject(value) ? value : sent;
  } catch {
    return undefined;
  }
}

/** A call whose parameters are clean and valid by the contract, or what is wrong with it. */
export type Decoded = ReadCall | DecodeFailure;

const checkers = new WeakMap<Contract, Checker>();

/**
 * Reads a call and holds it to the contract as the mediator would, defaults filled in: for hosts that run
 * tools themselves. Executes nothing and never throws.
 */
export function decodeCall(compiled: Compiled, call: ToolCall, now = Date.now()): Decoded {
  const read = readCall(compiled, call);
  if (!read.ok) return read;
  const { contract } = compiled.decodePlans.get(read.skill) as { readonly contract: Contract };
  try {
    const checker = checkerOf(contract);
    if (checker.isSound(read.params)) {
      const broken = checker.check(read.params, now, true);
      return broken === undefined ? read : invalid(contract, broken, checker);
    }
    const { params, warnings, violations } = checker.clean(read.params);
    const broken = violations.length > 0 ? violations : checker.check(params, now);
    if (broken !== undefined) return invalid(contract, broken, checker);
    const coerced = coercions(read.params, params, '').map((path) => `COERCED:${path}`);
    return { ...read, params, changes: [...read.changes, ...coerced, ...warnings] };
  } catch {
    return unreadable(contract, 'too_deep');
  }
}

function checkerOf(contract: Contract): Checker {
  let checker = checkers.get(contract);
  if (checker === undefined) checkers.set(contract, (checker = compileChecker(contract, {})));
  return checker;
}

/** Where a value is of another type than it was sent as. */
function coercions(before: Json, after: Json, path: string): readonly string[] {
  if (!isPlainObject(before) || !isPlainObject(after)) {
    if (Array.isArray(before) && Array.isArray(after))
      return after.flatMap((item, index) =>
        coercions(before[index] as Json, item, `${path}/${index}`),
      );
    return before === after || before === undefined ? [] : [path];
  }
  return Object.entries(after).flatMap(([key, value]) =>
    Object.hasOwn(before, key) ? coercions(before[key] as Json, value, `${path}/${key}`) : [],
  );
}

const REASONS: Readonly<Record<string, string>> = {
  truncated: 'they end in the middle. Send the whole call again, shorter if need be',
  several_payloads: 'they hold more than one object. Send one call for each',
  duplicate_key: 'one name stands twice with different values. Send each once',
  invalid_escape: 'a backslash in a text is not escaped. Write \\\\ for a backslash',
  ambiguous: 'they can be read in more than one way. Escape every " inside a text as \\"',
  not_an_object: 'they are no JSON object. Send an object with the parameters by name',
  number_out_of_range: 'a number is too large to be one',
  too_deep: 'they are nested too deeply. Send plain JSON of modest depth',
  too_large: 'they have over 1 MiB. Send less at once',
};

function unreadable(contract: Contract, reason: string): DecodeFailure {
  const example = checkerOf(contract).example();
  const why = REASONS[reason] ?? 'they are no JSON. Send one JSON object and nothing around it';
  const shown = example === undefined ? '' : ` For example: ${JSON.stringify(example)}`;
  return {
    ok: false,
    code: 'PARSE_ERROR',
    reason,
    message: `${contract.name} was not run: its arguments cannot be read, because ${why}.${shown}`,
    details: { reason, ...(example === undefined ? {} : { example }) },
  };
}

function invalid(
  contract: Contract,
  violations: NonNullable<ReturnType<Checker['check']>>,
  checker: Checker,
): DecodeFailure {
  const example = checker.example();
  const told = violations.map(({ message, suggestion }) =>
    suggestion === undefined ? message : `${message} (${suggestion})`,
  );
  const shown = example === undefined ? '' : ` A valid call: ${JSON.stringify(example)}`;
  return {
    ok: false,
    code: 'INVALID_PARAMS',
    reason: 'structure',
    message: `${contract.name} was not run: ${told.join('; ')}.${shown}`,
    details: {
      reason: 'structure',
      violations: violations.map((violation) => ({ ...violation })),
      ...(example === undefined ? {} : { example }),
    },
  };
}

function unknownTool(compiled: Compiled, called: string): DecodeFailure {
  const names = [...compiled.decodePlans.keys()].map(
    (skill) => compiled.nameTable.exposed(skill) ?? skill,
  );
  const suggestions = nearest(called, names, 3, 0.5);
  const hint =
    suggestions.length > 0
      ? `Did you mean ${suggestions.join(' or ')}?`
      : 'Call one of the tools you were given.';
  return {
    ok: false,
    code: 'TOOL_NOT_FOUND',
    reason: 'unknown_tool',
    message: `There is no tool named ${JSON.stringify(called.slice(0, 80))}. ${hint}`,
    details: { reason: 'unknown_tool', suggestions },
  };
}
