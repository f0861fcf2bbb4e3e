import { isPlainObject, type JsonObject } from '../../base/json.ts';
import { partsOf } from '../../contract/schema/types-of.ts';

/** The parameters a schema names, those of its branches too; what it only allows by pattern is none. */
export function parameterNames(schema: JsonObject): readonly string[] {
  const names = partsOf(schema, schema).flatMap((part) =>
    isPlainObject(part['properties']) ? Object.keys(part['properties']) : [],
  );
  return [...new Set(names)];
}
