import 'fake-indexeddb/auto';
import { encodeFunctionData, erc20Abi, getContractAddress } from 'viem';
import { mnemonicToAccount } from 'viem/accounts';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createLocalService, type LocalService } from '../../../packages/kit/src/local/index.js';
import type { Address, Hex } from '../../../src/index.js';
import { hastenKdfOfFile } from '../../support/hasty-kdf-of-file.js';
import { until } from '../../support/until.js';
import {
  openFrame,
  openWorld,
  paymentsOf,
  phrase,
  type SiteFrame,
  shop,
  site,
  type World,
} from './support.js';

/** Purses with a token, which the wallet lists here at the address of the account's first contract. */

hastenKdfOfFile();

const listed = vi.hoisted(() => ({ address: '' as `0x${string}`, symbol: 'RIF', decimals: 18 }));
vi.mock('../../../src/rpc/known-contracts.js', async (original) => ({
  ...(await original<typeof import('../../../src/rpc/known-contracts.js')>()),
  listedTokens: () => [listed],
  knownToken: (_: number, address: string) => (address === listed.address ? listed : null),
}));

/** `balanceOf` and `transfer` of a token, all of which its creator has. */
const token: Hex = `0x${[
  '68056bc75e2d631000003355604f8060176000396000f3',
  '60003560e01c806370a0823114601e5763a9059cbb14602b57',
  '5b600080fd',
  '5b6004355460005260206000f3',
  '5b60243533548181106019578190033355600435805482019055600160005260206000f3',
].join('')}`;

let local: LocalService;
let world: World;
let frame: SiteFrame;
beforeEach(async () => {
  local = await createLocalService({ chainId: 31, dialect: 'node', mining: 'auto' });
  const creator = mnemonicToAccount(phrase, { path: "m/44'/37310'/0'/0/0" as never }).address;
  listed.address = getContractAddress({ from: creator, nonce: 0n }).toLowerCase() as Address;
  [world, frame] = await Promise.all([openWorld(local), openFrame(local)]);
  const params = [{ from: world.account, data: token }] as const;
  await world.wallet.provider.request({ method: 'eth_sendTransaction', params });
});
afterEach(async () => {
  world.close();
  frame.close();
  await local.close();
});

const units = async (owner: Address) =>
  (await world.wallet.tokens(owner)).find(({ address }) => address === listed.address)?.balance;
const transfer = (to: Address, amount: bigint): Hex =>
  encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args: [to, amount] });

const granted = async (allowanceAmount: bigint) => {
  const data = {
    tokenAddress: listed.address,
    allowanceAmount: `0x${allowanceAmount.toString(16)}`,
    feeAmount: '0x38d7ea4c68000',
  };
  const permission = { type: 'erc20-token-allowance', isAdjustmentAllowed: false, data };
  return (await world.window(site, frame)).request(paymentsOf(local, world.account, {}, { permission }));
};

test('a permission for a token moves the tokens and coins for the fees, and both are taken back', async () => {
  await until(async () => (await units(world.account)) === 10n ** 20n);
  const [reply] = await granted(10n ** 18n);
  const purse = reply?.from as Address;
  expect(world.questions.at(-1)).toMatchObject({
    kind: 'permission',
    purse: {
      moved: [
        { units: '0x38d7ea4c68000' },
        { units: '0xde0b6b3a7640000', token: { address: listed.address, symbol: 'RIF', decimals: 18 } },
      ],
    },
  });
  expect(await units(purse)).toBe(10n ** 18n);
  expect(await world.wallet.balance(purse)).toBe(10n ** 15n);

  await frame.send(purse, 0n, { to: listed.address, data: transfer(shop, 10n ** 17n) });
  await until(async () => (await units(shop)) === 10n ** 17n);
  await expect(
    frame.send(purse, 0n, { to: listed.address, data: transfer(listed.address, 1n) }),
  ).rejects.toMatchObject({ code: 4100 });

  expect(await world.wallet.purses()).toMatchObject([
    { address: purse, tokens: [{ symbol: 'RIF', balance: `0x${(9n * 10n ** 17n).toString(16)}` }] },
  ]);
  expect(await world.wallet.takeBack(purse)).toHaveLength(2);
  await until(async () => (await units(purse)) === 0n && (await world.wallet.balance(purse)) < 10n ** 13n);
  expect(await units(world.account)).toBe(10n ** 20n - 10n ** 17n);
});

test('a permission for more tokens than the account has is refused, with nothing moved', async () => {
  await until(async () => (await units(world.account)) === 10n ** 20n);
  await expect(granted(10n ** 21n)).rejects.toMatchObject({ code: -32003 });
  expect(await world.wallet.purses()).toEqual([]);
});
