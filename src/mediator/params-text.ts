import type { Call } from './call.ts';
import type { Services } from './services.ts';

/** A call's parameters as redacted JSON text; what is no JSON is named instead. */
export function paramsText(call: Call, services: Services): string {
  try {
    return services.redactor().text(JSON.stringify(services.checker(call.skill).shown(call.params)));
  } catch {
    return '"[not JSON]"';
  }
}
