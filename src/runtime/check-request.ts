import { isPlainObject, type JsonObject } from '../base/json.ts';
import { nearest } from '../base/nearest.ts';
import type { CallOptions } from '../contract/envelope.ts';
import type { Violation } from '../contract/execution-context.ts';
import { fail, type Failure } from '../contract/outcome.ts';

const REQUEST = ['toolName', 'params', 'options'];
const NUMBERS: Readonly<
  Record<string, { readonly least: number; readonly most: number; readonly whole: boolean }>
> = {
  timeout: { least: 1, most: 3_600_000, whole: false },
  retries: { least: 0, most: 100, whole: true },
  retryDelay: { least: 0, most: 3_600_000, whole: false },
  deadline: { least: 1, most: 3_600_000, whole: false },
};
const OPTIONS = [...Object.keys(NUMBERS), 'format'];

const NONE: readonly never[] = [];

const EXAMPLE = {
  toolName: 'task.create',
  params: { title: 'Buy milk' },
  options: { timeout: 5000 },
};

const DISCOVERY = { action: 'discover', options: { filter: 'task' } };

/** A call's envelope whose form is right. */
export interface WellFormed {
  readonly toolName: string;
  readonly params: JsonObject;
  readonly options: CallOptions | undefined;
}

/** What is sent for a request, read once; the failure INVALID_PARAMS when it is no call at all. Never throws. */
export function checkRequest(request: unknown): WellFormed | Failure {
  try {
    const faults = requestFaults(request);
    if (faults.length > 0) return malformed(faults);
    const { toolName, params, options } = request as WellFormed;
    return { toolName, params: params ?? {}, options };
  } catch (error) {
    // A getter or a proxy may do anything.
    return malformed(
      [{ path: '', rule: 'type', message: 'the call cannot be read: send plain JSON' }],
      error,
    );
  }
}

/** The filter of a discovery in lower case, empty when it asks for everything; the failure INVALID_PARAMS when it is none. Never throws. */
export function checkDiscovery(request: unknown): string | Failure {
  const wrong = (message: string, cause?: unknown): Failure =>
    fail(
      'INVALID_PARAMS',
      `Nothing was listed: ${message}. A valid request: ${JSON.stringify(DISCOVERY)}`,
      { details: { reason: 'envelope', example: DISCOVERY }, cause },
    ).error;
  try {
    if (request === undefined) return '';
    if (!isPlainObject(request)) return wrong('a discovery is an object');
    const { action, options } = request;
    const [unknown] = [
      ...unknownKeys(request, ['action', 'options'], ''),
      ...(isPlainObject(options) ? unknownKeys(options, ['filter'], 'options.') : []),
    ];
    if (unknown !== undefined) return wrong(`${unknown.message} (${unknown.suggestion})`);
    if (action !== 'discover') return wrong('action must be "discover"');
    if (options === undefined) return '';
    if (!isPlainObject(options)) return wrong('options must be an object');
    const { filter = '' } = options;
    return typeof filter === 'string'
      ? filter.toLowerCase()
      : wrong('options.filter must be a string');
  } catch (error) {
    return wrong('the request cannot be read: send plain JSON', error);
  }
}

/** The name a request carries, however wrong the rest of it is; empty when there is none. */
export function requestedName(request: unknown): string {
  try {
    const name = isPlainObject(request) ? request['toolName'] : undefined;
    return typeof name === 'string' ? name : '';
  } catch {
    return '';
  }
}

function malformed(faults: readonly Violation[], cause?: unknown): Failure {
  const told = faults
    .map(({ message, suggestion }) =>
      suggestion === undefined ? message : `${message} (${suggestion})`,
    )
    .join('; ');
  return fail(
    'INVALID_PARAMS',
    `Nothing was run: ${told}. A valid call: ${JSON.stringify(EXAMPLE)}`,
    {
      details: {
        reason: 'envelope',
        violations: faults.map((fault) => ({ ...fault })),
        example: EXAMPLE,
      },
      cause,
    },
  ).error;
}

/** What is wrong with a call's envelope; nothing unknown or ill-typed is ignored. An empty list means usable. */
function requestFaults(request: unknown): readonly Violation[] {
  return isUsual(request) ? NONE : findFaults(request);
}

/** True for a plain call without options, which is nearly every one: it is not worth a list. */
function isUsual(request: unknown): boolean {
  if (!isPlainObject(request) || typeof request['toolName'] !== 'string') return false;
  for (const key in request) if (key !== 'toolName' && key !== 'params') return false;
  const { toolName, params } = request;
  return toolName.trim() !== '' && (params === undefined || isPlainObject(params));
}

function findFaults(request: unknown): readonly Violation[] {
  if (!isPlainObject(request))
    return [
      {
        path: '',
        rule: 'type',
        message: 'a call is an object {"toolName": "...", "params": {...}}',
      },
    ];
  const faults: Violation[] = unknownKeys(request, REQUEST, '');
  const { toolName, params, options } = request;
  if (typeof toolName !== 'string' || toolName.trim() === '')
    faults.push({
      path: '/toolName',
      rule: 'type',
      message: 'toolName must be a non-empty string',
    });
  if (params !== undefined && !isPlainObject(params))
    faults.push({ path: '/params', rule: 'type', message: 'params must be an object' });
  if (options === undefined) return faults;
  if (!isPlainObject(options))
    return [...faults, { path: '/options', rule: 'type', message: 'options must be an object' }];
  faults.push(...unknownKeys(options, OPTIONS, 'options.'));
  for (const [name, bounds] of Object.entries(NUMBERS)) {
    const value = options[name];
    if (value === undefined) continue;
    const fits =
      typeof value === 'number' &&
      value >= bounds.least &&
      value <= bounds.most &&
      (!bounds.whole || Number.isInteger(value));
    if (!fits)
      faults.push({
        path: `/options/${name}`,
        rule: 'range',
        message: `options.${name} must be a ${bounds.whole ? 'whole ' : ''}number from ${bounds.least} to ${bounds.most}`,
      });
  }
  if (
    options['format'] !== undefined &&
    options['format'] !== 'json' &&
    options['format'] !== 'raw'
  ) {
    faults.push({
      path: '/options/format',
      rule: 'enum',
      message: 'options.format must be "json" or "raw"',
    });
  }
  return faults;
}

function unknownKeys(
  value: Record<string, unknown>,
  known: readonly string[],
  prefix: string,
): Violation[] {
  return Object.keys(value)
    .filter((key) => !known.includes(key))
    .map((key) => {
      const close = nearest(key, known, 1)[0];
      const suggestion =
        close === undefined
          ? `it may have ${known.map((name) => prefix + name).join(', ')}`
          : `did you mean ${prefix}${close}?`;
      return {
        path: `/${(prefix + key.slice(0, 80)).replaceAll('.', '/')}`,
        rule: 'unknown',
        message: `${prefix}${key.slice(0, 80)} is not known`,
        suggestion,
      };
    });
}
