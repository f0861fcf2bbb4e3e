import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import * as fc from 'fast-check';
import { createLocator, escapeToken } from './locator.ts';

suite('createLocator', () => {
  const text = `{
  "name": "name",
  "parameters": {
    "properties": { "name": {},
      "a/b": [
        1, [],
        { "name": 2 }
      ] } },
  "last": null
}`;
  const rows: Readonly<Record<string, number | undefined>> = {
    '/name': 2,
    '/parameters': 3,
    '/parameters/properties/name': 4,
    '/parameters/properties/a~1b': 5,
    '/parameters/properties/a~1b/0': 6,
    '/parameters/properties/a~1b/1': 6,
    '/parameters/properties/a~1b/2': 7,
    '/parameters/properties/a~1b/2/name': 7,
    '/parameters/properties/a~1b/9': 5,
    '/parameters/missing/deeper': 3,
    '/last': 9,
    '/missing': undefined,
    '': undefined,
  };
  test('tells the line of a member, or of the nearest thing around it', () => {
    const locate = createLocator(text);
    for (const [pointer, line] of Object.entries(rows))
      assert.equal(locate(pointer), line, pointer);
  });

  test('finds every member of any JSON', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue(), { minKeys: 1 }), (value) => {
        const json = JSON.stringify(value, null, 2);
        const locate = createLocator(json);
        const lines = json.split('\n');
        for (const key of Object.keys(JSON.parse(json) as object)) {
          const line = locate(`/${escapeToken(key)}`);
          assert.ok(lines[(line ?? 0) - 1]?.startsWith(`  ${JSON.stringify(key)}: `), key);
        }
      }),
    );
  });
});
