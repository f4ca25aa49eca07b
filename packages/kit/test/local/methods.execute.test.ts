import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  alice,
  clientOf,
  creationOf,
  nobody,
  revertingWith,
  sign,
  word,
} from '../../../../test/support/local-client.js';
import { createLocalService, type LocalService } from '../../src/local/index.js';

/** `eth_call` and `eth_estimateGas` (docs/notes/service.md#errors; docs/notes/node.md#running-code). */
let service: LocalService;
let node: LocalService;
let seedClient: ReturnType<typeof clientOf>;
let nodeClient: ReturnType<typeof clientOf>;
beforeAll(async () => {
  [service, node] = await Promise.all([createLocalService(), createLocalService({ dialect: 'node' })]);
  seedClient = clientOf(service);
  nodeClient = clientOf(node);
});
afterAll(() => Promise.all([service?.close(), node?.close()]));

const textPayload = `08c379a0${word(32)}${word(5)}${'hello'
  .split('')
  .map((c) => c.charCodeAt(0).toString(16))
  .join('')
  .padEnd(64, '0')}`;
const panicPayload = `4e487b71${word(17)}`;
const endless = '0x5b600056';
const invalid = '0xfe';
const prefix = 'VM Exception while processing transaction: ';

describe('reverts', () => {
  const cases: [string, string, message: string][] = [
    ['Error(string)', textPayload, `${prefix}revert hello`],
    ['Panic(uint256)', panicPayload, `${prefix}transaction reverted`],
    ['an empty one', '', `${prefix}transaction reverted`],
  ];
  test.each(cases)('eth_call with %s', async (_, payload, message) => {
    const expected = { status: 200, code: -32015, message, data: `0x${payload}` };
    const params = [{ data: revertingWith(payload) }, 'latest'];
    expect(await seedClient.refusal('eth_call', ...params)).toEqual(expected);
    expect(await nodeClient.refusal('eth_call', ...params)).toEqual(expected);
  });
});

describe('eth_call', () => {
  test('out of gas and INVALID return 0x, as in the node', async () => {
    for (const { call } of [seedClient, nodeClient])
      for (const data of [endless, invalid]) expect(await call('eth_call', { data }, 'latest')).toBe('0x');
    expect(await seedClient.call('eth_call', { to: nobody, gas: '0x1' }, 'latest')).toBe('0x');
  });

  test('failedCall error turns them into errors', async () => {
    await using strict = await createLocalService({ switches: { failedCall: 'error' } });
    const { code, message, data } = await clientOf(strict).refusal('eth_call', { data: endless }, 'latest');
    expect([code, message, data]).toEqual([-32015, expect.stringMatching(/^VM Exception/), '0x']);
  });

  test('the sender’s balance is not checked', async () => {
    const rich = { from: nobody, to: alice.address, value: '0xde0b6b3a7640000', gasPrice: '0xffffffff' };
    expect(await seedClient.call('eth_call', rich, 'latest')).toBe('0x');
    expect(await seedClient.call('eth_estimateGas', rich)).toBe('0x5208');
  });

  test('input takes precedence over data, and gas is capped without an error', async () => {
    // GAS, and the first word of calldata, through an identity-like contract made on the spot.
    await service.controls.faucet(alice.address, 10n ** 18n);
    const nonce = Number(await seedClient.call('eth_getTransactionCount', alice.address, 'latest'));
    const code = creationOf('5a60005260003560205260406000f3');
    const hash = await seedClient.call(
      'eth_sendRawTransaction',
      await sign({ nonce, to: null, data: code, gas: 200_000n, value: 0n }),
    );
    const to = (await seedClient.call('eth_getTransactionReceipt', hash)).contractAddress;
    const result = await seedClient.call(
      'eth_call',
      { to, data: `0x${word(1)}`, input: `0x${word(2)}`, gas: '0xffffffffff' },
      'latest',
    );
    expect(BigInt(result.slice(0, 66))).toBeLessThan(10_000_000n);
    expect(BigInt(result.slice(0, 66))).toBeGreaterThan(9_900_000n);
    expect(result.slice(66)).toBe(word(2));
  });

  test('an unknown block is null in the seed and an error in the node', async () => {
    expect(await seedClient.call('eth_call', { to: nobody }, '0xffff')).toBe(null);
    const unknown = { status: 400, code: -32602, message: 'Invalid block number 65535' };
    expect(await nodeClient.refusal('eth_call', { to: nobody }, '0xffff')).toEqual(unknown);
    const blockHash = `0x${word(5)}`;
    expect(await nodeClient.refusal('eth_call', { to: nobody }, { blockHash })).toEqual({
      status: 400,
      code: -32600,
      message: `Block with hash ${blockHash} not found`,
    });
  });

  test('a state override is rejected', async () => {
    expect(await nodeClient.refusal('eth_call', { to: nobody }, 'latest', { [nobody]: {} })).toEqual({
      status: 400,
      code: -32602,
      message: 'State override is not allowed',
    });
  });
});

describe('eth_estimateGas', () => {
  const reverting = { from: nobody, data: revertingWith(textPayload) };

  test('the seed returns a number for a call that reverts', async () => {
    const spent = Number(await seedClient.call('eth_estimateGas', reverting));
    expect(spent).toBeGreaterThan(53_000);
    expect(spent).toBeLessThan(100_000);
    const poor = { ...reverting, value: '0xde0b6b3a7640000' };
    expect(Number(await seedClient.call('eth_estimateGas', poor))).toBe(spent);
  });

  test('the node returns the revert as an error', async () => {
    expect(await nodeClient.refusal('eth_estimateGas', reverting)).toEqual({
      status: 200,
      code: -32015,
      message: `${prefix}revert hello`,
      data: `0x${textPayload}`,
    });
  });

  test('out of gas returns the gas limit; less than the intrinsic gas, or no call at all, returns zero', async () => {
    for (const { call } of [seedClient, nodeClient]) {
      expect(await call('eth_estimateGas', { data: endless })).toBe('0x67c280');
      expect(await call('eth_estimateGas', { data: endless, gas: '0xfffffff' })).toBe('0x67c280');
      expect(await call('eth_estimateGas', { data: endless, gas: '0x30000' })).toBe('0x30000');
      expect(await call('eth_estimateGas', { to: nobody, gas: '0x10' })).toBe('0x0');
      expect(await call('eth_estimateGas', {})).toBe('0x0');
      expect(await call('eth_estimateGas', { to: nobody }, null)).toBe('0x5208');
      expect(await call('eth_estimateGas', { data: invalid })).toBe('0x67c280');
    }
  });

  test('the estimate is enough for the transaction', async () => {
    const from = alice.address;
    await service.controls.faucet(from, 10n ** 18n);
    const data = creationOf('60ff60005500');
    const gas = BigInt(await seedClient.call('eth_estimateGas', { from, data }));
    const nonce = Number(await seedClient.call('eth_getTransactionCount', from, 'latest'));
    const hash = await seedClient.call(
      'eth_sendRawTransaction',
      await sign({ nonce, to: null, data, gas, value: 0n }),
    );
    expect((await seedClient.call('eth_getTransactionReceipt', hash)).status).toBe('0x1');
  });
});
