import { describe, expect, test } from 'vitest';
import { isProviderRpcError } from '../../../../src/rpc/errors.js';
import type { Json } from '../../../../src/rpc/message.js';
import { callsId, callsRequest, maxCalls } from '../../../../src/transactions/batches/calls-request.js';
import { fc } from '../../../support/property.js';

const to = `0x${'aa'.repeat(20)}`;
const batch = { version: '2.0.0', chainId: '0x1f', atomicRequired: false, calls: [{ to, value: '0x01' }] };
const read = (change: object = {}) => callsRequest({ ...batch, ...change } as Json, 'params[0]');
const refusal = (change: object): unknown => {
  try {
    return read(change);
  } catch (error) {
    return error;
  }
};

test('a call’s fields are read, with its recipient', () => {
  expect(read()).toEqual({
    chainId: 31,
    calls: [{ to, recipient: to, value: '0x1', data: '0x' }],
  });
});

test('from, id and checksums are read as those of a transaction', () => {
  const checksummed = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed';
  expect(read({ from: checksummed, id: 'mine', calls: [{ to: checksummed, data: '0xAB' }] })).toEqual({
    from: checksummed.toLowerCase(),
    id: 'mine',
    chainId: 31,
    calls: [{ to: checksummed.toLowerCase(), recipient: checksummed, value: '0x0', data: '0xab' }],
  });
});

test.each([
  ['params[0].version', { version: 2 }],
  ['params[0].version', { version: undefined }],
  ['params[0].chainId', { chainId: '0x0' }],
  ['params[0].from', { from: '0x12' }],
  ['params[0].id', { id: 7 }],
  ['params[0].id', { id: '' }],
  ['params[0].atomicRequired', { atomicRequired: 'no' }],
  ['params[0].calls', { calls: {} }],
  ['params[0].calls[0]', { calls: [null] }],
  ['params[0].calls[1].value', { calls: [{ to }, { to, value: 5 }] }],
  ['params[0].calls[0].to', { calls: [{ to: '0xzz' }] }],
  ['params[0].calls[0].gas', { calls: [{ to, gas: '0x5208' }] }],
  ['params[0].capabilities', { capabilities: [] }],
  ['params[0].capabilities.flow', { capabilities: { flow: true } }],
  ['params[0].calls[0].capabilities', { calls: [{ to, capabilities: 'x' }] }],
])('-32602 names %s', (path, change) => {
  expect(refusal(change)).toMatchObject({ code: -32602, message: expect.stringContaining(path) });
});

test('invalid values are reported before unsupported ones', () => {
  const several = [{ to }, { to, value: 'x' }];
  expect(refusal({ atomicRequired: true, calls: several })).toMatchObject({ code: -32602 });
});

test('calls, as many as the chain takes at once', () => {
  const calls = (count: number) => ({ calls: Array.from({ length: count }, () => ({ to })) });
  expect(read(calls(maxCalls)).calls).toHaveLength(maxCalls);
  expect(refusal(calls(maxCalls + 1))).toMatchObject({ code: 5740 });
});

describe('callsId', () => {
  test('an id of any form and up to its maximum length is kept', () => {
    for (const id of ['a', '0x', `0x${'0'.repeat(8192)}`, 'x'.repeat(4096), '0x1'])
      expect(callsId(id, 'id')).toBe(id);
  });

  test('an id that is too long in bytes, empty or no text is refused', () => {
    for (const id of [`0x${'0'.repeat(8193)}`, 'x'.repeat(4097), '€'.repeat(1366), '', null, 0])
      expect(() => callsId(id, 'id')).toThrow(expect.objectContaining({ code: -32602 }));
  });
});

test('anything is read, or refused with a code', () => {
  const field = fc.oneof(fc.jsonValue(), fc.constantFrom('0x1f', '2.0.0', '1.0', true, false, to, null));
  const call = fc.record({ to: field, value: field, data: field, capabilities: field }, { requiredKeys: [] });
  const any = fc.record(
    {
      version: fc.oneof(fc.constant('2.0.0'), field),
      id: field,
      from: field,
      chainId: fc.oneof(fc.constant('0x1f'), field),
      atomicRequired: fc.oneof(fc.boolean(), field),
      calls: fc.oneof(fc.array(call, { maxLength: 20 }), field),
      capabilities: field,
    },
    { requiredKeys: [] },
  );
  fc.assert(
    fc.property(fc.oneof(any, fc.jsonValue()), (value) => {
      try {
        const { calls } = callsRequest(value as Json, 'params[0]');
        expect(calls.length).toBeGreaterThan(0);
      } catch (error) {
        if (!isProviderRpcError(error)) throw error;
        expect([-32602, 5700, 5740, 5760]).toContain(error.code);
      }
    }),
  );
});
