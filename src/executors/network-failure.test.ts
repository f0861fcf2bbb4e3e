import assert from 'node:assert/strict';
import { test } from 'node:test';
import { networkFailure } from './network-failure.ts';

const EXPECTED = {
  ENOTFOUND: 'dns',
  EAI_AGAIN: 'dns',
  ECONNREFUSED: 'connection_refused',
  ECONNRESET: 'reset',
  EPIPE: 'reset',
  ETIMEDOUT: 'unreachable',
  EHOSTUNREACH: 'unreachable',
  CERT_HAS_EXPIRED: 'tls',
  ERR_TLS_CERT_ALTNAME_INVALID: 'tls',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'tls',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'tls',
  EPROTO: 'tls',
  HPE_INVALID_CONSTANT: 'network',
};

for (const [code, reason] of Object.entries(EXPECTED)) {
  test(`${code} is ${reason}, and worth another attempt`, () => {
    const cause = Object.assign(new Error('secret detail'), { code });
    const error = networkFailure(cause);
    assert.equal(error.code, 'UPSTREAM_ERROR');
    assert.equal(error.retryable, true);
    assert.deepEqual(error.details, { reason });
    assert.equal(error.cause, cause);
    assert.doesNotMatch(error.message, /secret detail/);
  });
}

test('takes anything for a cause', () => {
  assert.deepEqual(networkFailure(undefined).details, { reason: 'network' });
});
