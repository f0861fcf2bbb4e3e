import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import * as fc from 'fast-check';
import type { Json, JsonObject } from '../base/json.ts';
import type { Envelope } from '../contract/envelope.ts';
import { ERROR_CODES, type ErrorCode } from '../contract/error.ts';
import { resultText } from './result-text.ts';

const METADATA = { duration: 1, attempts: 1, toolName: 'a.b', timestamp: '', traceId: '' };
const success = (result: unknown, more: object = {}): Envelope => ({
  success: true,
  result,
  metadata: { ...METADATA, ...more },
});
const failure = (code: ErrorCode, details: JsonObject = {}): JsonObject => {
  const envelope: Envelope = {
    success: false,
    result: null,
    error: { code, message: 'What to do.', details },
    metadata: METADATA,
  };
  const { error, pages } = resultText(envelope, 1_000);
  assert.equal(error, true);
  return JSON.parse(pages[0] ?? '') as JsonObject;
};

suite('a result as a model reads it', () => {
  test('text as it is, anything else as JSON, remarks behind it', () => {
    const page = (envelope: Envelope): string | undefined => resultText(envelope, 1_000).pages[0];
    assert.equal(page(success('plain words')), 'plain words');
    assert.equal(page(success({ n: 1 })), '{"n":1}');
    assert.equal(page(success(undefined)), 'null');
    assert.equal(page(success(1, { warnings: ['x was left out.'] })), '1\nx was left out.');
    assert.match(page(success(1, { stale: true })) ?? '', /stand-in/);
  });

  test('every code has its class', () => {
    const classes = Object.keys(ERROR_CODES).map((code) => [
      code,
      failure(code as ErrorCode)['error_type'],
    ]);
    assert.deepEqual(Object.fromEntries(classes), {
      TIMEOUT: 'external_service',
      RETRY_EXHAUSTED: 'external_service',
      TOOL_NOT_FOUND: 'input',
      INVALID_PARAMS: 'input',
      EXECUTION_ERROR: 'internal',
      PARSE_ERROR: 'input',
      NOT_FOUND: 'business_rule',
      RATE_LIMITED: 'external_service',
      UPSTREAM_ERROR: 'external_service',
      UNAUTHORISED: 'business_rule',
      INTERNAL_ERROR: 'internal',
    });
    assert.equal(failure('PARSE_ERROR', { reason: 'result' })['error_type'], 'internal');
    assert.equal(
      failure('INVALID_PARAMS', { reason: 'business_rule' })['error_type'],
      'business_rule',
    );
  });

  test('a failure says what to do, when to come back and what was meant', () => {
    assert.deepEqual(failure('RATE_LIMITED', { reason: 'rate_limit', retry_after: 3 }), {
      error_type: 'external_service',
      code: 'RATE_LIMITED',
      reason: 'rate_limit',
      message: 'What to do.',
      retry_after: 3,
    });
    assert.deepEqual(failure('TOOL_NOT_FOUND', { suggestions: ['task.get'] })['suggestions'], [
      'task.get',
    ]);
  });
});

suite('a result that is too long', () => {
  test('is cut at the borders of items, each page JSON in itself', () => {
    const rows = Array.from({ length: 100 }, (_, id) => ({ id, title: `row ${id}` }));
    const { pages } = resultText(success({ total: 100, rows }), 1_000);
    assert.ok(pages.length > 2);
    const read = pages.map(
      (page) => JSON.parse(page) as { rows: unknown[]; total?: number; shown: string },
    );
    assert.deepEqual(
      read.flatMap((page) => page.rows),
      rows,
    );
    assert.equal(read[0]?.total, 100);
    assert.match(read[1]?.shown ?? '', /^items \d+ to \d+ of 100, page 2 of \d+$/);
    for (const page of pages) assert.ok(page.length <= 1_000);
  });

  test('keeps what was remarked about it, and pages an error as well', () => {
    const rows = Array.from({ length: 100 }, (_, id) => ({ id, title: `row ${id}` }));
    const { pages } = resultText(success({ rows }, { stale: true, warnings: ['x is gone.'] }), 900);
    assert.match(pages[0] ?? '', /page 1 of \d+"\}\nx is gone\.\n.*stand-in/);
    for (const page of pages) assert.ok(page.length <= 900, `${page.length}`);
    const error = { code: 'EXECUTION_ERROR' as const, message: 'no '.repeat(1_000) };
    const failed = resultText({ success: false, result: null, error, metadata: METADATA }, 900);
    assert.equal(failed.error, true);
    for (const page of failed.pages) assert.ok(page.length <= 900);
  });

  test('whatever it is: no page over the budget, nothing lost', () => {
    fc.assert(
      fc.property(
        fc.jsonValue({ maxDepth: 3 }),
        fc.integer({ min: 400, max: 800 }),
        (value, budget) => {
          const result = [value, 'x'.repeat(900), '\u{1F600}'.repeat(300)] as Json[];
          const { pages } = resultText(success({ result }), budget);
          assert.ok(pages.length > 1);
          const parts = pages.map((page) => {
            assert.ok(page.length <= budget, `${page.length} > ${budget}`);
            return page.slice(page.indexOf('\n') + 1);
          });
          assert.deepEqual(JSON.parse(parts.join('')), JSON.parse(JSON.stringify({ result })));
        },
      ),
    );
  });
});
