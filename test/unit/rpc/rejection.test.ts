import { describe, expect, test } from 'vitest';
import { userRejected } from '../../../src/rpc/core-errors.js';
import { ProviderRpcError } from '../../../src/rpc/errors.js';
import { methodNames } from '../../../src/rpc/method-facts/method-facts.js';
import { asksPerson, isSend } from '../../../src/rpc/method-facts/wallet-facts.js';
import { rejectionOf } from '../../../src/rpc/rejection.js';

const asking = [
  'eth_sendTransaction',
  'eth_signTypedData_v4',
  'eth_sign',
  'personal_sign',
  'wallet_sendCalls',
];
const said = (code: number) => new ProviderRpcError(code, 'no', { serviceCode: code, serviceMessage: 'no' });

describe('rejectionOf', () => {
  test('passes a ProviderRpcError on', () => {
    const error = userRejected();
    for (const method of ['eth_call', ...asking]) expect(rejectionOf(error, { method })).toBe(error);
  });

  test('gives an error without a code a code, and omits its text', () => {
    for (const thrown of [new Error('secret'), 'secret', undefined, { code: -32000, message: 'secret' }])
      expect(rejectionOf(thrown, { method: 'eth_call' })).toMatchObject({
        code: -32603,
        message: expect.not.stringContaining('secret'),
      });
  });

  test.each(asking)('%s never rejects with a code after which a library repeats the request', (method) => {
    expect(rejectionOf(new TypeError('a fault'), { method }).code).toBe(-32002);
    for (const code of [-32603, -32000, -32601, -32602]) {
      const { code: told, message, data } = rejectionOf(said(code), { method });
      expect({ told, message, data }).toEqual({ told: -32002, message: 'no', data: said(code).data });
    }
    for (const code of [3, -32001, -32003, -32005, -32700, 4100, 4901])
      expect(rejectionOf(said(code), { method }).code).toBe(code);
  });

  test('a read keeps its code, and so does an error that the wallet finds itself', () => {
    for (const code of [-32603, -32000, -32601, -32602]) {
      expect(rejectionOf(said(code), { method: 'eth_call' }).code).toBe(code);
      for (const method of [...asking, 'wallet_sendTransaction'])
        expect(rejectionOf(new ProviderRpcError(code, 'x'), { method }).code).toBe(code);
    }
  });

  test('handles a missing or unreadable request', () => {
    const hostile = Object.defineProperty({}, 'method', {
      get() {
        throw new Error('a page’s own');
      },
    });
    for (const args of [undefined, null, 7, {}, { method: Symbol('x') }, hostile])
      expect(rejectionOf(said(-32603), args).code).toBe(-32603);
  });
});

test('each method that asks a person or sends is one that no library may repeat', () => {
  const names = methodNames().filter((name) => asksPerson(name) || isSend(name));
  expect(names.length).toBeGreaterThan(15);
  for (const method of names)
    expect([method, rejectionOf(said(-32603), { method }).code]).toEqual([method, -32002]);
});
