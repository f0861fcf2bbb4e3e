import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { makeFolder } from './make-folder.ts';

function place(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'skillwright-'));
  t.after(() => rmSync(folder, { recursive: true }));
  return folder;
}

test('makes what is missing, and is content with what is there', (t) => {
  const path = join(place(t), 'a/b/c');
  makeFolder(path);
  makeFolder(path);
  assert.ok(statSync(path).isDirectory());
});

test('throws where there can be no folder', (t) => {
  const file = join(place(t), 'file');
  writeFileSync(file, '');
  assert.throws(() => makeFolder(file), { code: 'EEXIST' });
  assert.throws(() => makeFolder(join(file, 'x')), { code: /ENOTDIR|EEXIST/ });
  // A file system that takes no folders is there on Linux only.
  if (existsSync('/proc/self')) assert.throws(() => makeFolder('/proc/nope/x'), { code: 'ENOENT' });
});
