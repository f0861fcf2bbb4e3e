import { isPlainObject } from '../base/json.ts';
import { nearest } from '../base/nearest.ts';
import type { Violation } from '../contract/execution-context.ts';

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

/** What is wrong with a call's envelope; nothing unknown or ill-typed is ignored. An empty list means usable. */
export function requestFaults(request: unknown): readonly Violation[] {
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
