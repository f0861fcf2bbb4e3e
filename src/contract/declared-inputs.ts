import { isPlainObject, type JsonObject } from '../base/json.ts';
import { partsOf } from './schema/types-of.ts';

/** The names of a contract's parameters; undefined when it takes others, too. */
export function declaredInputs(parameters: JsonObject): ReadonlySet<string> | undefined {
  const parts = partsOf(parameters, parameters);
  const open = (key: string): boolean =>
    parts.some((part) => part[key] === true || isPlainObject(part[key]));
  if (['additionalProperties', 'unevaluatedProperties', 'patternProperties'].some(open))
    return undefined;
  return new Set(
    parts.flatMap(({ properties }) => (isPlainObject(properties) ? Object.keys(properties) : [])),
  );
}
