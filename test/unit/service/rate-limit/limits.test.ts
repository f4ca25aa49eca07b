import { expect, test } from 'vitest';
import { readLimits } from '../../../../src/service/rate-limit/limits.js';

test('a network without limits has no entry', () => {
  expect(readLimits([{ chainId: 30 }, { chainId: 31, requestsPerDay: null }])).toEqual(
    new Map([[31, { requestsPerDay: null }]]),
  );
});

test('takes the limits and nothing else', () => {
  const network = {
    chainId: 30,
    url: 'https://rpc.example/key',
    requestsPerDay: 1,
    requestsPerSecond: 0.5,
    burst: 1,
  };
  expect([...readLimits([network])]).toEqual([[30, { requestsPerDay: 1, requestsPerSecond: 0.5, burst: 1 }]]);
});

test.each([
  ['requestsPerDay', 0],
  ['requestsPerDay', -1],
  ['requestsPerDay', '25000'],
  ['requestsPerDay', Number.POSITIVE_INFINITY],
  ['requestsPerSecond', 0],
  ['requestsPerSecond', Number.NaN],
  ['burst', null],
  ['burst', 0.5],
  ['burst', {}],
] as const)('-32602 for %s: %j', (name, value) => {
  expect(() => readLimits([{ chainId: 30 }, { chainId: 31, [name]: value } as never])).toThrow(
    expect.objectContaining({ code: -32602, message: expect.stringContaining(`networks[1].${name}`) }),
  );
});
