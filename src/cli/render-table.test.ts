import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { renderTable } from './render-table.ts';

suite('renderTable', () => {
  test('lines columns up, whatever script or colour a cell has', () => {
    const rows = [
      ['\u001B[1mab\u001B[22m', 'x'],
      ['任务', 'y'],
      ['abcdef', 'z'],
    ];
    assert.equal(renderTable(rows), '\u001B[1mab\u001B[22m      x\n任务    y\nabcdef  z');
  });

  test('cuts the last column to the width of the terminal', () => {
    const line = renderTable([['name', '描述'.repeat(30)]], 30);
    assert.equal(line, `name  ${'描述'.repeat(5)}描…`);
  });
});
