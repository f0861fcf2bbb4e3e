import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite, test } from 'node:test';
import * as fc from 'fast-check';
import { fromOpenApi } from '../../scripts/dialects/check-schema.ts';
import {
  contractOfSchema,
  isStrict,
  shownParameters,
} from '../../test/support/contract-of-schema.ts';
import type { Json, JsonObject } from '../base/json.ts';
import type { Contract } from '../contract/contract.ts';
import { compileValidator } from '../contract/schema/compile.ts';
import { buildExample } from '../contract/schema/example.ts';
import { schemaFaults } from '../contract/schema/guard.ts';
import { compile } from './compile.ts';
import { decodeCall } from './decode.ts';
import { DIALECT_IDS } from './dialect.ts';
import { normalise } from './normalise.ts';

const SHARED = join(import.meta.dirname, '../../../shared/data');
type Lint = (schema: JsonObject) => readonly string[];
const lints = existsSync(join(SHARED, 'dialects/lints.mjs'))
  ? ((await import(join(SHARED, 'dialects/lints.mjs'))) as Readonly<Record<string, Lint>>)
  : undefined;

/** The linter of a tool, by its dialect and whether it is strict. */
function lintOf(dialect: string, tool: JsonObject): Lint | undefined {
  const strict = isStrict(tool);
  if (dialect.startsWith('openai.') && strict) return lints?.['openaiStrict'];
  if (dialect === 'anthropic.strict' && strict) return lints?.['anthropicStrict'];
  if (dialect.startsWith('anthropic') || dialect === 'bedrock') return lints?.['anthropicPlain'];
  if (dialect === 'gemini.parameters') return lints?.['geminiOpenApi'];
  if (dialect === 'gemini.json') return lints?.['geminiJson'];
  return dialect === 'mcp' || dialect.startsWith('mcp.') ? undefined : lints?.['openaiLoose'];
}

/** Where an optional that may be null is absent, strict dialects have null: both mean the same there. */
function same(left: Json, right: Json): boolean {
  const bare = (value: Json): Json => {
    if (Array.isArray(value)) return value.map(bare);
    if (typeof value !== 'object' || value === null) return value;
    const kept = Object.entries(value).filter(([, child]) => child !== null);
    return Object.fromEntries(
      kept
        .map(([key, child]) => [key, bare(child)] as const)
        .toSorted(([a], [b]) => (a < b ? -1 : 1)),
    );
  };
  return JSON.stringify(bare(left)) === JSON.stringify(bare(right));
}

/** Everything that must hold of one contract in one dialect, with one valid call. */
function hold(contract: Contract, dialect: string, params: JsonObject | undefined): void {
  const compiled = compile(contract, dialect);
  const [tool] = compiled.tools;
  const about = `${dialect} ${contract.name} ${JSON.stringify(contract.parameters).slice(0, 400)}`;
  assert.deepEqual(compiled.refused, [], about);
  assert.ok(tool !== undefined);
  const schema = shownParameters(tool);
  // The budget is for all tools of a request together.
  const found = (lintOf(dialect, tool)?.(schema) ?? []).filter(
    (fault) => !/optional>24|union>16/.test(fault),
  );
  assert.deepEqual(found, [], about);
  const plan = compiled.decodePlans.get(contract.name);
  if (params === undefined || plan === undefined) return;
  const spelled = plan.spell(params);
  const shown = compileValidator(dialect === 'gemini.parameters' ? fromOpenApi(schema) : schema);
  assert.deepEqual(shown(spelled), undefined, `${about} ${JSON.stringify(spelled)}`);
  assert.ok(
    same(plan.restore(spelled), params),
    `${about} ${JSON.stringify(plan.restore(spelled))}`,
  );
  const name = compiled.nameTable.exposed(contract.name) ?? '';
  const sent = { id: '1', name, arguments: JSON.stringify(spelled), complete: true };
  const decoded = decodeCall(compiled, sent);
  assert.ok(decoded.ok, `${about} ${decoded.ok ? '' : decoded.message}`);
}

/** A schema with a value that is valid by it. */
interface Pair {
  readonly schema: JsonObject;
  readonly value: Json;
}

const leaf: fc.Arbitrary<Pair> = fc.constantFrom<Pair>(
  { schema: { type: 'string', minLength: 1, format: 'uri' }, value: 'https://a.b' },
  { schema: { type: 'string', pattern: '^\\d{3}-[\\w]+$' }, value: '123-ab' },
  { schema: { type: 'integer', minimum: 0, exclusiveMaximum: 9 }, value: 3 },
  { schema: { type: 'number', multipleOf: 0.5 }, value: 1.5 },
  { schema: { type: 'boolean' }, value: false },
  { schema: { enum: [1, 2, '2'] }, value: 2 },
  { schema: { type: 'integer', enum: [1, 2] }, value: 1 },
  { schema: { type: ['string', 'null'], enum: ['a', '', null] }, value: '' },
  { schema: { const: 'fixed' }, value: 'fixed' },
  { schema: { type: ['string', 'null'] }, value: 'text' },
  { schema: { type: ['integer', 'string'] }, value: '7' },
  { schema: {}, value: { free: [1, 'x'] } },
  { schema: { type: 'object' }, value: { any: true } },
  { schema: { type: 'array' }, value: [1, 'a'] },
  { schema: { type: 'object', additionalProperties: { type: 'integer' } }, value: { k: 1 } },
  {
    schema: { oneOf: [{ type: 'string' }, { type: 'array', items: { type: 'string' } }] },
    value: ['x'],
  },
  { schema: { anyOf: [{ type: 'integer' }, { type: 'null' }] }, value: 5 },
  {
    schema: { type: 'array', prefixItems: [{ type: 'string' }, { type: 'integer' }] },
    value: ['a', 1],
  },
  {
    schema: { $ref: '#/$defs/node', description: 'sibling' },
    value: { v: 'a', kids: [{ v: 'b' }] },
  },
  {
    schema: {
      allOf: [{ type: 'object', properties: { x: { type: 'string' } } }, { required: ['x'] }],
    },
    value: { x: 'y' },
  },
  { schema: { type: 'string', not: { const: 'bad' } }, value: 'good' },
);

const { pair } = fc.letrec<{ pair: Pair }>((tie) => ({
  pair: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    leaf,
    tie('pair').map(({ schema, value }) => ({
      schema: { type: 'array', items: schema },
      value: [value, value],
    })),
    fc.record({ a: tie('pair'), b: tie('pair'), closed: fc.boolean() }).map(({ a, b, closed }) => ({
      schema: {
        type: 'object',
        properties: { 'odd key[]': a.schema, b: b.schema, absent: { type: 'string' } },
        required: ['b'],
        ...(closed ? { additionalProperties: false } : {}),
      },
      value: { 'odd key[]': a.value, b: b.value },
    })),
  ),
}));

const NODE: JsonObject = {
  type: 'object',
  properties: { v: { type: 'string' }, kids: { type: 'array', items: { $ref: '#/$defs/node' } } },
  required: ['v'],
};

suite('a compiled contract', () => {
  for (const dialect of DIALECT_IDS) {
    test(`${dialect}: takes every valid call, reads it back, and offends nobody`, () => {
      let number = 0;
      fc.assert(
        fc.property(pair, pair, (one, two) => {
          const parameters: JsonObject = {
            type: 'object',
            properties: { one: one.schema, 'two.2': two.schema },
            required: ['one'],
            $defs: { node: NODE },
          };
          const params = { one: one.value, 'two.2': two.value };
          // What the generator puts together must itself be right.
          if (schemaFaults(parameters).length > 0 || !compileValidator(parameters).holds(params))
            return;
          hold(contractOfSchema(`case.c${number++}`, parameters), dialect, params);
        }),
        { numRuns: 40 },
      );
      assert.ok(number > 25, `${number} cases`);
    });
  }

  test('over real tools of public servers', (t) => {
    const file = join(SHARED, 'mcp-tools.jsonl');
    if (!existsSync(file)) return t.diagnostic(`not run: there is no ${file}`);
    const lines = readFileSync(file, 'utf8').split('\n').filter(Boolean);
    let judged = 0;
    for (const [index, line] of lines.entries()) {
      const parameters = normalise((JSON.parse(line) as { inputSchema: JsonObject }).inputSchema);
      if (schemaFaults(parameters).length > 0) continue;
      const contract = contractOfSchema(`tool.t${index}`, parameters);
      const built = buildExample(parameters) as JsonObject | undefined;
      const params =
        built !== undefined && compileValidator(parameters).holds(built) ? built : undefined;
      // Every tool in a few dialects, and every dialect with many tools.
      for (const place of [0, 7])
        hold(contract, DIALECT_IDS[(index + place) % DIALECT_IDS.length] ?? '', params);
      judged++;
    }
    assert.ok(judged > 1_000, `${judged} tools`);
  });
});

suite('what cannot be sent', () => {
  test('one bad contract never takes the others along', () => {
    const good = contractOfSchema('good.one', { type: 'object', properties: {} });
    const bad = [
      contractOfSchema('', { type: 'object', properties: {} }),
      contractOfSchema('bad.root', { type: 'string' }),
      contractOfSchema('bad.ref', { type: 'object', properties: { a: { $ref: '#/$defs/none' } } }),
    ];
    for (const dialect of DIALECT_IDS) {
      const { tools, refused } = compile([...bad, good], dialect);
      assert.equal(tools.length, 1, dialect);
      assert.equal(refused.length, 3, dialect);
      for (const { reasons } of refused) assert.ok((reasons[0] ?? '').length > 10);
    }
  });

  test('hostile schemas end soon, as a tool or as a refusal', () => {
    const wide = Object.fromEntries(
      Array.from({ length: 20_000 }, (_, index) => [`p${index}`, { type: 'string' }]),
    );
    let deep: JsonObject = { type: 'string' };
    for (let level = 0; level < 20_000; level++) deep = { type: 'object', properties: { a: deep } };
    let bomb: JsonObject = { type: 'string' };
    const defs: JsonObject = {};
    for (let level = 0; level < 20; level++) {
      defs[`d${level}`] = bomb;
      const next = { $ref: `#/$defs/d${level}` };
      bomb = { type: 'object', properties: { a: next, b: next, c: next } };
    }
    const hostile: readonly JsonObject[] = [
      { type: 'object', properties: wide },
      deep,
      { ...bomb, $defs: defs },
      JSON.parse('{"type":"object","properties":{"__proto__":{"type":"string"}}}') as JsonObject,
      { type: 'object', properties: { a: { enum: [] }, b: true as never, c: false as never } },
      { $ref: '#' },
    ];
    for (const [index, schema] of hostile.entries()) {
      for (const dialect of DIALECT_IDS) {
        const began = performance.now();
        const { tools, refused } = compile(contractOfSchema(`bad.h${index}`, schema), dialect);
        assert.equal(tools.length + refused.length, 1);
        assert.ok(performance.now() - began < 5_000, `${dialect} ${index}`);
      }
    }
  });
});

suite('tools of one request', () => {
  const many = Array.from({ length: 140 }, (_, index) =>
    contractOfSchema(`set.t${index}`, { type: 'object', properties: {} }),
  );

  test('no more than the vendor takes, the rest refused by name, whatever the order', () => {
    const { tools, refused } = compile(many, 'openai.chat');
    assert.deepEqual([tools.length, refused.length], [128, 12]);
    assert.equal(refused[0]?.code, 'TOO_MANY_TOOLS');
    const other = compile(many.toReversed(), 'openai.chat');
    assert.deepEqual(other.tools, tools);
    assert.equal(compile(many, 'anthropic').tools.length, 140);
  });

  test('Anthropic: strict within one budget, writes before reads', () => {
    const parameters: JsonObject = {
      type: 'object',
      properties: { a: { type: 'string' }, b: { type: 'string' } },
      required: ['a'],
    };
    const contracts = Array.from({ length: 30 }, (_, index) =>
      contractOfSchema(`set.t${index}`, parameters, {
        side_effect: { kind: index < 25 ? 'read' : 'write' },
      }),
    );
    const { tools, warnings } = compile(contracts, 'anthropic.strict');
    const strict = tools.filter(isStrict).map(({ name }) => name);
    assert.equal(strict.length, 10, 'ten optional parameters in all');
    for (const index of [25, 26, 27, 28, 29]) assert.ok(strict.includes(`set_t${index}`));
    assert.equal(warnings.filter(({ code }) => code === 'STRICT_BUDGET_EXCEEDED').length, 20);
  });

  test('examples go where the vendor has a place for them, else into words within a budget', () => {
    const parameters: JsonObject = { type: 'object', properties: { n: { type: 'integer' } } };
    const examples = [
      { description: 'One', input: { n: 1 } },
      { description: 'Large', input: { n: 2, text: 'x'.repeat(900) } },
    ];
    const contract = contractOfSchema('demo.n', parameters, { examples });
    const [own] = compile(contract, 'anthropic').tools;
    assert.deepEqual(own?.['input_examples'], [{ n: 1 }, examples[1]?.input]);
    const [told] = compile(contract, 'openai.chat').tools;
    const { description } = (told?.['function'] ?? {}) as { description: string };
    assert.match(description, /Examples: \{"n":1\}$/);
    const [long] = compile(
      contractOfSchema('a.b', parameters, { description: 'long '.repeat(400) }),
      'openai.chat',
    ).tools;
    assert.equal(((long?.['function'] ?? {}) as { description: string }).description.length, 1_024);
  });
});
