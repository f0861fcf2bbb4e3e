import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  classifyInboundRequest,
  isJSONRPCNotification,
  isJSONRPCRequest,
} from '@modelcontextprotocol/server';
import * as fc from 'fast-check';
import type { Json } from '../../base/json.ts';
import { readMessage } from './message.ts';
import { MODERN_VERSION } from './protocol.ts';

const junk = fc.constantFrom<Json>(null, true, 1.5, '', [], {}, { roots: 1 });
const mostly = (...values: Json[]): fc.Arbitrary<Json> =>
  fc.oneof({ arbitrary: fc.constantFrom(...values), weight: 9 }, { arbitrary: junk, weight: 1 });
const meta = fc.record(
  {
    'io.modelcontextprotocol/protocolVersion': mostly(MODERN_VERSION, MODERN_VERSION, '2099-01-01'),
    'io.modelcontextprotocol/clientCapabilities': mostly({}, { roots: {} }),
    'io.modelcontextprotocol/clientInfo': mostly({ name: 'a', version: '1' }),
    'io.modelcontextprotocol/logLevel': mostly('info', 'loud'),
    progressToken: mostly('x', 1),
  },
  { requiredKeys: [] },
);
const params = fc.record(
  { _meta: fc.oneof(meta, meta, meta, junk), name: junk },
  { requiredKeys: [] },
);
const message = fc
  .record(
    {
      jsonrpc: mostly('2.0'),
      id: mostly('x', 1),
      method: mostly('tools/list', 'notifications/cancelled'),
      params: fc.oneof(params, params, params, junk),
    },
    { requiredKeys: ['jsonrpc', 'method'] },
  )
  .chain((whole) => fc.constantFrom(whole, whole, whole, { ...whole, extra: 1 }))
  .map((whole) => JSON.parse(JSON.stringify(whole)) as Json);

test('takes no message the SDK would not take, and serves none in another era', () => {
  let taken = 0;
  fc.assert(
    fc.property(message, (value) => {
      const read = readMessage(value);
      if (read === undefined) return;
      taken++;
      const known = read.id === undefined ? isJSONRPCNotification(value) : isJSONRPCRequest(value);
      assert.ok(known);
      if (read.era === undefined || read.id === undefined) return;
      assert.equal(classifyInboundRequest({ httpMethod: 'POST', body: value }).kind, read.era);
    }),
    { numRuns: 2_000 },
  );
  assert.ok(taken > 100);
});

test('leaves nothing to the SDK that clients usually send', () => {
  const envelope = {
    'io.modelcontextprotocol/protocolVersion': MODERN_VERSION,
    'io.modelcontextprotocol/clientCapabilities': { roots: { listChanged: true } },
    'io.modelcontextprotocol/clientInfo': { name: 'a', version: '1', title: 'A' },
  };
  const call = { jsonrpc: '2.0', id: 'x', method: 'tools/call' };
  const params = { name: 'a.b', arguments: {} };
  assert.equal(
    readMessage({ ...call, params: { ...params, _meta: { progressToken: 3 } } })?.era,
    'legacy',
  );
  assert.equal(
    readMessage({ ...call, params: { ...params, _meta: { ...envelope } } })?.era,
    'modern',
  );
  assert.equal(readMessage({ jsonrpc: '2.0', method: 'notifications/initialized' })?.era, 'legacy');
});
