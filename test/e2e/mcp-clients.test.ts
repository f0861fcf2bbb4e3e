import assert from 'node:assert/strict';
import { once } from 'node:events';
import { describe, test } from 'node:test';
import { jobs, mcpRuntime } from '../support/mcp-library.ts';
import { connect, WAYS } from '../support/mcp-connection.ts';

for (const way of WAYS) {
  describe(`a ${way.era} client over ${way.over}`, () => {
    test('lists the tools with names, schemas and effect hints', async (t) => {
      const client = await connect(t, await mcpRuntime(t), way);
      assert.equal(client.getServerVersion()?.name, 'skillwright');
      const { tools } = await client.listTools();
      const byName = new Map(tools.map((tool) => [tool.name, tool]));
      assert.deepEqual(
        [...byName.keys()],
        [
          'fail.coded',
          'job.steps',
          'job.wait',
          'math.add',
          'shop.note',
          'shop.order',
          'text.echo',
          'skill_dbc5ff79',
        ],
      );
      const add = byName.get('math.add');
      assert.equal(add?.title, 'Add');
      assert.match(add?.description ?? '', /^Adds two numbers\..*\nChanges nothing\.$/);
      assert.deepEqual(add?.inputSchema.required, ['a', 'b']);
      assert.equal(add?.inputSchema['additionalProperties'], false);
      assert.deepEqual(add?.outputSchema?.['required'], ['sum']);
      assert.deepEqual(add?._meta, {
        'skillwright/id': 'math.add',
        'skillwright/version': '1.2.0',
      });
      const hints = { readOnlyHint: true, destructiveHint: false, idempotentHint: true };
      assert.deepEqual(add?.annotations, hints);
      assert.deepEqual(byName.get('text.echo')?.annotations, { ...hints, openWorldHint: true });
      assert.deepEqual(byName.get('shop.order')?.annotations, {
        readOnlyHint: false,
        destructiveHint: true,
        idempotentHint: false,
        openWorldHint: false,
      });
      assert.deepEqual(byName.get('shop.note')?.annotations, {
        readOnlyHint: false,
        destructiveHint: false,
        idempotentHint: true,
        openWorldHint: false,
      });
      const chinese = byName.get('skill_dbc5ff79');
      assert.equal(chinese?.title, '任务.创建');
      assert.deepEqual(chinese?._meta?.['skillwright/id'], '任务.创建');
    });

    test('calls tools and gets text and structured content', async (t) => {
      const client = await connect(t, await mcpRuntime(t), way);
      const sum = await client.callTool({ name: 'math.add', arguments: { a: 2, b: 40 } });
      assert.deepEqual(sum.content, [{ type: 'text', text: '{"sum":42}' }]);
      assert.deepEqual(sum.structuredContent, { sum: 42 });
      assert.notEqual(sum.isError, true);
      const echo = await client.callTool({ name: 'text.echo', arguments: { text: 'ü "x"\n' } });
      assert.deepEqual(echo.content, [{ type: 'text', text: 'ü "x"\n' }]);
      assert.equal(echo.structuredContent, undefined);
      const chinese = await client.callTool({ name: 'skill_dbc5ff79' });
      assert.deepEqual(chinese.content, [{ type: 'text', text: '好' }]);
    });

    test('hears of parameters that were dropped', async (t) => {
      const client = await connect(t, await mcpRuntime(t), way);
      const given = { text: 'x', colour_of_the_sky: 'blue' };
      const echo = await client.callTool({ name: 'text.echo', arguments: given });
      assert.deepEqual(echo.content?.[0], { type: 'text', text: 'x' });
      assert.match(JSON.stringify(echo.content?.[1]), /colour_of_the_sky/);
    });

    test('gets wrong parameters explained as a tool error with a valid example', async (t) => {
      const client = await connect(t, await mcpRuntime(t), way);
      const result = await client.callTool({ name: 'text.echo', arguments: {} });
      assert.equal(result.isError, true);
      assert.match(
        JSON.stringify(result.content),
        /^\[{"type":"text","text":"INVALID_PARAMS: .*text is missing.*A valid call: /,
      );
      assert.match(
        JSON.stringify(result.structuredContent),
        /^{"error":{"code":"INVALID_PARAMS",.*"violations":\[/,
      );
    });

    test('gets the error of a tool with an output schema where no older client trips over it', async (t) => {
      const client = await connect(t, await mcpRuntime(t), way);
      await client.listTools();
      const result = await client.callTool({ name: 'fail.coded' });
      assert.equal(result.isError, true);
      assert.deepEqual(result.content, [
        { type: 'text', text: 'NOT_FOUND: There is no order 7. List the orders first.' },
      ]);
      const error = {
        code: 'NOT_FOUND',
        message: 'There is no order 7. List the orders first.',
        details: { order: 7 },
      };
      if (way.era === 'legacy') {
        assert.equal(result.structuredContent, undefined);
        assert.deepEqual(result._meta?.['skillwright/error'], error);
      } else assert.deepEqual(result.structuredContent, { error });
    });

    test('is told the nearest name when there is no such tool', async (t) => {
      const client = await connect(t, await mcpRuntime(t), way);
      await assert.rejects(client.callTool({ name: 'math.ad' }), {
        code: -32_602,
        message: /math\.add/,
      });
    });

    test('sees progress that only grows, before the result', async (t) => {
      const client = await connect(t, await mcpRuntime(t), way);
      const seen: unknown[] = [];
      const result = await client.callTool(
        { name: 'job.steps' },
        { onprogress: (step) => seen.push(step) },
      );
      assert.deepEqual(result.content, [{ type: 'text', text: '{"steps":3}' }]);
      assert.deepEqual(seen, [
        { progress: 1, total: 3, message: 'step 1' },
        { progress: 2, total: 3, message: 'step 2' },
        { progress: 3, total: 3, message: 'step 3' },
      ]);
    });

    test('cancels a call and the body is stopped', async (t) => {
      const client = await connect(t, await mcpRuntime(t), way);
      const id = `${way.era}-${way.over}`;
      const controller = new AbortController();
      const started = once(jobs, 'started');
      const call = client.callTool(
        { name: 'job.wait', arguments: { id } },
        { signal: controller.signal },
      );
      assert.deepEqual(await started, [id]);
      const aborted = once(jobs, 'aborted');
      controller.abort(new Error('enough'));
      await assert.rejects(call, /enough/);
      assert.deepEqual(await aborted, [id]);
      assert.deepEqual(
        (await client.callTool({ name: 'text.echo', arguments: { text: 'next' } })).content,
        [{ type: 'text', text: 'next' }],
      );
    });

    test('runs calls side by side', async (t) => {
      const client = await connect(t, await mcpRuntime(t), way);
      const controller = new AbortController();
      const started = once(jobs, 'started');
      const waiting = client.callTool(
        { name: 'job.wait', arguments: { id: 'side' } },
        { signal: controller.signal },
      );
      await started;
      const sums = await Promise.all(
        [1, 2, 3].map((a) => client.callTool({ name: 'math.add', arguments: { a, b: a } })),
      );
      assert.deepEqual(
        sums.map((sum) => sum.structuredContent),
        [{ sum: 2 }, { sum: 4 }, { sum: 6 }],
      );
      controller.abort();
      await assert.rejects(waiting);
    });

    test('gets what the server does not have refused', async (t) => {
      const client = await connect(t, await mcpRuntime(t), way);
      await assert.rejects(client.getPrompt({ name: 'none' }));
      assert.deepEqual(
        (await client.callTool({ name: 'text.echo', arguments: { text: 'on' } })).content,
        [{ type: 'text', text: 'on' }],
      );
    });
  });
}
