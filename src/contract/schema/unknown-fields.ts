import type { Json, JsonObject } from '../../base/json.ts';
import { nearest } from '../../base/nearest.ts';
import type { Violation } from '../execution-context.ts';
import { didYouMean } from './violations.ts';

/** What one cleaning has to say. */
export interface Report {
  readonly write: boolean;
  warnings: string[] | undefined;
  violations: Violation[] | undefined;
}

/** True when the field may be dropped; otherwise the report says why it may not. */
export function unknownField(
  key: string,
  declared: Iterable<string>,
  path: string,
  report: Report,
): boolean {
  const names = [...declared];
  const shown = path === '' ? key.slice(0, 80) : `${path}.${key.slice(0, 80)}`;
  const alike = nearest(key, names, 1).length > 0;
  if (!report.write && !alike) {
    (report.warnings ??= []).push(`${shown} is not a parameter and was left out.`);
    return true;
  }
  const suggestion = didYouMean(key, names);
  (report.violations ??= []).push({
    path: `/${shown.replaceAll('.', '/')}`,
    rule: 'unknown',
    message: `${shown} is not a parameter${report.write ? ', and nothing is dropped from a write' : ''}`,
    ...(suggestion === undefined ? {} : { suggestion }),
  });
  return false;
}

/** What the schema says nothing about may hold anything but the one key that assignment would turn into a prototype. */
export function cleanLoose<Value extends Json>(value: Value, path: string, report: Report): Value {
  if (typeof value !== 'object' || value === null) return value;
  const at = (key: string): string => (path === '' ? key : `${path}.${key}`);
  let copy: JsonObject | undefined;
  for (const [key, child] of Object.entries(value as JsonObject)) {
    const inside = typeof child === 'object' && key !== '__proto__';
    const clean = inside ? cleanLoose(child, at(key), report) : child;
    const drop = key === '__proto__' && unknownField(key, [], path, report);
    if (clean === child && !drop) continue;
    copy ??= (Array.isArray(value) ? [...value] : { ...value }) as JsonObject;
    if (drop) delete copy[key];
    else copy[key] = clean;
  }
  return (copy ?? value) as Value;
}
