import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { suite, test } from 'node:test';
import { promisify } from 'node:util';
import { monotonicMs, Wheel } from './clock.ts';

suite('the wheel of alarms', () => {
  test('runs alarms in order, never early, and soon enough', async () => {
    const wheel = new Wheel();
    const order: number[] = [];
    const began = monotonicMs();
    await Promise.all(
      [40, 0, 15, 15, 3].map(
        (ms) =>
          new Promise<void>((resolve) => {
            wheel.set(ms, () => {
              assert.ok(monotonicMs() - began >= ms, 'ran early');
              order.push(ms);
              resolve();
            });
          }),
      ),
    );
    assert.deepEqual(
      order,
      order.toSorted((left, right) => left - right),
    );
    assert.equal(order.length, 5);
  });

  test('an alarm that throws keeps no other from running, and ends nothing', async () => {
    const wheel = new Wheel();
    const warned = once(process, 'warning');
    wheel.setAt(1, () => {
      throw new Error('hunter22');
    });
    await new Promise<void>((resolve) => void wheel.setAt(1, resolve));
    const [warning] = (await warned) as [Error];
    assert.equal(warning.message, 'An alarm failed: Error.');
  });

  test('a cleared alarm does not run, clearing twice is harmless, neighbours are left alone', async () => {
    const wheel = new Wheel();
    const ran: string[] = [];
    const alarms = ['a', 'b', 'c'].map((name) => wheel.setAt(1, () => ran.push(name)));
    const [, middle] = alarms;
    assert.ok(middle !== undefined);
    wheel.clear(middle);
    wheel.clear(middle);
    await new Promise<void>((resolve) => void wheel.set(20, resolve));
    assert.deepEqual(ran.sort(), ['a', 'c']);
    for (const alarm of alarms) wheel.clear(alarm);
  });

  test('an alarm may set and clear others', async () => {
    const wheel = new Wheel();
    const ran: string[] = [];
    const doomed = wheel.set(30, () => ran.push('doomed'));
    await new Promise<void>((resolve) => {
      wheel.set(5, () => {
        wheel.clear(doomed);
        wheel.set(40, () => {
          ran.push('later');
          resolve();
        });
      });
    });
    assert.deepEqual(ran, ['later']);
  });

  test('keeps a process alive while an alarm is pending, and only then', async () => {
    const url = new URL('./clock.ts', import.meta.url).href;
    const run = async (code: string): Promise<string> => {
      const { stdout } = await promisify(execFile)(
        process.execPath,
        ['--input-type=module', '-e', `import { Wheel } from ${JSON.stringify(url)}; ${code}`],
        { timeout: 10_000 },
      );
      return stdout;
    };
    assert.equal(await run("new Wheel().set(50, () => console.log('ran'))"), 'ran\n');
    // Ends by itself long before the alarm that was cleared; a hang would run into the time limit.
    assert.equal(
      await run('const wheel = new Wheel(); wheel.clear(wheel.set(3_600_000, () => {}))'),
      '',
    );
  });
});
