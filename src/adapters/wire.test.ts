import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import type { JsonObject } from '../base/json.ts';
import { DIALECT_IDS, findDialect } from './dialect.ts';
import { wireOf } from './wire.ts';

interface Row {
  readonly dialect: string;
  /** A reply with two calls, f and g, as the vendor writes it. */
  readonly reply: JsonObject;
  /** The same, cut off. */
  readonly cut: JsonObject;
  /** The messages behind the model's turn, for f that worked and g that failed. */
  readonly results: readonly unknown[];
}

const chatCalls = [
  { id: 'c1', type: 'function', function: { name: 'f', arguments: '{"n":1}' } },
  { id: 'c2', type: 'function', function: { name: 'g', arguments: '{}' } },
];
const chat = { role: 'assistant', content: null, reasoning_content: 'kept', tool_calls: chatCalls };
const responses = [
  { type: 'reasoning', id: 'rs_1', encrypted_content: 'opaque', summary: [] },
  {
    type: 'function_call',
    id: 'fc_1',
    call_id: 'c1',
    name: 'f',
    arguments: '{"n":1}',
    status: 'completed',
  },
  {
    type: 'function_call',
    id: 'fc_2',
    call_id: 'c2',
    name: 'g',
    arguments: '{}',
    status: 'completed',
  },
];
const blocks = [
  { type: 'thinking', thinking: '...', signature: 'sig' },
  { type: 'tool_use', id: 'c1', name: 'f', input: { n: 1 } },
  { type: 'tool_use', id: 'c2', name: 'g', input: {} },
];
const parts = [
  { functionCall: { id: 'c1', name: 'f', args: { n: 1 } }, thoughtSignature: 's1' },
  { functionCall: { id: 'c2', name: 'g', args: {} } },
];
const uses = [
  { toolUse: { toolUseId: 'c1', name: 'f', input: { n: 1 } } },
  { toolUse: { toolUseId: 'c2', name: 'g', input: {} } },
];

const ROWS: readonly Row[] = [
  {
    dialect: 'openai.chat',
    reply: { choices: [{ message: chat, finish_reason: 'tool_calls' }] },
    cut: { choices: [{ message: chat, finish_reason: 'length' }] },
    results: [
      { role: 'tool', tool_call_id: 'c1', content: 'one' },
      { role: 'tool', tool_call_id: 'c2', content: 'bad' },
    ],
  },
  {
    dialect: 'openai.responses',
    reply: { status: 'completed', output: responses },
    cut: { status: 'incomplete', output: responses },
    results: [
      { type: 'function_call_output', call_id: 'c1', output: 'one' },
      { type: 'function_call_output', call_id: 'c2', output: 'bad' },
    ],
  },
  {
    dialect: 'anthropic',
    reply: { role: 'assistant', content: blocks, stop_reason: 'tool_use' },
    cut: { role: 'assistant', content: blocks, stop_reason: 'max_tokens' },
    results: [
      {
        role: 'user',
        content: [
          { type: 'tool_result', tool_use_id: 'c1', content: 'one' },
          { type: 'tool_result', tool_use_id: 'c2', content: 'bad', is_error: true },
        ],
      },
    ],
  },
  {
    dialect: 'gemini.json',
    reply: { candidates: [{ content: { role: 'model', parts }, finishReason: 'STOP' }] },
    cut: { candidates: [{ content: { role: 'model', parts }, finishReason: 'MAX_TOKENS' }] },
    results: [
      {
        role: 'user',
        parts: [
          { functionResponse: { id: 'c1', name: 'f', response: { output: 'one' } } },
          { functionResponse: { id: 'c2', name: 'g', response: { error: 'bad' } } },
        ],
      },
    ],
  },
  {
    dialect: 'cohere',
    reply: { message: chat, finish_reason: 'TOOL_CALL' },
    cut: { message: chat, finish_reason: 'MAX_TOKENS' },
    results: [
      { role: 'tool', tool_call_id: 'c1', content: '{"result":"one"}' },
      { role: 'tool', tool_call_id: 'c2', content: '{"error":"bad"}' },
    ],
  },
  {
    dialect: 'bedrock',
    reply: { output: { message: { role: 'assistant', content: uses } }, stopReason: 'tool_use' },
    cut: { output: { message: { role: 'assistant', content: uses } }, stopReason: 'max_tokens' },
    results: [
      {
        role: 'user',
        content: [
          { toolResult: { toolUseId: 'c1', content: [{ text: 'one' }] } },
          { toolResult: { toolUseId: 'c2', content: [{ text: 'bad' }], status: 'error' } },
        ],
      },
    ],
  },
];

suite('a vendor’s reply', () => {
  for (const { dialect, reply, cut, results } of ROWS) {
    const wire = wireOf(findDialect(dialect));

    test(`${dialect}: its calls, complete or cut off`, () => {
      const calls = wire.calls(reply);
      assert.deepEqual(
        calls.map(({ id, name, complete }) => [id, name, complete]),
        [
          ['c1', 'f', true],
          ['c2', 'g', true],
        ],
      );
      assert.deepEqual(
        [calls[0]?.arguments].map((sent): unknown =>
          typeof sent === 'string' ? JSON.parse(sent) : sent,
        ),
        [{ n: 1 }],
      );
      assert.ok(wire.calls(cut).every(({ complete }) => !complete));
    });

    test(`${dialect}: the turn untouched, then every result in order`, () => {
      const before = JSON.stringify(reply);
      const [first, second] = wire.calls(reply);
      assert.ok(first !== undefined && second !== undefined);
      const messages = wire.messages(reply, [
        { call: first, text: 'one', error: false },
        { call: second, text: 'bad', error: true },
      ]);
      assert.deepEqual(messages.slice(-results.length), results);
      const turn = JSON.stringify(messages.slice(0, -results.length));
      for (const kept of ['opaque', 'signature', 's1', 'reasoning_content'])
        if (before.includes(kept)) assert.ok(turn.includes(kept), kept);
      assert.equal(JSON.stringify(reply), before);
    });
  }

  test('Mistral: nine characters of an id, the same in call and result, in either spelling', () => {
    const wire = wireOf(findDialect('mistral'));
    for (const [calls, id] of [
      ['tool_calls', 'tool_call_id'],
      ['toolCalls', 'toolCallId'],
    ] as const) {
      const message = {
        role: 'assistant',
        content: '',
        [calls]: [{ id: 'turn1_0', function: { name: 'f', arguments: '{}' } }],
      };
      const [call] = wire.calls({ choices: [{ message }] });
      assert.ok(call !== undefined);
      const [turn, result] = wire.messages({ choices: [{ message }] }, [
        { call, text: 'x', error: false },
      ]);
      const [sent] = (turn?.[calls] ?? []) as { id: string }[];
      assert.match(sent?.id ?? '', /^[a-zA-Z0-9]{9}$/);
      assert.equal(result?.[id], sent?.id);
    }
  });

  test('a call whose arguments or name no vendor takes back is mended in the history', () => {
    const call = {
      id: 'c',
      type: 'function',
      function: { name: 'file.do', arguments: '{"path":"C:\\x' },
    };
    const reply = { role: 'assistant', tool_calls: [call] };
    const wire = wireOf(findDialect('openai.chat'));
    const [turn] = wire.messages(reply, []);
    assert.deepEqual(((turn?.['tool_calls'] ?? []) as JsonObject[])[0]?.['function'], {
      name: 'file_do',
      arguments: '{}',
    });
    assert.equal(wire.calls(reply)[0]?.name, 'file.do');
  });

  test('what no vendor takes back is mended in the forms with objects, too', () => {
    const cases: readonly (readonly [string, JsonObject, RegExp])[] = [
      [
        'anthropic',
        {
          content: [
            { type: 'text', text: '' },
            { type: 'tool_use', id: 'c', name: 'file.do', input: '{"n": 1' },
          ],
        },
        /^\[\{"role":"assistant","content":\[\{"type":"tool_use","id":"c","name":"file_do","input":\{\}\}\]\}\]$/,
      ],
      [
        'bedrock',
        {
          output: {
            message: {
              role: 'assistant',
              content: [{ toolUse: { toolUseId: 'c', name: 'file.do', input: '{' } }],
            },
          },
        },
        /"name":"file_do","input":\{\}/,
      ],
      [
        'openai.responses',
        { output: [{ type: 'function_call', call_id: 'c', name: 'file.do', arguments: '{' }] },
        /"name":"file_do","arguments":"\{\}"/,
      ],
      [
        'ollama',
        {
          message: { role: 'assistant', tool_calls: [{ function: { name: 'f', arguments: '{' } }] },
        },
        /"arguments":\{\}/,
      ],
      [
        'mistral',
        { role: 'assistant', tool_calls: [{ id: 'c', function: { name: 'file.do' } }] },
        /"name":"file_do","arguments":"\{\}"/,
      ],
    ];
    for (const [dialect, reply, sent] of cases) {
      const wire = wireOf(findDialect(dialect));
      const [call] = wire.calls(reply);
      assert.ok(call !== undefined);
      const messages = wire.messages(reply, [{ call, text: 'x', error: true }]);
      assert.match(JSON.stringify(messages.slice(0, -1)), sent, dialect);
    }
  });

  test('a turn with nothing in it is none', () => {
    for (const [dialect, reply] of [
      ['anthropic', { content: [], stop_reason: 'end_turn' }],
      ['gemini.json', { candidates: [{ finishReason: 'SAFETY' }] }],
      ['bedrock', { output: { message: { role: 'assistant', content: [] } } }],
    ] as const)
      assert.deepEqual(wireOf(findDialect(dialect)).messages(reply, []), [], dialect);
    const empty = { choices: [{ message: { role: 'assistant', content: null } }] };
    assert.deepEqual(wireOf(findDialect('openai.chat')).messages(empty, []), [
      { role: 'assistant', content: '' },
    ]);
  });

  test('calls of a reply that the vendor stopped are not complete, whatever it calls that', () => {
    const openai = { tool_calls: chatCalls };
    for (const [dialect, reply] of [
      ['openai.chat', { choices: [{ message: openai, finish_reason: 'content_filter' }] }],
      ['openai.responses', { status: 'failed', output: responses }],
      ['openai.responses', { status: 'cancelled', output: responses }],
      ['anthropic', { content: blocks, stop_reason: 'refusal' }],
      ['gemini.json', { candidates: [{ content: { parts }, finishReason: 'SAFETY' }] }],
      [
        'gemini.json',
        { candidates: [{ content: { parts }, finishReason: 'MALFORMED_FUNCTION_CALL' }] },
      ],
      ['bedrock', { output: { message: { content: uses } }, stopReason: 'guardrail_intervened' }],
      ['mistral', { choices: [{ message: openai, finishReason: 'error' }] }],
      ['cohere', { message: openai, finish_reason: 'ERROR' }],
    ] as const) {
      const calls = wireOf(findDialect(dialect)).calls(reply);
      assert.deepEqual(
        calls.map(({ complete }) => complete),
        [false, false],
        JSON.stringify([dialect, reply]).slice(0, 60),
      );
    }
  });

  test('every dialect has a wire, and a reply that is none has no calls', () => {
    for (const id of DIALECT_IDS) {
      const wire = wireOf(findDialect(id));
      for (const reply of [
        undefined,
        null,
        5,
        'text',
        [],
        {},
        { choices: 'x' },
        { content: [null] },
      ]) {
        if (findDialect(id).shape !== 'mcp') assert.deepEqual(wire.calls(reply), [], id);
        assert.ok(Array.isArray(wire.messages(reply, [])));
      }
    }
  });
});
