import assert from 'node:assert/strict';
import { test } from 'node:test';
import { codeForStatus } from './code-for-status.ts';

const EXPECTED: Readonly<
  Record<number, readonly [code: string, retryable: boolean, reason?: string]>
> = {
  301: ['EXECUTION_ERROR', false, 'redirect'],
  302: ['EXECUTION_ERROR', false, 'redirect'],
  304: ['EXECUTION_ERROR', false, 'redirect'],
  308: ['EXECUTION_ERROR', false, 'redirect'],
  400: ['INVALID_PARAMS', false],
  401: ['UNAUTHORISED', false],
  402: ['EXECUTION_ERROR', false],
  403: ['UNAUTHORISED', false],
  404: ['NOT_FOUND', false],
  405: ['EXECUTION_ERROR', false],
  406: ['EXECUTION_ERROR', false],
  408: ['UPSTREAM_ERROR', true],
  409: ['EXECUTION_ERROR', false, 'conflict'],
  410: ['NOT_FOUND', false],
  412: ['EXECUTION_ERROR', false, 'conflict'],
  413: ['EXECUTION_ERROR', false],
  415: ['EXECUTION_ERROR', false],
  418: ['EXECUTION_ERROR', false],
  422: ['INVALID_PARAMS', false],
  425: ['UPSTREAM_ERROR', true],
  429: ['RATE_LIMITED', true],
  451: ['EXECUTION_ERROR', false],
  499: ['EXECUTION_ERROR', false],
  500: ['UPSTREAM_ERROR', true],
  501: ['UPSTREAM_ERROR', true],
  502: ['UPSTREAM_ERROR', true],
  503: ['UPSTREAM_ERROR', true],
  504: ['UPSTREAM_ERROR', true],
  599: ['UPSTREAM_ERROR', true],
};

for (const [status, [code, retryable, reason]] of Object.entries(EXPECTED)) {
  test(`HTTP ${status} is ${code}`, () => {
    const expected = reason === undefined ? { code, retryable } : { code, retryable, reason };
    assert.deepEqual(codeForStatus(Number(status)), expected);
  });
}
