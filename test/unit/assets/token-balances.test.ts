import { expect, test } from 'vitest';
import { readTokenBalances } from '../../../src/assets/token-balances.js';
import type { Service } from '../../../src/service/service.js';

const owner = `0x${'a1'.repeat(20)}` as const;
const other = `0x${'b0'.repeat(20)}` as const;
const leaf = `0x${'1e'.repeat(20)}` as const;
const fake = `0x${'fa'.repeat(20)}` as const;
const trif = '0x19f64674d8a5b4e652319f5e239efd3bc969a1fe';
const word = (value: bigint | string) => BigInt(value).toString(16).padStart(64, '0');

/** A service with batches, whose contracts answer by address; one that is missing fails. */
const serviceWith = (contracts: Record<string, (data: string) => string>, calls: string[] = []) =>
  ({
    network: { chainId: 31, currency: { symbol: 'tRBTC', name: 'Bitcoin', decimals: 18 }, batch: 20 },
    async request(_method: string, [{ to, data }]: readonly [{ to: string; data: string }]) {
      calls.push(to);
      if (!contracts[to]) throw new Error('reverted');
      return contracts[to](data);
    },
  }) as unknown as Service;

test('the listed tokens come first, then the watched ones; a contract that fails has no balance', async () => {
  const calls: string[] = [];
  const service = serviceWith({ [trif]: () => `0x${word(7n)}`, [leaf]: () => '0x' }, calls);
  const tokens = await readTokenBalances(service, owner, [{ address: leaf, symbol: 'LEAF', decimals: 6 }]);
  expect(tokens.map(({ symbol }) => symbol)).toEqual(['tRIF', 'USDRIF', 'DOC', 'WRBTC', 'USDT0', 'LEAF']);
  expect(tokens[0]).toMatchObject({ balance: 7n, listed: true, watched: false, decimals: 18 });
  expect(tokens[1]?.balance).toBeNull();
  expect(tokens[5]).toEqual({
    address: leaf,
    symbol: 'LEAF',
    decimals: 6,
    balance: null,
    listed: false,
    watched: true,
  });
  expect(calls).toHaveLength(6);
});

test('a listed token that is watched too is one entry, with the wallet’s own symbol', async () => {
  const service = serviceWith({ [trif]: () => `0x${word(1n)}` });
  const tokens = await readTokenBalances(service, owner, [{ address: trif, symbol: 'SPAM', decimals: 0 }]);
  expect(tokens.filter(({ address }) => address === trif)).toMatchObject([
    { symbol: 'tRIF', decimals: 18, listed: true, watched: true },
  ]);
});

test('a watched token with the symbol of a listed one, or of the coin, is marked', async () => {
  const tokens = await readTokenBalances(serviceWith({}), owner, [
    { address: fake, symbol: 'USDRIF', decimals: 18 },
    { address: leaf, symbol: 'RBTC', decimals: 18 },
  ]);
  expect(tokens.slice(5)).toMatchObject([{ imitates: 'USDRIF' }, { imitates: 'RBTC' }]);
  expect(tokens.slice(0, 5).some((token) => 'imitates' in token)).toBe(false);
});

test('the owner of an ERC-721 collectible counts, and the balance of the id of ERC-1155', async () => {
  const service = serviceWith({
    [leaf]: (data) => (data === `0x6352211e${word(5n)}` ? `0x${word(owner)}` : `0x${word(other)}`),
    [fake]: (data) => (data === `0x00fdd58e${word(owner)}${word(9n)}` ? `0x${word(3n)}` : '0x'),
  });
  const collectible = { symbol: 'ART', decimals: 0 };
  const tokens = await readTokenBalances(service, owner, [
    { ...collectible, address: leaf, type: 'ERC721', tokenId: '5' },
    { ...collectible, address: leaf, type: 'ERC721', tokenId: '6' },
    { ...collectible, address: fake, type: 'ERC1155', tokenId: '9' },
    { ...collectible, address: fake, type: 'ERC1155', tokenId: 'nonsense' },
  ]);
  expect(tokens.slice(5).map(({ balance, tokenId }) => [tokenId, balance])).toEqual([
    ['5', 1n],
    ['6', 0n],
    ['9', 3n],
    ['nonsense', null],
  ]);
});

test('the assets of one site leave the balances of another site to be read', async () => {
  const address = (i: number) => `0x${i.toString(16).padStart(40, '0')}` as const;
  const calls: string[] = [];
  const watched = [
    ...Array.from({ length: 150 }, (_, i) => ({
      address: address(i + 1),
      addedBy: 'https://hostile.example',
    })),
    ...Array.from({ length: 20 }, (_, i) => ({
      address: address(i + 1_001),
      addedBy: 'https://app.example',
    })),
  ];
  const tokens = watched.map((each) => ({ ...each, symbol: 'TKN', decimals: 18 }));
  const balances = await readTokenBalances(serviceWith({}, calls), owner, tokens);
  expect(calls).toHaveLength(5 + 50);
  for (let i = 1_001; i <= 1_020; i++) expect(calls).toContain(address(i));
  expect(balances.slice(5).map((token) => token.address)).toEqual(tokens.map((token) => token.address));
});
