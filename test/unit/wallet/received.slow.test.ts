import { encodeFunctionData, erc20Abi } from 'viem';
import { generatePrivateKey } from 'viem/accounts';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { deployment } from '../../../demo/dapp/abi.js';
import { createLocalService, type LocalService } from '../../../packages/kit/src/local/index.js';
import { headless } from '../../../packages/kit/src/testing/index.js';
import { type Address, createMemoryStorage, type Hash, type Hex, type Wallet } from '../../../src/index.js';
import { hastenKdfOfFile } from '../../support/hasty-kdf-of-file.js';
import { alice, bob, clientOf, creationOf, sign, word } from '../../support/local-client.js';
import { openWallet } from '../../support/open-wallet.js';
import { until } from '../../support/until.js';

hastenKdfOfFile();

/** Effects of own transactions, and payments from others, on a real EVM. */

const password = 'correct horse';
const quantity = (value: bigint): Hex => `0x${value.toString(16)}`;
const coin = 10n ** 18n;
/** Pays what it gets to the address in its calldata. */
const forwarder = creationOf('600060006000600034600035 5af100'.replace(' ', ''));

let local: LocalService;
let wallet: Wallet;
let account: Address;
let nonces: { alice: number; bob: number };

beforeEach(async () => {
  local = await createLocalService({ chainId: 33, mining: 'manual' });
  nonces = { alice: 0, bob: 0 };
  wallet = openWallet({
    networks: [{ chainId: 33, url: local.url }],
    approver: () => headless({ password }),
    storage: createMemoryStorage(),
    pollingInterval: 20,
  });
  ({ address: account } = await wallet.importPrivateKey(generatePrivateKey(), { password }));
  for (const each of [account, alice.address, bob.address]) await local.controls.faucet(each, 10n * coin);
  await local.controls.mine(20);
});
afterEach(async () => {
  wallet.destroy();
  await local.close();
});

/** Sends a transaction of another wallet, and mines it. */
async function play(wish: { to?: Hex | null; value?: bigint; data?: Hex }, who: 'alice' | 'bob' = 'alice') {
  const signer = who === 'alice' ? alice : bob;
  const gas = wish.data ? 1_500_000n : 21_000n;
  const raw = await sign({ ...wish, gas, nonce: nonces[who]++ }, signer);
  const hash: Hash = await clientOf(local).call('eth_sendRawTransaction', raw);
  await local.controls.mine();
  return hash;
}

async function deploy(data: Hex): Promise<Address> {
  const receipt = await clientOf(local).call(
    'eth_getTransactionReceipt',
    await play({ to: null, value: 0n, data }),
  );
  return receipt.contractAddress;
}

const tokenTransfer = (to: Address, amount: bigint) =>
  encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args: [to, amount] });

/** Sends from the wallet, and waits until it is mined. */
async function send(payment: { to?: string; value?: bigint; data?: Hex }): Promise<Hash> {
  const value = quantity(payment.value ?? 0n);
  const hash = await wallet.send({ ...payment, from: account, value });
  await expect
    .poll(async () => {
      await local.controls.mine();
      return (await wallet.transactions({ hash })).find((each) => each.hash === hash)?.state;
    })
    .toBe('mined');
  return hash;
}
const effectsOf = async (hash: Hash) =>
  (await wallet.transactions({ hash })).find((each) => each.hash === hash);

test('coins and tokens that came, with their senders, and from when that is known', async () => {
  const before = await wallet.received();
  expect(before).toMatchObject({ payments: [], changes: [], hasGap: false });
  expect(before.since?.blockNumber).toBe('0x1');
  const token = await deploy(deployment(1_000n) as Hex);
  const coins = await play({ to: account, value: 5n });
  const tokens = await play({ to: token, value: 0n, data: tokenTransfer(account, 7n) });
  const { payments, until } = await wallet.received({ further: true });
  expect(payments).toMatchObject([
    {
      account,
      from: alice.address.toLowerCase(),
      token: null,
      amount: '0x5',
      transaction: coins,
      confirmations: 1,
    },
    { token, amount: '0x7', transaction: tokens, confirmations: 0, doubt: 'unlisted' },
  ]);
  expect(payments[0]).not.toHaveProperty('doubt');
  expect(Math.abs((payments[0]?.at ?? 0) - (until?.at ?? 0))).toBeLessThan(600_000);
});

test('a token that a person watches is no doubt; a transfer of nothing is, and a sender that looks like a paid one', async () => {
  const token = await deploy(deployment(1_000n) as Hex);
  await wallet.provider.request({ method: 'eth_requestAccounts' });
  await wallet.provider.request({
    method: 'wallet_watchAsset',
    params: { type: 'ERC20', options: { address: token, symbol: 'TKN', decimals: 18 } },
  });
  const sender = alice.address.toLowerCase();
  const likeAlice = `${sender.slice(0, 6)}${'7'.repeat(32)}${sender.slice(-4)}`;
  await send({ to: likeAlice, value: 1n });
  await play({ to: token, value: 0n, data: tokenTransfer(account, 7n) });
  await play({ to: token, value: 0n, data: tokenTransfer(account, 0n) });
  await play({ to: account, value: 3n });
  await play({ to: account, value: 4n }, 'bob');
  const { payments } = await wallet.received({ further: true });
  expect(payments.map(({ amount, doubt }) => [amount, doubt])).toEqual([
    ['0x7', 'look-alike'],
    ['0x0', 'nothing'],
    ['0x3', 'look-alike'],
    ['0x4', undefined],
  ]);
});

test('coins that a contract paid are a change of the balance, once they have twelve blocks on top', async () => {
  const contract = await deploy(forwarder);
  await wallet.received();
  await play({ to: contract, value: 9n, data: `0x${word(BigInt(account))}` });
  await local.controls.mine(13);
  const { payments, changes } = await wallet.received({ further: true });
  expect(payments).toEqual([]);
  expect(changes).toMatchObject([{ account, amount: '9' }]);
});

test('a payment that a reorganisation took leaves the list', async () => {
  await wallet.received();
  await play({ to: account, value: 5n });
  expect((await wallet.received({ further: true })).payments).toHaveLength(1);
  await local.controls.reorg(1, { transactions: 'dropped' });
  expect((await wallet.received({ further: true })).payments).toEqual([]);
  await local.controls.mine(30);
  expect((await wallet.received({ further: true })).payments).toEqual([]);
});

test('a receipt shows what an own transaction did, which is no unexplained change', async () => {
  await wallet.received();
  const made = await send({ data: deployment(1_000n) as Hex });
  const { created: token } = (await effectsOf(made)) ?? {};
  expect(await clientOf(local).call('eth_getCode', token, 'latest')).not.toBe('0x');
  expect((await effectsOf(made))?.effects).toEqual([{ kind: 'received', token, amount: quantity(1_000n) }]);
  const paid = await send({ to: token as string, data: tokenTransfer(alice.address, 12n) });
  expect((await effectsOf(paid))?.effects).toEqual([{ kind: 'paid', token, amount: '0xc' }]);
  const approve = encodeFunctionData({ abi: erc20Abi, functionName: 'approve', args: [bob.address, 4n] });
  const allowed = await send({ to: token as string, data: approve });
  const spender = bob.address.toLowerCase();
  expect((await effectsOf(allowed))?.effects).toEqual([{ kind: 'allowed', token, spender, amount: '0x4' }]);
  await send({ to: account, value: 3n });
  await local.controls.mine(20);
  expect(await wallet.received({ further: true })).toMatchObject({ changes: [] });
});

test('a payment of another wallet with the same key is a change that went out', async () => {
  const key = generatePrivateKey();
  const { address } = await wallet.importPrivateKey(key);
  await local.controls.faucet(address, coin);
  await local.controls.mine(20);
  await wallet.received();
  const { privateKeyToAccount } = await import('viem/accounts');
  await clientOf(local).call('eth_sendRawTransaction', await sign({ value: 100n }, privateKeyToAccount(key)));
  await local.controls.mine(20);
  const { changes } = await wallet.received({ account: address, further: true });
  expect(changes.at(-1)).toMatchObject({ account: address, amount: `${-100n - 21_000n * 65_000_000n}` });
});

test.each([
  ['an account of another wallet', { account: alice.address }],
  ['no address', { account: 'alice' }],
  ['an option that there is not', { limit: 5 }],
  ['another type', { further: 'yes' }],
])('%s is refused', async (_, options) => {
  await expect(wallet.received(options as never)).rejects.toMatchObject({ code: -32602 });
});

test('a service that does not answer is an error, and what was known is there afterwards', async () => {
  await play({ to: account, value: 5n });
  await wallet.received();
  const restore = local.controls.intercept(() => 'drop');
  await expect(wallet.received({ further: true })).rejects.toMatchObject({ code: expect.any(Number) });
  restore();
  const again = await until(() => wallet.received().catch(() => null));
  expect(again.payments).toHaveLength(1);
});
