import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { Circuit } from './circuit.ts';

const MINUTE = 60_000;
const POLICY = { failure_rate: 0.5, minimum: 10, open_ms: 30_000 };

function feed(circuit: Circuit, verdicts: readonly boolean[], now: number): void {
  for (const ok of verdicts) circuit.record(ok, now);
}

const bad = (count: number): boolean[] => Array.from({ length: count }, () => false);
const good = (count: number): boolean[] => Array.from({ length: count }, () => true);

suite('the circuit', () => {
  test('opens at the minimum and the rate, not before', () => {
    const few = new Circuit(POLICY);
    feed(few, bad(9), 0);
    assert.equal(few.isOpen(0), false);
    few.record(false, 0);
    assert.equal(few.isOpen(0), true);
    const mixed = new Circuit(POLICY);
    feed(mixed, [...good(11), ...bad(10)], 0);
    assert.equal(mixed.isOpen(0), false);
    mixed.record(false, 0);
    assert.equal(mixed.isOpen(0), true);
  });

  test('five minutes are five minutes, however little was called', () => {
    const circuit = new Circuit(POLICY);
    feed(circuit, bad(9), 0);
    feed(circuit, bad(9), 5 * MINUTE + 10_000);
    assert.equal(circuit.isOpen(5 * MINUTE + 10_000), false, 'the first nine are long gone');
    assert.deepEqual(circuit.state(5 * MINUTE + 10_000), { open: false, attempts: 9, failures: 9 });
    feed(circuit, bad(1), 9 * MINUTE);
    assert.equal(circuit.isOpen(9 * MINUTE), true, 'these ten lie within five minutes');
  });

  test('long silence empties the window', () => {
    const circuit = new Circuit(POLICY);
    feed(circuit, bad(9), 1_000);
    assert.deepEqual(circuit.state(600 * MINUTE), { open: false, attempts: 0, failures: 0 });
  });

  test('an open one refuses, then lets one probe through that decides', () => {
    const circuit = new Circuit(POLICY);
    feed(circuit, bad(10), 0);
    assert.deepEqual(circuit.admit(10_000), { admit: 'refuse', retryAfterMs: 20_000 });
    assert.deepEqual(circuit.admit(30_000), { admit: 'probe' });
    assert.equal(circuit.admit(30_001).admit, 'refuse', 'one probe at a time');
    assert.equal(circuit.record(false, 30_100), false);
    assert.equal(circuit.isOpen(60_000), true, 'a failed probe begins the time anew');
    assert.deepEqual(circuit.admit(60_100), { admit: 'probe' });
    circuit.release();
    assert.deepEqual(
      circuit.admit(60_200),
      { admit: 'probe' },
      'a probe without a verdict is given back',
    );
    assert.equal(circuit.record(true, 60_300), true);
    assert.deepEqual(circuit.admit(60_400), { admit: 'pass' });
    assert.equal(circuit.state(60_400).failures, 0, 'the old failures are forgotten');
  });

  test('an attempt that began before it opened has no say', () => {
    const circuit = new Circuit(POLICY);
    feed(circuit, bad(10), 0);
    assert.equal(circuit.record(true, 100), false);
    assert.equal(circuit.isOpen(200), true);
  });
});
