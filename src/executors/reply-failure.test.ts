import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createRedactor } from '../base/redact.ts';
import { RawOutput } from './executor.ts';
import { replyFailure, retryAfter } from './reply-failure.ts';

const redactor = createRedactor(['canary-7f3a']);
const reply = (status: number, text = '', headers = {}) =>
  replyFailure({ status, headers, output: new RawOutput(text) }, redactor);

const BODIES = {
  'RFC 9457': { title: 'Bad', detail: 'No such currency' },
  message: { message: 'No such currency' },
  'error text': { error: 'No such currency' },
  'error object': { error: { code: 7, message: 'No such currency' } },
  title: { title: 'No such currency' },
};
for (const [form, body] of Object.entries(BODIES)) {
  test(`shows the message of a refusal: ${form}`, () => {
    const error = reply(400, JSON.stringify(body));
    assert.match(error.message, /\(HTTP 400\): "No such currency"\. Correct/);
    assert.deepEqual(error.details, { status: 400 });
  });
}

test('shows nothing of a body that may hold more than it should', () => {
  const body = JSON.stringify({ message: 'inner workings' });
  for (const status of [401, 403, 500, 502, 302]) {
    const error = reply(status, body);
    assert.doesNotMatch(JSON.stringify(error), /inner workings/);
    assert.equal(error.cause, body);
  }
  assert.doesNotMatch(reply(404, '<h1>inner workings</h1>').message, /inner workings/);
  assert.doesNotMatch(reply(404, '["inner workings"]').message, /inner workings/);
});

test('shows no secret and little of a long message', () => {
  const said = `token canary-7f3a, password=hunter2 ${'long '.repeat(100)}`;
  const { message } = reply(404, JSON.stringify({ message: said }));
  assert.doesNotMatch(message, /canary-7f3a|hunter2/);
  assert.ok(message.length < 400);
});

test('a rate limit always says how long to wait', () => {
  assert.deepEqual(reply(429, '', { 'retry-after': '30' }).details, {
    status: 429,
    retry_after: 30,
  });
  assert.match(reply(429, '', { 'retry-after': '30' }).message, /after 30 s/);
  assert.deepEqual(reply(429).details, { status: 429, retry_after: 1 });
  assert.deepEqual(reply(503, '', { 'retry-after': '5' }).details, { status: 503, retry_after: 5 });
  assert.deepEqual(reply(503).details, { status: 503 });
});

test('reads Retry-After as seconds or as a date', () => {
  const now = Date.parse('Wed, 21 Oct 2026 07:28:00 GMT');
  assert.equal(retryAfter('120', now), 120);
  assert.equal(retryAfter('Wed, 21 Oct 2026 07:28:30 GMT', now), 30);
  assert.equal(retryAfter('Wed, 21 Oct 2026 07:27:30 GMT', now), 0);
  assert.equal(retryAfter('soon', now), undefined);
  assert.equal(retryAfter(undefined, now), undefined);
});
