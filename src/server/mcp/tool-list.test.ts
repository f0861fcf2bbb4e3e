import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '../../base/json.ts';
import type { Contract, SideEffect } from '../../contract/contract.ts';
import type { Skill } from '../../registry/skill.ts';
import type { Session } from '../../runtime/runtime.ts';
import { ToolLists, type ToolList } from './tool-list.ts';

const CONTRACT: Contract = {
  name: 'a.b',
  version: '1.0.0',
  description: 'Does it.',
  tags: [],
  purpose: '',
  preconditions: [],
  related: [],
  side_effect: { kind: 'none' },
  parameters: { type: 'object', properties: {} },
  rules: { none: '' },
  aliases: {},
  errors: [],
  secrets: [],
  examples: [],
  queries: [],
  dependencies: [],
  permissions: [],
  policy: {},
  executor: { kind: 'module' },
};

function list(...contracts: readonly Partial<Contract>[]): ToolList {
  const skills = contracts.map((part) => ({ contract: { ...CONTRACT, ...part } }) as Skill);
  return new ToolLists().of({ revision: '1', skills: () => skills } as unknown as Session);
}

function tools(built: ToolList): readonly JsonObject[] {
  const { result } = JSON.parse(`{${built.body('legacy').toString()}}`) as { result: JsonObject };
  return result['tools'] as JsonObject[];
}

test('keeps names every client takes and gives the others an alias that leads back', () => {
  const long = `a.${'b'.repeat(63)}`;
  const built = list({ name: 'a.b-c_D' }, { name: long }, { name: '任务.创建', title: 'Create' });
  const [plain, shortened, chinese] = tools(built);
  assert.equal(plain?.['name'], 'a.b-c_D');
  assert.match(JSON.stringify(shortened?.['name']), /^"skill_[0-9a-f]{8}"$/);
  assert.equal(shortened?.['title'], long);
  assert.equal(chinese?.['name'], 'skill_dbc5ff79');
  assert.equal(chinese['title'], 'Create (任务.创建)');
  assert.equal(built.find('skill_dbc5ff79')?.skill, '任务.创建');
  assert.equal(built.find('任务.创建'), undefined);
});

test('says in words what a call changes', () => {
  const effects: readonly (readonly [SideEffect, string])[] = [
    [{ kind: 'none' }, 'Changes nothing.'],
    [{ kind: 'read' }, 'Only reads; changes nothing.'],
    [{ kind: 'read', targets: ['mail', 'file'] }, 'Only reads mail, file; changes nothing.'],
    [{ kind: 'write' }, 'Changes things.'],
    [
      { kind: 'write', targets: ['mail'], reversed_by: 'mail.recall' },
      'Changes mail. Undone by mail.recall.',
    ],
    [
      { kind: 'write', targets: ['file'], destructive: false },
      'Changes file without destroying anything.',
    ],
  ];
  for (const [side_effect, line] of effects) {
    assert.equal(tools(list({ side_effect }))[0]?.['description'], `Does it.\n${line}`);
  }
});

test('gives schemas the form older clients ask for and leaves the rest alone', () => {
  const schema = (parameters: JsonObject): unknown =>
    tools(list({ parameters }))[0]?.['inputSchema'];
  assert.deepEqual(schema({ oneOf: [{}, {}] }), { oneOf: [{}, {}], type: 'object' });
  const properties = { any: true, none: false, text: { type: 'string' } };
  assert.deepEqual(schema({ type: 'object', properties, additionalProperties: false }), {
    type: 'object',
    properties: { any: {}, none: { not: {} }, text: { type: 'string' } },
    additionalProperties: false,
  });
});

test('promises structured content only for results that are objects', () => {
  const [text, object] = tools(
    list({ returns: { type: 'string' } }, { name: 'a.c', returns: { type: 'object' } }),
  );
  assert.equal(text?.['outputSchema'], undefined);
  assert.deepEqual(object?.['outputSchema'], { type: 'object' });
});

test('builds a list once for all sessions of a revision, and keeps sixteen', () => {
  const lists = new ToolLists();
  let built = 0;
  const session = (revision: number): Session => {
    const skills = (): readonly Skill[] => {
      built++;
      return [];
    };
    return { revision: String(revision), skills } as unknown as Session;
  };
  assert.equal(lists.of(session(1)), lists.of(session(1)));
  assert.equal(built, 1);
  for (let revision = 2; revision <= 17; revision++) lists.of(session(revision));
  lists.of(session(17));
  assert.equal(built, 17);
  lists.of(session(1));
  assert.equal(built, 18);
});
