import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { createRedactor } from './redact.ts';

suite('redaction', () => {
  const { text, value, knownIn, touches } = createRedactor(['s3cr"et/va=lue', 'abc']);

  const leaks: readonly (readonly [string, string])[] = [
    ['a bearer token', 'authorization failed for Bearer abcDEF123456.xyz'],
    ['a basic header', 'Authorization: Basic dXNlcjpwYXNzd29yZA=='],
    ['a connection string', 'connect postgres://admin:hunter22@db.internal:5432/x failed'],
    ['a redis url without user', 'redis://:hunter22@cache:6379'],
    ['a password setting', 'login with password=hunter22 refused'],
    ['a JSON password', '{"password":"hunter22","n":1}'],
    ['an escaped JSON password', '{"db_password":"a\\"hunter22"}'],
    ['an api key', 'api_key: hunter22hunter22'],
    ['an OpenAI key', 'key sk-proj-hunter22hunter22hunter22'],
    ['a GitHub token', 'ghp_hunter22hunter22hunter22hunter22'],
    ['an AWS key', 'id AKIAHUNTER22HUNTER22'],
    ['a JWT', 'eyJhbGciOiJIUzI1NiJ9.eyJodW50ZXIyMiI6MX0.hunter22hunter22'],
    ['a private key', '-----BEGIN RSA PRIVATE KEY-----\nhunter22\n-----END RSA PRIVATE KEY-----'],
    ['a key without its end', '-----BEGIN PRIVATE KEY-----\nhunter22'],
    ['a Slack token', 'xoxb-hunter22-hunter22'],
  ];
  for (const [what, original] of leaks) {
    test(what, () => {
      const clean = text(original);
      assert.doesNotMatch(clean, /hunter22|HUNTER22|dXNlcjpwYXNz|abcDEF123456/i);
      assert.match(clean, /\[redacted\]/);
      assert.equal(touches(original), true);
      assert.equal(text(clean), clean, 'a second time changes nothing');
    });
  }

  test('configured values in every spelling', () => {
    const secret = 's3cr"et/va=lue';
    for (const spelling of [
      secret,
      JSON.stringify(secret),
      encodeURIComponent(secret),
      Buffer.from(secret).toString('base64'),
    ]) {
      assert.match(text(`before ${spelling} after`), /^before "?\[redacted\]=*"? after$/);
    }
    assert.equal(text('abc'), 'abc', 'three characters would blank half of every text');
  });

  test('innocent text stays', () => {
    for (const original of [
      'The price is 12.50 and the e-mail is ann@example.com.',
      'See https://example.com/a?b=c for the basics.',
      'task.create was not run: title is missing (send title: string, minLength 1). A valid call: {"title":"Buy milk"}',
      '{"at":1,"traceId":"6b0e529ad161e36518847c9042848898","skill":"a.b"}',
    ])
      assert.equal(text(original), original);
  });

  test('values keep their shape, secrets under telling keys go whole', () => {
    const given = {
      user: 'ann',
      password: 'x',
      nested: [{ 'api-key': 5, note: 'Bearer abcdefgh1234' }],
      n: 1,
      b: true,
      nothing: null,
    };
    assert.deepEqual(value(given), {
      user: 'ann',
      password: '[redacted]',
      nested: [{ 'api-key': '[redacted]', note: 'Bearer [redacted]' }],
      n: 1,
      b: true,
      nothing: null,
    });
    assert.deepEqual(knownIn({ password: 'x', v: 's3cr"et/va=lue' }), {
      password: 'x',
      v: '[redacted]',
    });
  });

  test('hostile text is done in time', () => {
    for (const part of [
      'a',
      'password',
      'password=',
      '-----BEGIN ',
      'eyJ',
      'https://a',
      '"token":"',
      'bearer ',
      'x-secret-',
      '\\"',
      'api_key : ',
    ]) {
      const started = performance.now();
      text(part.repeat(200_000 / part.length));
      assert.ok(
        performance.now() - started < 2_000,
        `${part} took ${performance.now() - started} ms`,
      );
    }
  });
});
