import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Client } from '@modelcontextprotocol/client';
import { connect, WAYS } from '../support/mcp-connection.ts';
import { mcpFolder } from '../support/mcp-folder.ts';

const CHANGES = [
  'notifications/tools/list_changed',
  'notifications/resources/list_changed',
] as const;

async function names(client: Client): Promise<readonly string[]> {
  return (await client.listTools()).tools.map(({ name }) => name);
}

for (const way of WAYS) {
  test(`a ${way.era} client over ${way.over} is told when the tools change, and only then`, async (t) => {
    const { runtime, write, remove } = await mcpFolder(t, ['task.create', 'task.close']);
    const client = await connect(t, runtime, way);
    const told = new Set<string>();
    let wake = (): void => {};
    for (const method of CHANGES) {
      client.setNotificationHandler(method, () => {
        told.add(method);
        wake();
      });
    }
    if (way.era === 'modern') {
      await client.listen({ toolsListChanged: true, resourcesListChanged: true });
    }
    assert.deepEqual(await names(client), ['task.close', 'task.create']);
    assert.equal((await client.listResources()).resources.length, 2);

    await runtime.reload();
    assert.deepEqual(told, new Set());
    await write('task.find');
    await remove('task.close');
    await runtime.reload();
    while (told.size < CHANGES.length) await new Promise<void>((resolve) => (wake = resolve));
    assert.deepEqual(await names(client), ['task.create', 'task.find']);
    const { resources } = await client.listResources();
    assert.deepEqual(
      resources.map(({ uri }) => uri),
      ['skill://task/create/SKILL.md', 'skill://task/find/SKILL.md'],
    );
    const found = await client.callTool({ name: 'task.find' });
    assert.deepEqual(found.content, [{ type: 'text', text: 'task.find' }]);
  });
}
