import { toFunctionSelector } from 'viem';
import { expect, test } from 'vitest';
import {
  bridge,
  isPaymentToBridge,
  knownContracts,
  minRelease,
  nameRegistry,
} from '../../../src/rpc/known-contracts.js';

test.each([30, 31])('the contracts of chain %i have one address and one name each', (chainId) => {
  const contracts = knownContracts(chainId);
  expect(contracts.map(({ name }) => name)).toEqual(
    expect.arrayContaining(['PowPeg bridge', 'REMASC', 'RNS registry', 'USDRIF']),
  );
  for (const { address } of contracts) expect(address).toMatch(/^0x[0-9a-f]{40}$/);
  expect(new Set(contracts.map(({ address }) => address)).size).toBe(contracts.length);
  expect(new Set(contracts.map(({ name }) => name)).size).toBe(contracts.length);
});

test('the name registry differs between the networks, and others have none', () => {
  expect(nameRegistry(30)).toBe('0xcb868aeabd31e2b66f74e9a55cf064abb31a4ad5');
  expect(nameRegistry(31)).toBe('0x7d284aaac6e925aad802a53c0c69efe3764597b8');
  expect(nameRegistry(33)).toBeNull();
  expect(knownContracts(1)).toEqual([]);
  expect(knownContracts(33).map(({ name }) => name)).toEqual(['PowPeg bridge', 'REMASC']);
});

test('the selector is that of the function', () => {
  expect(toFunctionSelector('releaseBtc()')).toBe('0x80af2871');
});

test('a payment to the bridge is one without data or of releaseBtc(), on Rootstock', () => {
  expect(isPaymentToBridge(30, { to: bridge, data: '0x' })).toBe(true);
  expect(isPaymentToBridge(30, { to: bridge, data: '0x14c89c01' })).toBe(false);
  for (const chainId of [30, 31, 33])
    expect(isPaymentToBridge(chainId, { to: bridge, data: '0x80AF2871' })).toBe(true);
  expect(isPaymentToBridge(1, { to: bridge, data: '0x' })).toBe(false);
  expect(isPaymentToBridge(30, { to: null, data: '0x' })).toBe(false);
});

test('the bridge releases from 0.004 coins on mainnet, and from 0.0025 on test networks', () => {
  expect([30, 31, 33].map(minRelease)).toEqual([4n * 10n ** 15n, 25n * 10n ** 14n, 25n * 10n ** 14n]);
});
