import { afterEach, beforeEach, expect, test } from 'vitest';
import { createLocalService, type LocalService } from '../../../packages/kit/src/local/index.js';
import type { Address, Hash, Hex } from '../../../src/index.js';
import { hastenKdfOfFile } from '../../support/hasty-kdf-of-file.js';
import { friend, openPermittedSite, type PermittedSite } from './support.js';

/** Permissions to call functions of a contract, and to transfer listed tokens. */

hastenKdfOfFile();

const move = '0x11223344';
/** tRIF, which the wallet lists on chain 31. */
const token: Address = '0x19f64674d8a5b4e652319f5e239efd3bc969a1fe';
/** The slot in which a proxy has its implementation (ERC-1967). */
const slot = '360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc';

let local: LocalService;
let site: PermittedSite;

beforeEach(async () => {
  local = await createLocalService({ chainId: 31, dialect: 'node', mining: 'auto' });
  site = await openPermittedSite(local);
});
afterEach(async () => {
  site.wallet.destroy();
  await local.close();
});

/** Deploys a contract of these instructions. */
async function deploy(runtime: string): Promise<Address> {
  const size = (runtime.length / 2).toString(16).padStart(2, '0');
  const data = `0x60${size}600c60003960${size}6000f3${runtime}`;
  const hash: Hash = await site.request('eth_sendTransaction', { from: site.from, data });
  await expect.poll(async () => (await site.entryOf(hash))?.state).toBe('mined');
  return (await site.request('eth_getTransactionReceipt', hash)).contractAddress;
}

const calls = (address: Address, given: object = {}) => {
  const { permission, rules, ...rest } = site.payments() as { permission: object; rules: object[] };
  return {
    ...rest,
    permission: {
      ...permission,
      type: 'graft-contract-calls',
      data: { allowanceAmount: '0x2386f26fc10000', contracts: [{ address, selectors: [move] }], ...given },
    },
    rules: rules.slice(0, 1),
  };
};

const grant = async (permission: object): Promise<readonly { readonly context: Hash }[]> =>
  site.request('wallet_requestExecutionPermissions', permission);

async function call(to: Address, data: Hex, more: object = {}): Promise<readonly string[]> {
  site.asked();
  await site.request('eth_sendTransaction', { from: site.from, to, data, ...more });
  return site.asked();
}

test('covers the listed functions of the listed contract, and no other', async () => {
  const [game, other] = [await deploy('00'), await deploy('00')];
  await grant(calls(game));
  expect(await call(game, `${move}${'00'.repeat(31)}01`)).toEqual([]);
  expect(await call(game, move, { value: '0x5' })).toEqual([]);
  expect(await call(game, '0x11223345')).toEqual(['transaction']);
  expect(await call(game, '0x112233')).toEqual(['transaction']);
  expect(await call(other, move)).toEqual(['transaction']);
  expect(await call(game, move, { value: '0x2386f26fc10000' })).toEqual(['transaction']);
});

test('asks again once the code of the contract is not what it was', async () => {
  // Stores the first word of its calldata where a proxy has its implementation.
  const proxy = await deploy(`6000357f${slot}5500`);
  await grant(calls(proxy));
  expect(await call(proxy, move)).toEqual([]);
  // The permitted call itself has changed what the contract runs.
  expect(await call(proxy, move)).toEqual(['transaction']);
});

test('ends with an allowance of tokens to the contract', async () => {
  const game = await deploy('00');
  await grant(calls(game));
  expect(await call(game, move)).toEqual([]);
  await call(await deploy('00'), `0x095ea7b3${'0'.repeat(24)}${game.slice(2)}${'0'.repeat(63)}1`);
  expect(await site.wallet.permissions()).toEqual([]);
  expect(await call(game, move)).toEqual(['transaction']);
});

test.each([
  ['transfer', '0xa9059cbb'],
  ['approve', '0x095ea7b3'],
  ['setApprovalForAll', '0xa22cb465'],
  ['permit', '0xd505accf'],
  ['multicall', '0xac9650d8'],
])('is refused for the function %s', async (_, selector) => {
  const request = calls(friend, { contracts: [{ address: friend, selectors: [selector] }] });
  await expect(grant(request)).rejects.toMatchObject({
    code: -32602,
    message: expect.stringContaining('selectors[0]'),
  });
});

test('is refused for a token that the wallet does not list', async () => {
  const { permission, ...rest } = site.payments() as { permission: object };
  const data = { tokenAddress: friend, allowanceAmount: '0x1' };
  await expect(
    grant({ ...rest, permission: { ...permission, type: 'erc20-token-allowance', data } }),
  ).rejects.toMatchObject({ code: -32602, message: expect.stringContaining('tokenAddress') });
  data.tokenAddress = token;
  const [granted] = await grant({
    ...rest,
    permission: { ...permission, type: 'erc20-token-allowance', data },
  });
  expect(granted).toBeDefined();
  const [listed] = await site.wallet.permissions();
  expect(listed).toMatchObject({
    token,
    tokenLabel: { symbol: 'tRIF', decimals: 18, known: true },
    left: '0x1',
  });
});
