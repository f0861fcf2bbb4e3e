import assert from 'node:assert/strict';
import { test } from 'node:test';
import { skillOf } from '../../test/support/executor-fixture.ts';
import { uniqueSkills } from './unique-skills.ts';

test('the first skill of a name is kept, and both places are named', () => {
  const skill = (name: string, folder?: string) => skillOf({ kind: 'module' }, folder, { name });
  const skills = [
    skill('task.create', '/library/task/create'),
    skill('task.Create', '/library/task/Create'),
    skill('task.create'),
    skill('task.created'),
    skill('t\u00e4sk.do', '/one'),
    skill('ta\u0308sk.do', '/two'),
  ];
  const { kept, problems } = uniqueSkills(skills);
  assert.deepEqual(kept, [skills[0], skills[3], skills[4]]);
  assert.deepEqual(
    problems.map(({ severity, message }) => `${severity} ${message}`),
    [
      'error task.Create (/library/task/Create) has the name of task.create (/library/task/create), which is served. Rename or remove one.',
      'error task.create (defined in code) has the name of task.create (/library/task/create), which is served. Rename or remove one.',
      'error ta\u0308sk.do (/two) has the name of t\u00e4sk.do (/one), which is served. Rename or remove one.',
    ],
  );
});
