import type { Json } from '../base/json.ts';
import type { Redactor } from '../base/redact.ts';

/** A row's JSON text without secrets; nearly always the very text given. */
export function redactBody(body: string, redactor: Redactor): string {
  return redactor.touches(body) ? JSON.stringify(redactor.value(JSON.parse(body) as Json)) : body;
}
