import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import * as fc from 'fast-check';
import { createNameTable } from './name-table.ts';

const RULE = { maxName: 64, dots: false };
const PATTERN = /^[a-zA-Z0-9_-]{1,64}$/;

suite('names shown to a model', () => {
  test('are within the rule, one to one, and do not depend on the order', () => {
    const word = fc.stringMatching(/^[a-z]{1,8}$/);
    const name = fc.oneof(
      fc.tuple(word, word).map(([domain, action]) => `${domain}.${action}`),
      fc.tuple(word, word).map(([domain, action]) => `${domain}_${action}`),
      fc.constantFrom(
        '天气.查询',
        '文章.划分',
        'Task.Create',
        'task.create',
        'a'.repeat(200),
        `${'a'.repeat(199)}b`,
        '🙂.go',
        'a.🙂',
      ),
      fc.string({ minLength: 1, maxLength: 80 }),
    );
    fc.assert(
      fc.property(fc.uniqueArray(name, { maxLength: 12 }), (names) => {
        const table = createNameTable(names, RULE);
        const exposed = names.map((skill) => table.exposed(skill) ?? '');
        for (const one of exposed) assert.match(one, PATTERN);
        assert.equal(new Set(exposed).size, names.length, exposed.join(' '));
        for (const [index, skill] of names.entries())
          assert.equal(table.skill(exposed[index] ?? ''), skill);
        const other = createNameTable(names.toReversed(), RULE);
        assert.deepEqual(
          names.map((skill) => other.exposed(skill)),
          exposed,
        );
      }),
      { numRuns: 500 },
    );
  });

  test('stay what they were when others come, unless they clash', () => {
    const few = createNameTable(['task.create'], RULE);
    const more = createNameTable(['task.create', 'task.list', 'mail.send'], RULE);
    assert.equal(few.exposed('task.create'), 'task_create');
    assert.equal(more.exposed('task.create'), 'task_create');
    const clash = createNameTable(['task.create', 'task_create'], RULE);
    assert.match(clash.exposed('task.create') ?? '', /^task_create_[0-9a-f]{8}$/);
    assert.match(clash.exposed('task_create') ?? '', /^task_create_[0-9a-f]{8}$/);
  });

  test('are found again behind what hosts and models do to them', () => {
    const table = createNameTable(['task.create', 'mail.send'], RULE);
    for (const called of [
      'task_create',
      'task.create',
      'Task_Create',
      ' task_create ',
      'functions.task_create',
      'mcp__server__task_create',
      'default_api.task_create',
    ])
      assert.equal(table.skill(called), 'task.create', called);
    for (const called of ['task', 'create', 'xtask_create', '', 'task_create_extra'])
      assert.equal(table.skill(called), undefined, called);
  });

  test('a guess that two skills fit is none', () => {
    const table = createNameTable(['a.b_c', 'a_b.c'], RULE);
    assert.equal(table.skill('a_b_c'), undefined);
  });
});
