import { decodeFunctionData, erc20Abi, erc721Abi, parseAbi } from 'viem';
import { describe, expect, test } from 'vitest';
import { type GivenRight, readAllowances, revocation } from '../../../src/assets/allowances.js';
import { permitsOf, recordPermit, type SignedPermit } from '../../../src/assets/signed-permits.js';
import type { Address, Hex } from '../../../src/rpc/schema.js';
import type { Service } from '../../../src/service/service.js';
import { createMemoryStorage } from '../../../src/storage/memory.js';

/** Allowances as a service knows them. */

const account: Address = `0x${'a1'.repeat(20)}`;
const spender: Address = `0x${'b1'.repeat(20)}`;
const rif: Address = '0x2acc95758f8b5f583470ba265eb685a8f45fc9d5';
const other: Address = `0x${'d1'.repeat(20)}`;
const nft: Address = `0x${'d2'.repeat(20)}`;

const right = (token: Address, over: Partial<GivenRight> = {}): GivenRight => ({
  ...{ account, token, spender, isForAll: false, givenAt: 1 },
  ...over,
});

/** A service with batches, so that each right is a call of its own. */
function serviceWith(left: (token: Address, spender: Address, isForAll: boolean) => bigint | null) {
  const calls: Hex[] = [];
  const service = {
    network: { chainId: 30, batch: 50, currency: { name: 'RBTC', symbol: 'RBTC', decimals: 18 } },
    async request(_method: string, [{ to, data }]: [{ to: Address; data: Hex }]) {
      calls.push(data);
      const abi = [...erc20Abi, ...erc721Abi];
      const { functionName, args } = decodeFunctionData({ abi, data });
      const word = left(
        to,
        String((args as readonly unknown[])[1]).toLowerCase() as Address,
        functionName === 'isApprovedForAll',
      );
      if (word === null) throw new Error('execution reverted');
      return `0x${word.toString(16).padStart(64, '0')}`;
    },
  };
  return { service: service as unknown as Service, calls };
}

describe('readAllowances', () => {
  test('the amount that is left, with the label of a listed token and the name of a known spender', async () => {
    const { service } = serviceWith(() => 5n);
    const bridge = '0x0000000000000000000000000000000001000006';
    expect(
      await readAllowances(service, [right(rif), right(other, { spender: bridge, givenAt: 2 })]),
    ).toEqual([
      {
        account,
        token: other,
        spender: bridge,
        givenAt: 2,
        amount: '0x5',
        isUnlimited: false,
        spenderName: 'PowPeg bridge',
      },
      {
        account,
        token: rif,
        spender,
        givenAt: 1,
        amount: '0x5',
        isUnlimited: false,
        symbol: 'RIF',
        decimals: 18,
      },
    ]);
  });

  test('no limit: more than any balance will reach, or every item of a collection', async () => {
    const { service } = serviceWith((token) => (token === nft ? 1n : 2n ** 256n - 1n));
    const found = await readAllowances(service, [right(rif), right(nft, { isForAll: true })]);
    expect(found.map(({ amount, isUnlimited }) => [amount, isUnlimited])).toEqual([
      [`0x${'f'.repeat(64)}`, true],
      ['all', true],
    ]);
  });

  test('a right that is spent, or whose contract fails or lies, is not there', async () => {
    const { service } = serviceWith((token) => (token === rif ? 0n : token === other ? null : 7n));
    expect(await readAllowances(service, [right(rif), right(other), right(nft, { isForAll: true })])).toEqual(
      [],
    );
  });

  test('a right that was given several times is read once, with its last time', async () => {
    const { service, calls } = serviceWith(() => 5n);
    const found = await readAllowances(service, [
      right(rif, { givenAt: 3 }),
      right(rif),
      right(rif, { givenAt: 2 }),
    ]);
    expect(found).toMatchObject([{ givenAt: 3 }]);
    expect(calls).toHaveLength(1);
  });

  test('the newest hundred of many rights are read', async () => {
    const { service, calls } = serviceWith(() => 1n);
    const rights = Array.from({ length: 150 }, (_, i) =>
      right(`0x${(i + 1).toString(16).padStart(40, '0')}`, { givenAt: i }),
    );
    const found = await readAllowances(service, rights);
    expect([found.length, calls.length, found[0]?.givenAt, found.at(-1)?.givenAt]).toEqual([
      100, 100, 149, 50,
    ]);
  });
});

test.each([
  ['0x5', 'approve', [spender, 0n]],
  ['all', 'setApprovalForAll', [spender, false]],
] as const)('the calldata that takes %s back', (amount, functionName, args) => {
  const abi = parseAbi(['function approve(address,uint256)', 'function setApprovalForAll(address,bool)']);
  const decoded = decodeFunctionData({ abi, data: revocation({ spender, amount }) });
  expect(decoded.functionName).toBe(functionName);
  expect(
    (decoded.args as readonly unknown[]).map((each) =>
      typeof each === 'string' ? each.toLowerCase() : each,
    ),
  ).toEqual(args);
});

describe('signed permits', () => {
  const permit: SignedPermit = { chainId: 31, account, token: rif, spender, at: 5 };

  test('are kept by chain, and once for each spender', async () => {
    const storage = createMemoryStorage();
    await recordPermit(storage, permit);
    await recordPermit(storage, { ...permit, at: 6 });
    await recordPermit(storage, { ...permit, chainId: 30 });
    expect(await permitsOf(storage, 31)).toEqual([{ ...permit, at: 6 }]);
  });

  test('count as none in another form', async () => {
    const storage = createMemoryStorage();
    const damaged = [5, null, 'x', {}, { ...permit, token: 'x' }, { ...permit, at: '5' }];
    await storage.put(
      'permits',
      damaged.map((each, i) => [`31:${i}`, each]),
    );
    expect(await permitsOf(storage, 31)).toEqual([]);
  });
});
