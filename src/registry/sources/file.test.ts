import assert from 'node:assert/strict';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite, test } from 'node:test';
import { contractOf, libraryOf, writeFiles } from '../../../test/support/library-of.ts';
import type { Loaded, SkillSettings, SkillSource } from '../source.ts';
import { createFileSource } from './file.ts';

const NOTHING: SkillSettings = { defaults: {}, settings: {} };
const MODULE = { kind: 'module', file: 'tools/run.mjs' };
const BODY = { 'tools/run.mjs': 'export const execute = () => 1;\n' };

function entryOf(name: string, over: Record<string, unknown> = {}): Record<string, unknown> {
  return contractOf({ name, description: `Does ${name}.`, executor: MODULE, ...over });
}

function sourceOf(root: string): SkillSource {
  return createFileSource(join(root, 'tools.json'), { configure: () => NOTHING });
}

async function load(
  t: Parameters<typeof libraryOf>[0],
  ...skills: readonly unknown[]
): Promise<Loaded> {
  return sourceOf(libraryOf(t, { 'tools.json': { skills }, ...BODY })).load();
}

suite('a registry file', () => {
  test('gives skills of every kind, files relative to it', async (t) => {
    const flow = { steps: [{ id: 'only', skill: 'a.module' }] };
    const root = libraryOf(t, {
      ...BODY,
      'tools.json': {
        skills: [
          entryOf('a.module'),
          entryOf('a.command', { executor: { kind: 'command', command: ['cat'] } }),
          entryOf('a.script', { executor: { kind: 'command', file: 'tools/run.mjs' } }),
          entryOf('a.http', { executor: { kind: 'http', method: 'GET', url: 'https://a.b' } }),
          entryOf('a.code', { executor: { kind: 'composite', file: 'tools/run.mjs' } }),
          entryOf('a.flow', {
            executor: undefined,
            flow,
            dependencies: [{ skill: 'a.module', minVersion: '1.0.0' }],
          }),
        ],
      },
    });
    const { skills, problems } = await sourceOf(root).load();
    assert.deepEqual(problems, []);
    assert.deepEqual(
      skills.map(({ contract, folder }) => [contract.name, contract.executor.kind, folder]),
      [
        ['a.module', 'module', root],
        ['a.command', 'command', root],
        ['a.script', 'command', root],
        ['a.http', 'http', root],
        ['a.code', 'composite', root],
        ['a.flow', 'composite', root],
      ],
    );
    assert.deepEqual(skills[5]?.flow, flow);
  });

  const rows: readonly (readonly [unknown, RegExp])[] = [
    [entryOf('a.b', { version: '1' }), /^a\.b 4 version must be a semantic version/],
    [entryOf('a.b', { description: undefined }), /^a\.b 3 description is missing/],
    [entryOf('ab'), /^ab 24 name must be domain\.action/],
    [contractOf({ description: 'd', executor: MODULE }), /^\(unnamed\) 3 name must be .*"" is not/],
    ['a.b', /^\(unnamed\) 3 A contract is one JSON object/],
    [entryOf('a.b', { executor: undefined }), /^a\.b 3 executor is missing/],
    [entryOf('a.b', { executor: { kind: 'module' } }), /executor\.file is missing\. Name the file/],
    [entryOf('a.b', { executor: { kind: 'module', file: 'no.mjs' } }), /no\.mjs does not exist/],
    [
      entryOf('a.b', { executor: { kind: 'composite' } }),
      /carries its steps under flow\. Add them/,
    ],
    [entryOf('a.b', { flow: { steps: [] } }), /has a flow, but its executor is no composite/],
    [entryOf('a.b', { executor: undefined, flow: { steps: [] } }), /at least one step/],
  ];
  for (const [entry, message] of rows)
    test(`tells the line of an entry that is left out: ${message.source}`, async (t) => {
      const { skills, problems } = await load(t, entry, entryOf('a.fine'));
      assert.deepEqual(
        skills.map(({ contract }) => contract.name),
        ['a.fine'],
      );
      const told = problems.map(({ skill, line, message: text }) => `${skill} ${line} ${text}`);
      assert.match(told[0] ?? '', message);
      assert.equal(problems.length, 1);
      assert.match(problems[0]?.file ?? '', /tools\.json$/);
    });

  test('that cannot be read at all rejects with what to do', async (t) => {
    const broken: Readonly<Record<string, RegExp>> = {
      '{"skills": [}': /tools\.json cannot be used\. It is not valid JSON at line 1, column 13/,
      '{"tools": []}': /must be \{"skills": \[contract, \.\.\.\]\}\. Correct it/,
      '[]': /must be \{"skills"/,
    };
    for (const [text, message] of Object.entries(broken))
      await assert.rejects(sourceOf(libraryOf(t, { 'tools.json': text })).load(), message);
    await assert.rejects(sourceOf(libraryOf(t)).load(), /ENOENT/);
  });

  test('an unchanged skill stays the same object whatever happens to the others', async (t) => {
    const root = libraryOf(t, {
      'tools.json': { skills: [entryOf('a.b'), entryOf('a.c')] },
      ...BODY,
    });
    const source = sourceOf(root);
    const [b, c] = (await source.load()).skills;
    writeFiles(root, {
      'tools.json': { skills: [entryOf('a.new'), entryOf('a.b'), entryOf('a.c', { tags: ['x'] })] },
    });
    const [, sameB, otherC] = (await source.load()).skills;
    assert.equal(sameB, b);
    assert.notEqual(otherC, c);
    writeFileSync(join(root, 'tools/run.mjs'), 'export const execute = () => "changed";\n');
    const [, changedB] = (await source.load()).skills;
    assert.notEqual(changedB, b);
    rmSync(join(root, 'tools/run.mjs'));
    assert.deepEqual((await source.load()).skills, []);
  });
});
