import assert from 'node:assert/strict';
import type { IncomingMessage } from 'node:http';
import { test } from 'node:test';
import { createGuard, LOOPBACK } from './http-guard.ts';

const guard = createGuard({ allowedHosts: LOOPBACK, allowedOrigins: [...LOOPBACK, 'app.example'] });

function check(headers: { host?: string; origin?: string }): string | undefined {
  return guard({ headers } as IncomingMessage);
}

test('lets this machine call itself by any of its names, with and without port', () => {
  for (const host of ['localhost', 'localhost:3920', '127.0.0.1:80', '[::1]:3920', 'LOCALHOST:1']) {
    assert.equal(check({ host }), undefined, host);
  }
});

test('refuses every other Host, and none at all', () => {
  for (const host of [
    'evil.example',
    'localhost.evil.example',
    'evil.example:3920',
    'localhost@evil.example',
    '',
  ]) {
    assert.match(check({ host }) ?? '', /^Invalid Host: .*localhost/, host);
  }
  assert.match(check({}) ?? '', /^Invalid Host/);
});

test('refuses pages of other origins, and origins that are hidden', () => {
  const host = 'localhost';
  for (const origin of ['http://localhost:5173', 'https://app.example']) {
    assert.equal(check({ host, origin }), undefined, origin);
  }
  for (const origin of ['https://evil.example', 'null', '', 'http://localhost.evil.example']) {
    assert.match(check({ host, origin }) ?? '', /^Invalid Origin/, origin);
  }
});

test('without a list of hosts only the origin counts', () => {
  const open = createGuard({ allowedHosts: undefined, allowedOrigins: [] });
  assert.equal(open({ headers: { host: 'any.example' } } as IncomingMessage), undefined);
});
