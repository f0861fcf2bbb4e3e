import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite, test } from 'node:test';
import * as fc from 'fast-check';
import { parse, stringify } from 'yaml';
import { parseSkillMd } from './skill-md.ts';

const front = (lines: string): string => `---\n${lines}\n---\nBody.\n`;

suite('parseSkillMd reads what the format allows', () => {
  test('fields, metadata and body', () => {
    const text = `---
# A comment.
name: create
description: "Creates a \\"task\\". Use it: always."
license: 'It''s free'
metadata:
  skillwright.id: task.create
  version: "1.3"
compatibility: any
---

# Create

--- not the end
`;
    assert.deepEqual(parseSkillMd(text), {
      name: 'create',
      description: 'Creates a "task". Use it: always.',
      license: "It's free",
      metadata: { 'skillwright.id': 'task.create', version: '1.3' },
      body: '# Create\n\n--- not the end',
      warnings: [],
    });
  });

  const same: Readonly<Record<string, string>> = {
    'CRLF line ends': front('name: a\ndescription: d').replaceAll('\n', '\r\n'),
    'a byte order mark': `\uFEFF${front('name: a\ndescription: d')}`,
    'flow style': front('{name: a, description: d}'),
    'a block scalar': front('name: a\ndescription: >\n  d'),
    'quotes of both kinds': front(`name: 'a'\ndescription: "d"`),
    'spaces at the end': '---  \nname: a  \ndescription: d\t\n--- \nBody.',
    'a comment at the end of a line': front('name: a # the name\ndescription: d'),
    'keys of any order': front('description: d\nname: a'),
  };
  for (const [what, text] of Object.entries(same))
    test(what, () =>
      assert.deepEqual(parseSkillMd(text), {
        name: 'a',
        description: 'd',
        metadata: {},
        body: 'Body.',
        warnings: [],
      }),
    );

  test('numbers, booleans and nothing stay the texts they are', () => {
    const { name, metadata } = parseSkillMd(front('name: 007\nmetadata:\n  on: true\n  none: ~'));
    assert.equal(name, '007');
    assert.deepEqual(metadata, { on: 'true', none: '~' });
  });

  test('every plain text comes back as it was, whichever way it is read', () => {
    const text = fc.string({ unit: 'binary', maxLength: 40 }).map((value) => `x${value}`.trim());
    fc.assert(
      fc.property(text, text, fc.boolean(), (description, id, quoted) => {
        const yaml = stringify(
          { name: 'a', description, metadata: { id } },
          { lineWidth: 0, ...(quoted ? { defaultStringType: 'QUOTE_DOUBLE' } : {}) },
        );
        const read = parseSkillMd(`---\n${yaml}---\n`);
        assert.equal(read.description, description);
        assert.equal(read.metadata['id'], id);
        assert.deepEqual(read.warnings, []);
      }),
      { numRuns: 300 },
    );
  });
});

suite('parseSkillMd warns where other readers would stumble', () => {
  const rows: readonly (readonly [string, string, RegExp, string?])[] = [
    ['no frontmatter', '# Title\n', /no frontmatter/],
    ['a frontmatter without an end', '---\nname: a\n', /no frontmatter/],
    [
      'an unquoted colon',
      front('name: a\ndescription: Use when: always'),
      /not quoted/,
      'Use when: always',
    ],
    [
      'a field that is none',
      front('name: a\ndescription: d\nversion: 1'),
      /version is no field/,
      'd',
    ],
    [
      'nested metadata',
      front('description: d\nmetadata:\n  a:\n    b: c'),
      /metadata\.a is not text/,
      'd',
    ],
    [
      'metadata that is no map',
      front('description: d\nmetadata: [a]'),
      /metadata is not a map/,
      'd',
    ],
    ['broken YAML', front('description: "d\nname: [a'), /not YAML that can be read/],
    ['a list', front('- a\n- b'), /not YAML that can be read/],
    ['a prototype', front('__proto__: {name: evil}'), /__proto__ is no field/],
    ['over 256 KiB', front('name: a') + 'x'.repeat(300_000), /characters; move material/],
    [
      'a frontmatter over 16 KiB',
      front(`description: [${'x, '.repeat(8_000)}x]`),
      /frontmatter has over/,
    ],
  ];
  for (const [what, text, warning, description] of rows)
    test(what, () => {
      const read = parseSkillMd(text);
      assert.match(read.warnings.join('\n'), warning);
      assert.equal(read.description, description);
      assert.equal(Object.getPrototypeOf(read.metadata), Object.prototype);
    });
});

suite('parseSkillMd does nothing dangerous', () => {
  test('tags are never executed, references never multiplied', () => {
    const bomb = `a: &a [x, x, x, x, x, x, x, x, x]\n${['b', 'c', 'd', 'e', 'f']
      .map((key, index) => `${key}: &${key} [${`*${'abcde'[index]}, `.repeat(9)}]`)
      .join('\n')}`;
    assert.match(parseSkillMd(front(bomb)).warnings.join(), /not YAML/);
    assert.equal(parseSkillMd(front('name: !!js/function "() => 1"')).name, '() => 1');
  });

  test('hostile texts are read in time', () => {
    const fill = (text: string): string => text.repeat(Math.floor(16_000 / text.length));
    for (const text of [
      front(`a: ${fill('[')}`),
      front(`a: ${fill('{a: ')}`),
      front(`name:${' '.repeat(200_000)}: x`),
      front(fill('- ')),
      `---\n${'\n--- '.repeat(50_000)}`,
      front(`a: "${fill('\\"')}`),
    ]) {
      const started = performance.now();
      parseSkillMd(text);
      assert.ok(performance.now() - started < 1_500, `${text.slice(0, 20)} took too long`);
    }
  });
});

test('real files are read as a full YAML reader reads them', (t) => {
  const folder = process.env['SKILLWRIGHT_SKILL_MD'];
  if (folder === undefined) {
    t.skip('set SKILLWRIGHT_SKILL_MD to a folder of real SKILL.md files to read them');
    return;
  }
  const files = globSync('**/*.md', { cwd: folder });
  assert.notEqual(files.length, 0);
  for (const file of files) {
    const text = readFileSync(join(folder, file), 'utf8');
    const { name, description, warnings } = parseSkillMd(text);
    const yaml = /^\uFEFF?---\r?\n([\s\S]*?)\r?\n---/.exec(text)?.[1] ?? '';
    if (!warnings.some((warning) => warning.includes('not quoted'))) {
      const full = parse(yaml, { schema: 'failsafe' }) as Record<string, string>;
      assert.equal(name, full['name']?.trim(), file);
      assert.equal(description, full['description']?.trim(), file);
    }
  }
});
