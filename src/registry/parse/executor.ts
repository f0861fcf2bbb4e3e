import { isPlainObject } from '../../base/json.ts';
import type { ExecutorSpec } from '../../contract/contract.ts';
import type { Findings } from './findings.ts';
import {
  ANY,
  fits,
  NAMES,
  oneOf,
  required,
  TEXT,
  TEXT_MAP,
  TEXTS,
  wholeFrom,
  type Field,
  type Shape,
} from './shape.ts';

const FILE: Field = { ...TEXT, says: "the name of a file in the skill's folder" };
const POINTER: Field = {
  is: (value) => typeof value === 'string' && (value === '' || value.startsWith('/')),
  says: 'a JSON pointer into the reply, such as "/data/items"',
};
const SHAPES: ReadonlyMap<unknown, Shape> = new Map<ExecutorSpec['kind'], Shape>([
  ['module', { kind: ANY, file: FILE }],
  [
    'command',
    {
      kind: ANY,
      command: { ...NAMES, says: 'a list of the program and its arguments' },
      file: FILE,
      mode: oneOf(['once', 'pooled']),
      pool_size: wholeFrom(1, 64),
      environment: TEXTS,
    },
  ],
  [
    'http',
    {
      kind: ANY,
      method: required(oneOf(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'])),
      url: required({ ...TEXT, says: 'a URL, which may hold {inputs.x} and {settings.x}' }),
      query: TEXT_MAP,
      headers: TEXT_MAP,
      body: ANY,
      result: POINTER,
      redirects: oneOf(['refuse', 'same-origin']),
    },
  ],
  ['composite', { kind: ANY, file: FILE }],
]);

/** Reads how a body runs; what the files beside the contract tell stands in where it says nothing. */
export function parseExecutor(
  value: unknown,
  found: ExecutorSpec | undefined,
  findings: Findings,
): ExecutorSpec {
  if (value === undefined && found === undefined)
    findings.error(
      '/executor',
      'is missing: add executor.ts, .mjs, .js, .py, .sh or flow.json to the folder, or say here how the skill runs',
    );
  if (isPlainObject(value)) {
    const shape = SHAPES.get(value['kind']);
    if (shape === undefined)
      findings.error('/executor/kind', `must be one of ${[...SHAPES.keys()].join(', ')}`);
    else fits(value, shape, '/executor', findings);
  }
  return (value ?? found) as ExecutorSpec;
}
