import type { Failure } from '../contract/outcome.ts';
import type { SerialisedError } from '../contract/tool-error.ts';
import type { Library } from './library.ts';

/** A failure as the caller sees it: without its cause, and without secrets. */
export function serialise(library: Library, { code, message, details }: Failure): SerialisedError {
  const redactor = library.services.redactor();
  return {
    code,
    message: redactor.text(message),
    ...(details === undefined ? {} : { details: redactor.value(details) }),
  };
}
