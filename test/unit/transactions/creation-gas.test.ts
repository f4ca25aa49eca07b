import { expect, test } from 'vitest';
import { ProviderRpcError } from '../../../src/rpc/errors.js';
import { toQuantity } from '../../../src/rpc/hex.js';
import type { Service } from '../../../src/service/service.js';
import { measureGas } from '../../../src/transactions/creation-gas.js';

/** The measurement against services that answer in other ways than the node (docs/notes/node.md#gas-estimates). */

const limit = 6_800_000n;
const to = `0x${'aa'.repeat(20)}`;
const from = `0x${'bb'.repeat(20)}`;

interface Asked {
  readonly method: string;
  readonly call: {
    readonly to?: string;
    readonly from?: string;
    readonly data?: string;
    readonly gas?: string;
  };
  readonly block: unknown;
}

/** A service whose answers to estimates and calls are these; an error is thrown. */
function serviceOf(answer: (asked: Asked) => string | Error) {
  const asked: Asked[] = [];
  const request = async (method: string, [call, block]: readonly unknown[]) => {
    const each = { method, call, block } as Asked;
    asked.push(each);
    const result = answer(each);
    if (result instanceof Error) throw result;
    return result;
  };
  return { asked, service: { request } as unknown as Service };
}

const isEstimate = ({ method }: Asked) => method === 'eth_estimateGas';
const call = { from, to, data: '0x01020304' };

test('a call is estimated in init code, with its sender, value, block and data, and without a recipient', async () => {
  const { asked, service } = serviceOf((each) => (isEstimate(each) ? '0x30d40' : '0x'));
  const measured = await measureGas(service, { ...call, value: '0x5' }, '0x10');
  expect(asked.map(({ method }) => method)).toEqual(['eth_estimateGas', 'eth_call']);
  for (const { call: tried, block } of asked) {
    expect(block).toBe('0x10');
    expect(tried).toEqual({
      from,
      value: '0x5',
      data: expect.stringMatching(/^0x6037[0-9a-f]{106}01020304$/),
    });
    expect(tried.data).toContain(to.slice(2));
  }
  // 32,000 for a creation, 2 for each word, and the bytes of the init code.
  expect(measured.gas).toBeLessThan(200_000n - 32_000n);
  expect(measured.gas).toBeGreaterThan(200_000n - 33_100n);
  expect(measured.minimum).toBeLessThan(measured.gas);
});

test('a call that uses up all gas there as well is one that always does', async () => {
  const { service } = serviceOf((each) => (isEstimate(each) ? toQuantity(limit) : '0x'));
  expect(await measureGas(service, call, 'latest')).toEqual({ gas: limit, minimum: limit, kind: 'uses-all' });
});

const bySteps: [string, (asked: Asked) => string | Error][] = [
  ['reverts there', () => new Error('execution reverted')],
  [
    'reverts there, which the service estimates all the same',
    (each) => (isEstimate(each) ? '0x30d40' : new Error('execution reverted')),
  ],
  ['cannot be estimated there', (each) => (isEstimate(each) ? new Error('unreachable') : '0x')],
  ['has an estimate there that no transaction can have', (each) => (isEstimate(each) ? '0x5208' : '0x')],
];
test.each(bySteps)('a call that %s is tried with several gas limits', async (_, wrapped) => {
  const { asked, service } = serviceOf((each) => {
    if (each.call.gas === undefined) return wrapped(each);
    return BigInt(each.call.gas) >= 350_000n ? '0x01' : '0x';
  });
  expect(await measureGas(service, call, 'latest')).toEqual({
    gas: 400_000n,
    minimum: 200_001n,
    kind: 'measured',
  });
  const tried = asked.filter(({ call: { gas } }) => gas !== undefined);
  expect(tried.map(({ call: { gas } }) => Number(gas))).toEqual(
    [1, 2, 4, 8, 16, 32, 68].map((each) => each * 100_000),
  );
  for (const each of tried) expect(each.call).toMatchObject(call);
});

test.each([
  ['a creation', { from, data: '0x00' }],
  ['a creation by null', { from, to: null, data: '0x00' }],
  ['a call with more data than init code may have', { from, to, data: `0x${'00'.repeat(49_098)}` }],
])('%s is not estimated in init code', async (_, each) => {
  const { asked, service } = serviceOf(({ call: { gas } }) => (Number(gas) >= 100_000 ? '0x01' : '0x'));
  expect(await measureGas(service, each, 'latest')).toEqual({ gas: 100_000n, minimum: 0n, kind: 'measured' });
  expect(asked.filter(isEstimate)).toEqual([]);
});

test('gas that nothing shows is unknown, whatever fails', async () => {
  const wrapped = (each: Asked) => each.call.to === undefined;
  for (const answer of ['0x', new Error('unreachable')]) {
    const { service } = serviceOf((each) => (wrapped(each) ? new Error('reverted') : answer));
    const measured = await measureGas(service, call, 'latest');
    expect(measured).toEqual({ gas: limit, minimum: 0n, kind: 'unknown' });
  }
});

test('a call that returns something with the maximum only needs more than half of it', async () => {
  const { service } = serviceOf(({ call: { gas } }) => (BigInt(gas ?? 0) === limit ? '0x01' : '0x'));
  const measured = await measureGas(service, { data: '0x00' }, 'latest');
  expect(measured).toEqual({ gas: limit, minimum: 3_200_001n, kind: 'measured' });
});

test('a creation that returns no code with any gas uses up all of it', async () => {
  const { service } = serviceOf(() => '0x');
  const measured = await measureGas(service, { data: '0x00' }, 'latest');
  expect(measured).toEqual({ gas: limit, minimum: limit, kind: 'uses-all' });
});

const unreachable = new ProviderRpcError(-32002, 'The service could not be reached');

test.each<[string, readonly number[], object]>([
  ['of which none is answered', [1, 2, 4, 8, 16, 32, 68], { gas: limit, minimum: 0n, kind: 'unknown' }],
  ['of which the lower ones fail', [1, 2], { gas: 400_000n, minimum: 0n, kind: 'measured' }],
  ['of which one below fails', [2], { gas: 400_000n, minimum: 100_001n, kind: 'measured' }],
  ['of which the right one fails', [4], { gas: 800_000n, minimum: 200_001n, kind: 'measured' }],
  ['of which the sufficient ones fail', [4, 8, 16, 32, 68], { gas: limit, minimum: 0n, kind: 'unknown' }],
])('tries %s because the service cannot be reached say nothing', async (_, lost, measured) => {
  const { service } = serviceOf(({ call: { gas } }) => {
    if (lost.includes(Number(gas) / 100_000)) return unreachable;
    return BigInt(gas ?? 0) >= 350_000n ? '0x01' : '0x';
  });
  expect(await measureGas(service, { data: '0x00' }, 'latest')).toEqual(measured);
});
