import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { contractOfSchema } from '../../test/support/contract-of-schema.ts';
import type { JsonObject } from '../base/json.ts';
import type { Contract } from '../contract/contract.ts';
import { CallCollector } from './collect-stream.ts';
import { compile } from './compile.ts';
import { decodeCall, type Decoded } from './decode.ts';

const PARAMETERS: JsonObject = {
  type: 'object',
  properties: {
    path: { type: 'string' },
    limit: { type: 'integer', default: 10, minimum: 1 },
    level: { type: 'string', enum: ['low', 'high'] },
    tags: { type: 'array', items: { type: 'string' } },
    flag: { type: 'boolean' },
    raw: { anyOf: [{ type: 'string' }, { type: 'null' }] },
    token: { type: 'string', writeOnly: true },
  },
  required: ['path'],
  additionalProperties: false,
};
const READ = contractOfSchema('file.do', PARAMETERS);
const WRITE = contractOfSchema('file.do', PARAMETERS, { side_effect: { kind: 'write' } });

function decode(
  sent: unknown,
  { contract = READ, dialect = 'openai.chat', name = 'file_do', complete = true } = {},
): Decoded {
  return decodeCall(compile(contract, dialect), { id: '1', name, arguments: sent, complete });
}

const params = (decoded: Decoded): unknown => (decoded.ok ? decoded.params : decoded.code);

suite('a call as a model makes it', () => {
  const rows: readonly (readonly [what: string, sent: unknown, expected: unknown])[] = [
    ['defaults are filled in', { path: 'a' }, { path: 'a', limit: 10 }],
    ['null is absent', { path: 'a', tags: null }, { path: 'a', limit: 10 }],
    ['null stays where it is meant', { path: 'a', raw: null }, { path: 'a', raw: null, limit: 10 }],
    [
      'texts hold numbers and booleans',
      { path: 'a', limit: '5', flag: 'true' },
      { path: 'a', limit: 5, flag: true },
    ],
    [
      'text that is text stays',
      { path: '{"k":1}', raw: '["0x"]' },
      { path: '{"k":1}', raw: '["0x"]', limit: 10 },
    ],
    ['JSON text of a list', { path: 'a', tags: '["x"]' }, { path: 'a', tags: ['x'], limit: 10 }],
    [
      'an enumeration in another case',
      { path: 'a', level: 'HIGH' },
      { path: 'a', level: 'high', limit: 10 },
    ],
    ['a value that does not fit', { path: 'a', limit: 0 }, 'INVALID_PARAMS'],
    ['nothing that is needed', {}, 'INVALID_PARAMS'],
  ];
  for (const [what, sent, expected] of rows) {
    test(what, () => {
      assert.deepEqual(params(decode(sent)), expected);
      assert.deepEqual(
        params(decode(JSON.stringify(sent), { dialect: 'openai.strict' })),
        expected,
      );
    });
  }

  test('what was changed is said', () => {
    const decoded = decode('```json\n{"path":"a","limit":"5","zzz":1}\n```');
    assert.ok(decoded.ok);
    assert.deepEqual(decoded.changes, [
      'REPAIRED:fence',
      'COERCED:/limit',
      'zzz is not a parameter and was left out.',
    ]);
  });

  test('nothing is dropped from a write', () => {
    const decoded = decode({ path: 'a', zzz: 1 }, { contract: WRITE });
    assert.equal(params(decoded), 'INVALID_PARAMS');
  });

  test('an incomplete call never runs, however whole it looks', () => {
    const decoded = decode('{"path":"a"}', { complete: false });
    assert.ok(!decoded.ok);
    assert.deepEqual([decoded.code, decoded.reason], ['PARSE_ERROR', 'truncated']);
  });

  test('every refusal tells the model what to send, with an example, and no secret', () => {
    const secret = 'tr0ub4dor-and-3';
    const contract: Contract = {
      ...READ,
      examples: [{ description: 'd', input: { path: 'a', token: secret } }],
    };
    for (const sent of ['{"path":', { limit: 0, token: secret }, `{"token":"${secret}"`]) {
      const decoded = decode(sent, { contract });
      assert.ok(!decoded.ok);
      assert.match(decoded.message, /file\.do was not run: .*\{"path":"a"/);
      assert.ok(!JSON.stringify(decoded).includes(secret), JSON.stringify(decoded));
    }
    const unknown = decode({}, { name: 'file_od' });
    assert.ok(!unknown.ok);
    assert.match(unknown.message, /Did you mean file_do\?/);
  });

  test('a dialect’s own spelling is put back', () => {
    const schema: JsonObject = {
      type: 'object',
      properties: { 'filter[id]': { type: 'integer', enum: [1, 2] }, free: {} },
      required: ['filter[id]'],
    };
    const contract = contractOfSchema('file.do', schema);
    const compiled = compile(contract, 'gemini.parameters');
    const spelled = compiled.decodePlans
      .get('file.do')
      ?.spell({ 'filter[id]': 2, free: [1] }) as JsonObject;
    assert.deepEqual(Object.values(spelled), ['2', '[1]']);
    assert.deepEqual(params(decode(spelled, { contract, dialect: 'gemini.parameters' })), {
      'filter[id]': 2,
      free: [1],
    });
    const [key = ''] = Object.keys(spelled);
    assert.equal(
      params(decode({ [key]: '9' }, { contract, dialect: 'gemini.parameters' })),
      'INVALID_PARAMS',
    );
  });
});

suite('calls out of a stream', () => {
  const piece = (index: number, text: string, head: object = {}) => ({
    index,
    arguments: text,
    ...head,
  });

  test('are put together by index, whatever is repeated or left out, and only at the end', () => {
    const collector = new CallCollector();
    for (const delta of [
      piece(0, '', { id: 'a', name: 'f' }),
      piece(1, '{"n"', { id: 'b', name: 'g' }),
      piece(0, '{"n":', { id: '' }),
      piece(1, ':2}', { id: 'b' }),
      piece(0, '1}'),
    ])
      collector.push(delta);
    assert.deepEqual(collector.end('tool_calls'), [
      { id: 'a', name: 'f', arguments: '{"n":1}', complete: true },
      { id: 'b', name: 'g', arguments: '{"n":2}', complete: true },
    ]);
    assert.deepEqual(collector.end('stop'), []);
  });

  test('without an index they go by id, and then to the last', () => {
    const collector = new CallCollector();
    collector.push({ id: 'a', name: 'f', arguments: '{' });
    collector.push({ arguments: '}' });
    collector.push({ id: 'b', name: 'g', arguments: '{}' });
    assert.deepEqual(
      collector.end('stop').map(({ id, arguments: text }) => [id, text]),
      [
        ['a', '{}'],
        ['b', '{}'],
      ],
    );
  });

  for (const reason of [undefined, 'length', 'max_tokens', 'MAX_TOKENS', 'incomplete']) {
    test(`none may run after ${reason ?? 'a stream that just stopped'}`, () => {
      const collector = new CallCollector();
      collector.push(piece(0, '{}', { id: 'a', name: 'f' }));
      assert.deepEqual(
        collector.end(reason).map(({ complete }) => complete),
        [false],
      );
    });
  }
});
