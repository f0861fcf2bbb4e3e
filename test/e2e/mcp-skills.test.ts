import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { z } from 'zod';
import type { Client } from '@modelcontextprotocol/client';
import { connect, WAYS } from '../support/mcp-connection.ts';
import { mcpFolder } from '../support/mcp-folder.ts';
import { mcpRuntime } from '../support/mcp-library.ts';

const EXTENSION = 'io.modelcontextprotocol/skills';

interface Entry {
  readonly uri: string;
  readonly frontmatter: { readonly name: string };
  readonly resources?: readonly { readonly uri: string; readonly digest: string }[];
}

async function listSkills(client: Client): Promise<readonly Entry[]> {
  const result = await client.request(
    { method: 'skills/list' },
    z.looseObject({ skills: z.array(z.unknown()) }),
  );
  return result.skills as Entry[];
}

for (const way of WAYS) {
  test(`skills are resources (SEP-2640) to a ${way.era} client over ${way.over}`, async (t) => {
    const { runtime } = await mcpFolder(t, ['task.create', 'mail.send']);
    const client = await connect(t, runtime, way);
    const { extensions, resources } = client.getServerCapabilities() ?? {};
    assert.deepEqual(extensions, { [EXTENSION]: { directoryRead: true } });
    assert.deepEqual(resources, { listChanged: true });
    const skills = await listSkills(client);
    assert.deepEqual(
      skills.map(({ uri }) => uri),
      ['skill://mail/send/SKILL.md', 'skill://task/create/SKILL.md'],
    );
    assert.equal(skills[1]?.frontmatter.name, 'create');
    const { contents } = await client.readResource({ uri: 'skill://task/create/SKILL.md' });
    const text = contents[0] !== undefined && 'text' in contents[0] ? contents[0].text : '';
    assert.match(text, /^---\nname: create\n/);
    const digest = `sha256:${createHash('sha256').update(text).digest('hex')}`;
    assert.ok(JSON.stringify(skills[1]).includes(digest));
    const got = await client.request(
      { method: 'skills/get', params: { uri: 'skill://task/create/SKILL.md' } },
      z.looseObject({ skill: z.unknown() }),
    );
    assert.deepEqual(got.skill, skills[1]);
  });
}

test('only documents, contracts, references and assets are served, never code or what lies beside', async (t) => {
  const { runtime, write } = await mcpFolder(t, ['task.create']);
  await write('task.create', {
    'references/more.md': 'more',
    'references/deep/er.md': 'deeper',
    'assets/logo.txt': 'logo',
    'NOTES.md': 'notes',
    'helper.py': 'print()',
    '.env': 'SECRET=1',
    'references/.hidden': 'hidden',
    'node_modules/x/SKILL.md': '---\nname: x\ndescription: x\n---\n',
  });
  await runtime.reload();
  const client = await connect(t, runtime, { era: 'modern', over: 'stdio' });
  const skills = JSON.stringify(await listSkills(client));
  for (const path of [
    'SKILL.md',
    'schema.json',
    'references/more.md',
    'references/deep/er.md',
    'assets/logo.txt',
    'NOTES.md',
  ]) {
    assert.match(skills, new RegExp(`skill://task/create/${path}`), path);
  }
  assert.doesNotMatch(skills, /executor|helper|\.env|hidden|node_modules/);
  for (const path of [
    'task/create/executor.mjs',
    'task/create/.env',
    'task/create/helper.py',
    '../data/store.db',
    'skillwright.config.json',
  ]) {
    await assert.rejects(client.readResource({ uri: `skill://${path}` }), path);
  }
});

test('a library of code alone has no skills to read', async (t) => {
  const client = await connect(t, await mcpRuntime(t), { era: 'legacy', over: 'stdio' });
  assert.deepEqual(client.getServerCapabilities(), { tools: { listChanged: true } });
  await assert.rejects(listSkills(client), { code: -32_601 });
});
