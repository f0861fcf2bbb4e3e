import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, suite, test } from 'node:test';
import { startLocalService, type LocalService } from '../../skills/_service/start-local-service.ts';
import { createRuntime, type CallRequest, type JsonObject, type Runtime } from '../../src/index.ts';

const LIBRARY = join(import.meta.dirname, '../../skills');

suite('the sample library', () => {
  let runtime: Runtime;
  let service: LocalService;
  let dataDir: string;
  let settings: Readonly<Record<string, JsonObject>>;

  before(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'skillwright-'));
    service = await startLocalService();
    settings = {
      'currency.rates': { base: service.url },
      'weather.forecast': { base: service.url },
    };
    runtime = await createRuntime({ library: LIBRARY, dataDir, settings });
  });

  after(async () => {
    await runtime.close();
    await service.close();
    await rm(dataDir, { recursive: true, force: true });
  });

  test('loads without an error or a warning, and is as large as it says', () => {
    assert.deepEqual(runtime.snapshot.problems, []);
    const skills = runtime.snapshot.skills.map(({ contract }) => contract);
    const domains = new Set(skills.map(({ name }) => name.split('.')[0]));
    assert.ok(skills.length >= 30, `${skills.length} skills`);
    assert.ok(domains.size >= 6, `${domains.size} domains`);
    assert.ok(skills.filter(({ executor }) => executor.kind === 'composite').length >= 3);
    for (const kind of ['module', 'command', 'http', 'composite'])
      assert.ok(
        skills.some(({ executor }) => executor.kind === kind),
        kind,
      );
  });

  test('every contract is a model to copy', () => {
    for (const { contract } of runtime.snapshot.skills) {
      const { name, parameters, returns, examples, queries } = contract;
      assert.ok(returns !== undefined, `${name} declares no result`);
      assert.equal(parameters['additionalProperties'], false, name);
      assert.ok(examples.length > 0 && queries.length >= 6, name);
      assert.ok(
        queries.some((query) => /[\u3400-\u9fff]/.test(query)) &&
          queries.some((query) => !/[\u3400-\u9fff]/.test(query)),
        name,
      );
      for (const [parameter, schema] of Object.entries(parameters['properties'] as JsonObject)) {
        assert.equal(
          typeof (schema as JsonObject)['description'],
          'string',
          `${name}: ${parameter}`,
        );
      }
    }
  });

  test('every example runs, and gives what it shows', async () => {
    for (const { contract } of runtime.snapshot.skills) {
      // In a place of its own: what one skill's example deletes another's reads.
      const place = await mkdtemp(join(dataDir, 'examples-'));
      const alone = await createRuntime({ library: LIBRARY, dataDir: place, settings });
      for (const { input, output } of contract.examples) {
        const envelope = await alone.runSkill(contract.name, input);
        assert.ok(envelope.success, `${contract.name}: ${JSON.stringify(envelope)}`);
        if (output !== undefined) assert.deepEqual(envelope.result, output, contract.name);
      }
      await alone.close();
    }
  });

  test('a service that is down is answered by the fallback', async () => {
    const alone = await createRuntime({
      library: LIBRARY,
      dataDir,
      settings: { 'currency.rates': { base: 'http://127.0.0.1:9' } },
    });
    const envelope = await alone.runSkill('currency.convert', {
      amount: 100,
      from: 'EUR',
      to: 'USD',
    });
    await alone.close();
    assert.ok(envelope.success, JSON.stringify(envelope));
    assert.deepEqual(
      [envelope.result, envelope.metadata.stale],
      [{ amount: 110, currency: 'USD', rate: 1.1 }, true],
    );
  });

  test('10,000 mixed valid calls have no failure', async () => {
    const mix: readonly CallRequest[] = [
      { toolName: 'region.lookup', params: { region: '华东' } },
      { toolName: 'date.add-workdays', params: { day: '2026-04-03', workdays: '7' } },
      { toolName: 'currency.reference-rates', params: { base: 'EUR' } },
      { toolName: 'user.list', params: { name: 'Ann' } },
      { toolName: 'revenue.query-hourly', params: { region: 'R-E', date: '2026-03-31' } },
      { toolName: 'task.create', params: { title: 'mixed' } },
      { toolName: 'task.list', params: { limit: 3, status: null } },
      { toolName: 'stock.check@1', params: { sku: 'SKU-100' } },
    ];
    const lanes = Array.from({ length: 8 }, async (_, lane) => {
      const session = await runtime.openSession();
      for (let index = lane; index < 10_000; index += 8) {
        const request = mix[(index * 7) % mix.length] as CallRequest;
        session.beginTurn();
        const envelope = await session.call(request);
        assert.ok(envelope.success, `${request.toolName}: ${JSON.stringify(envelope)}`);
      }
    });
    await Promise.all(lanes);
  });
});
