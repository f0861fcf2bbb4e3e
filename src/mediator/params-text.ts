import type { Call } from './call.ts';
import type { Services } from './services.ts';

/** A call's parameters as JSON text, without what the contract marks as sensitive; what is no JSON is named instead. */
export function paramsText(call: Call, services: Services): string {
  try {
    return JSON.stringify(services.checker(call.skill).shown(call.params));
  } catch {
    return '"[not JSON]"';
  }
}
