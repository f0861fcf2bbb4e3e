import type { Json } from '../base/json.ts';
import type { Redactor } from '../base/redact.ts';

/**
 * A row's JSON text without secrets; nearly always the very text given. `free` is what of it anybody could
 * have chosen, when that is known: the rest need not be looked at.
 */
export function redactBody(body: string, redactor: Redactor, free: string = body): string {
  return redactor.touches(free) ? JSON.stringify(redactor.value(JSON.parse(body) as Json)) : body;
}
