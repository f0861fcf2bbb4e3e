import { compile, type Compiled } from '../../src/adapters/compile.ts';
import { normalise } from '../../src/adapters/normalise.ts';
import type { Json, JsonObject } from '../../src/base/json.ts';
import type { Contract } from '../../src/contract/contract.ts';
import { codesOf, contractOf, targetOf, type DialectCase, type Findings } from './case.ts';

/** Holds one tool's name and description, or its refusal, to what a case expects. */
export function checkTool(given: DialectCase, findings: Findings): void {
  const {
    name,
    description,
    input_schema: schema,
  } = given['tool'] as {
    name: string;
    description: string;
    input_schema: JsonObject;
  };
  const contract = { ...contractOf(given, name, normalise(schema)), description };
  const compiled = compile(contract, targetOf(given));
  const error = findings.take(given.expected, 'error');
  if (error !== undefined) {
    findings.expect(compiled.refused[0]?.code === error, `refused as ${compiled.refused[0]?.code}`);
    return;
  }
  const [tool = {}] = compiled.tools;
  const told = JSON.stringify(tool);
  const words = descriptionOf(tool);
  const longest = findings.take(given.expected, 'description_max');
  if (typeof longest === 'number')
    findings.expect(words.length <= longest, `the description has ${words.length} characters`);
  if (findings.take(given.expected, 'description_non_empty') === true)
    findings.expect(words !== '', 'there is no description');
  for (const text of textsIn(findings.take(given.expected, 'keep_text')))
    findings.expect(told.includes(text), `${text} is lost`);
  checkNames(compiled, [name], { given, findings });
}

/** One text, or several; none for anything else. */
function textsIn(value: Json | undefined): readonly string[] {
  return [value].flat().filter((item) => typeof item === 'string');
}

function descriptionOf(tool: JsonObject): string {
  const own = (tool['function'] ?? tool['toolSpec'] ?? tool) as JsonObject;
  return typeof own['description'] === 'string' ? own['description'] : '';
}

function checkNames(
  compiled: Compiled,
  names: readonly string[],
  { given, findings }: { readonly given: DialectCase; readonly findings: Findings },
): void {
  const { expected } = given;
  const exposed = names.map((name) => compiled.nameTable.exposed(name) ?? '');
  const pattern = findings.take(expected, 'name_pattern');
  if (typeof pattern === 'string')
    for (const name of exposed) findings.expect(new RegExp(pattern).test(name), `name ${name}`);
  const distinct = findings.take(expected, 'distinct');
  if (distinct !== undefined)
    findings.expect(new Set(exposed).size === distinct, `${new Set(exposed).size} distinct names`);
  if (findings.take(expected, 'reverse_map') !== undefined)
    for (const [index, name] of names.entries())
      findings.expect(
        compiled.nameTable.skill(exposed[index] ?? '') === name,
        `no way back to ${name}`,
      );
  if (findings.take(expected, 'order_independent') === true) {
    const contracts = names.map((name) =>
      contractOf(given, name, { type: 'object', properties: {} }),
    );
    const other = compile(contracts.toReversed(), targetOf(given));
    for (const [index, name] of names.entries())
      findings.expect(
        other.nameTable.exposed(name) === exposed[index],
        `${name} depends on the order`,
      );
  }
}

interface GivenTool {
  readonly name: string;
  readonly description?: string;
  readonly input_schema?: JsonObject;
  readonly side_effect?: string;
}

/** The contracts of a set of tools: as they are given, by name alone, or so many of one shape. */
export function contractsOf(given: DialectCase): readonly Contract[] {
  const { tools, names } = given;
  if (Array.isArray(tools))
    return (tools as GivenTool[]).map(
      ({ name, description, input_schema: schema, side_effect: effect }) =>
        contractOf(
          { ...given, description, side_effect: effect ?? given['side_effect'] },
          name,
          normalise(schema ?? EMPTY),
        ),
    );
  const { count = 1, each = {} } = (tools ?? {}) as {
    count?: number;
    each?: Readonly<Record<string, number>>;
  };
  const shapes: Readonly<Record<string, JsonObject>> = {
    required: { type: 'string' },
    optional: { type: 'string' },
    union: { anyOf: [{ type: 'string' }, { type: 'integer' }] },
  };
  const properties = Object.fromEntries(
    Object.entries(shapes).flatMap(([kind, schema]) =>
      Array.from({ length: each[kind] ?? 0 }, (_, index) => [`${kind}_${index}`, schema]),
    ),
  );
  const parameters: JsonObject = {
    type: 'object',
    properties,
    required: Object.keys(properties).filter((name) => !name.startsWith('optional')),
    additionalProperties: false,
  };
  const all =
    (names as string[] | undefined) ??
    Array.from({ length: count }, (_, index) => `set.tool-${index}`);
  return all.map((name) => contractOf(given, name, parameters));
}

const EMPTY: JsonObject = { type: 'object', properties: {} };

/** Holds the tools of one request to what a case expects. */
export function checkToolset(given: DialectCase, findings: Findings): void {
  const { expected } = given;
  const contracts = contractsOf(given);
  const compiled = compile(contracts, targetOf(given));
  const strict = compiled.tools.filter((tool) => tool['strict'] === true);
  const limit = (key: string, value: number): void => {
    const most = findings.take(expected, key);
    if (typeof most === 'number') findings.expect(value <= most, `${key}: ${value}`);
  };
  const each = ((given['tools'] ?? {}) as { each?: Readonly<Record<string, number>> }).each ?? {};
  limit('strict_tools_max', strict.length);
  limit('optional_total_max', strict.length * (each['optional'] ?? 0));
  limit('union_total_max', strict.length * (each['union'] ?? 0));
  limit('max', compiled.tools.length);
  const refused = new Set(compiled.refused.map(({ skill }) => skill));
  findings.expect(
    compiled.tools.length + refused.size === contracts.length,
    'a tool is neither sent nor refused',
  );
  for (const name of textsIn(findings.take(expected, 'refused')))
    findings.expect(refused.has(name), `${name} was not refused`);
  const sent = contracts.map(({ name }) => name).filter((name) => !refused.has(name));
  for (const name of textsIn(findings.take(expected, 'sent')))
    findings.expect(sent.includes(name), `${name} was not sent`);
  if (findings.take(expected, 'other_tools_survive') === true)
    findings.expect(sent.length > 0, 'no tool survived');
  const action = findings.take(expected, 'action');
  const error = findings.take(expected, 'error');
  const wants = [action, error].some(
    (text) => typeof text === 'string' && text.includes('TOO_MANY_TOOLS'),
  );
  if (wants)
    findings.expect(
      compiled.refused.some(({ code }) => code === 'TOO_MANY_TOOLS'),
      'nothing is refused',
    );
  const codes = codesOf(compiled);
  for (const code of (findings.take(expected, 'warn') ?? []) as string[])
    findings.expect(codes.includes(code), `no warning ${code}`);
  checkNames(compiled, sent, { given, findings });
}
