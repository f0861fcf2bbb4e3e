import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import * as fc from 'fast-check';
import type { JsonObject } from '../base/json.ts';
import { repairHistory } from './repair-history.ts';

const use = (id: string): JsonObject => ({ type: 'tool_use', id, name: 'f', input: {} });
const result = (id: string): JsonObject => ({
  type: 'tool_result',
  tool_use_id: id,
  content: 'done',
});
const call = (id: string, text = '{}'): JsonObject => ({
  id,
  type: 'function',
  function: { name: 'f', arguments: text },
});

const call0 = call('call_0');

/** How each vendor writes a turn with calls, and results. */
const FORMS: Readonly<
  Record<
    string,
    {
      turn(ids: readonly string[]): readonly JsonObject[];
      results(ids: readonly string[]): readonly JsonObject[];
    }
  >
> = {
  anthropic: {
    turn: (ids) => [{ role: 'assistant', content: ids.map(use) }],
    results: (ids) => [{ role: 'user', content: ids.map(result) }],
  },
  'openai.chat': {
    turn: (ids) => [{ role: 'assistant', content: null, tool_calls: ids.map((id) => call(id)) }],
    results: (ids) => ids.map((id) => ({ role: 'tool', tool_call_id: id, content: 'done' })),
  },
  'openai.responses': {
    turn: (ids) =>
      ids.map((id) => ({ type: 'function_call', call_id: id, name: 'f', arguments: '{}' })),
    results: (ids) =>
      ids.map((id) => ({ type: 'function_call_output', call_id: id, output: 'done' })),
  },
  'gemini.json': {
    turn: (ids) => [
      { role: 'model', parts: ids.map((id) => ({ functionCall: { id, name: 'f', args: {} } })) },
    ],
    results: (ids) => [
      {
        role: 'user',
        parts: ids.map((id) => ({
          functionResponse: { id, name: 'f', response: { output: 'x' } },
        })),
      },
    ],
  },
  'ai-sdk': {
    turn: (ids) => [
      {
        role: 'assistant',
        content: ids.map((id) => ({ type: 'tool-call', toolCallId: id, toolName: 'f', input: {} })),
      },
    ],
    results: (ids) => [
      {
        role: 'tool',
        content: ids.map((id) => ({
          type: 'tool-result',
          toolCallId: id,
          toolName: 'f',
          output: { type: 'text', value: 'x' },
        })),
      },
    ],
  },
  langchain: {
    turn: (ids) => [
      {
        role: 'assistant',
        content: '',
        tool_calls: ids.map((id) => ({ id, name: 'f', args: {} })),
      },
    ],
    results: (ids) =>
      ids.map((id) => ({ role: 'tool', tool_call_id: id, name: 'f', content: 'x' })),
  },
  ollama: {
    turn: (ids) => [
      {
        role: 'assistant',
        content: '',
        tool_calls: ids.map((id) => ({ function: { name: id, arguments: {} } })),
      },
    ],
    results: (ids) => ids.map((id) => ({ role: 'tool', tool_name: id, content: 'x' })),
  },
  bedrock: {
    turn: (ids) => [
      {
        role: 'assistant',
        content: ids.map((id) => ({ toolUse: { toolUseId: id, name: 'f', input: {} } })),
      },
    ],
    results: (ids) => [
      {
        role: 'user',
        content: ids.map((id) => ({ toolResult: { toolUseId: id, content: [{ text: 'x' }] } })),
      },
    ],
  },
};

suite('a history that is sent again', () => {
  for (const [dialect, { turn, results }] of Object.entries(FORMS)) {
    const ask: JsonObject =
      dialect === 'gemini.json'
        ? { role: 'user', parts: [{ text: 'go' }] }
        : { role: 'user', content: 'go' };

    test(`${dialect}: what is sound comes back as the very same list`, () => {
      const sound = [
        ask,
        ...turn(['t1', 't2']),
        ...results(['t1', 't2']),
        ...turn(['t3']),
        ...results(['t3']),
      ];
      assert.equal(repairHistory(dialect, sound), sound);
      assert.equal(repairHistory(dialect, [ask]).length, 1);
    });

    test(`${dialect}: a call without a result gets one that says so, once`, () => {
      const open = [ask, ...turn(['t1', 't2']), ...results(['t1'])];
      const repaired = repairHistory(dialect, open);
      assert.match(JSON.stringify(repaired), /interrupted and nobody knows what it did/);
      assert.equal(repairHistory(dialect, repaired), repaired);
      // The process died before anything was kept.
      const bare = repairHistory(dialect, [ask, ...turn(['t1'])]);
      assert.equal(JSON.stringify(bare).split('nobody knows').length, 2);
    });

    test(`${dialect}: a result without a call is dropped`, () => {
      const stray = [ask, ...results(['gone']), ...turn(['t1']), ...results(['t1'])];
      const repaired = JSON.stringify(repairHistory(dialect, stray));
      assert.ok(!repaired.includes('gone'), repaired);
    });

    test(`${dialect}: repairing twice changes nothing more`, () => {
      const ids = fc.subarray(['a', 'b', 'c'], { minLength: 1 });
      const piece = fc.oneof(
        fc.constant([ask]),
        ids.map((list) => turn(list)),
        ids.map((list) => results(list)),
      );
      fc.assert(
        fc.property(fc.array(piece, { maxLength: 6 }), (pieces) => {
          const once = repairHistory(dialect, pieces.flat());
          assert.deepEqual(repairHistory(dialect, once), once);
        }),
        { numRuns: 200 },
      );
    });
  }

  test('calls without ids each keep their own result', () => {
    const call = (n: number) => ({ functionCall: { name: 'f', args: { n } } });
    const output = (n: number) => ({ functionResponse: { name: 'f', response: { output: n } } });
    const sound = [
      { role: 'model', parts: [call(1), call(2)] },
      { role: 'user', parts: [output(1), output(2)] },
    ];
    assert.equal(repairHistory('gemini.json', sound), sound);
    const ollama = ['one', 'two'].flatMap((content) => [
      { role: 'assistant', tool_calls: [{ function: { name: 'f', arguments: {} } }] },
      { role: 'tool', tool_name: 'f', content },
    ]);
    assert.equal(repairHistory('ollama', ollama), ollama);
    // Counted anew in every turn: the open call does not take the result of the later one.
    const chat = [
      { role: 'assistant', tool_calls: [call0] },
      { role: 'assistant', tool_calls: [call0] },
      { role: 'tool', tool_call_id: 'call_0', content: 'second' },
    ];
    const repaired = repairHistory('openai.chat', chat);
    assert.match(JSON.stringify(repaired[1]), /nobody knows/);
    assert.match(JSON.stringify(repaired[3]), /second/);
  });

  test('an output that stands twice stands once', () => {
    const [turn, output] = [
      { type: 'function_call', call_id: 'c', name: 'f', arguments: '{}' },
      { type: 'function_call_output', call_id: 'c', output: 'x' },
    ];
    assert.deepEqual(repairHistory('openai.responses', [turn, output, output]), [turn, output]);
  });

  test('inputs that are no object and names that are none are mended', () => {
    const broken = { type: 'tool_use', id: 't1', name: 'a.b', input: '{"n":' };
    const [turn] = repairHistory('anthropic', [{ role: 'assistant', content: [broken] }]);
    assert.deepEqual(turn?.['content'], [{ type: 'tool_use', id: 't1', name: 'a_b', input: {} }]);
  });

  test('Anthropic: results stand before any text', () => {
    const user = { role: 'user', content: [{ type: 'text', text: 'and?' }, result('t1')] };
    const [, repaired] = repairHistory('anthropic', [
      { role: 'assistant', content: [use('t1')] },
      user,
    ]);
    assert.deepEqual(
      ((repaired?.['content'] ?? []) as JsonObject[]).map(({ type }) => type),
      ['tool_result', 'text'],
    );
  });

  test('arguments that are no JSON are replaced', () => {
    const [turn] = repairHistory('openai.chat', [
      { role: 'assistant', tool_calls: [call('c', '{"a":')] },
    ]);
    assert.match(JSON.stringify(turn), /"arguments":"\{\}"/);
  });
});
