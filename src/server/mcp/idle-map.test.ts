import assert from 'node:assert/strict';
import { test } from 'node:test';
import { IdleMap } from './idle-map.ts';

const busy = { busy: true };
const idle = { busy: false };

test('forgets what is idle, tells its owner, and keeps what is busy', async () => {
  // The map's own timer keeps no process alive, so this one has to.
  const alive = setInterval(() => {}, 1_000);
  const { promise, resolve } = Promise.withResolvers<{ busy: boolean }>();
  const map = new IdleMap<{ busy: boolean }>(20, resolve);
  map.set('busy', busy);
  map.set('idle', idle);
  assert.equal(await promise, idle);
  assert.equal(map.get('idle'), undefined);
  assert.equal(map.get('busy'), busy);
  map.close();
  clearInterval(alive);
});

test('beyond ten thousand entries forgets the longest unused that is not busy', () => {
  const map = new IdleMap<{ busy: boolean }>(60_000);
  map.set('busy', busy);
  map.set('old', idle);
  map.set('used', idle);
  for (let i = 3; i < 10_000; i++) map.set(String(i), idle);
  map.get('old');
  map.set('one too many', idle);
  assert.equal(map.get('used'), undefined);
  assert.equal(map.get('busy'), busy);
  assert.equal(map.get('old'), idle);
  map.close();
});

test('tells the owner of everything that is forgotten at the end', () => {
  const forgotten: unknown[] = [];
  const map = new IdleMap<{ busy: boolean }>(60_000, (value) => forgotten.push(value));
  map.set('a', busy);
  map.set('b', idle);
  map.delete('b');
  map.delete('b');
  map.close();
  assert.deepEqual(forgotten, [idle, busy]);
});
