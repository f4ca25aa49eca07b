import { encodeFunctionData, erc20Abi, getTypesForEIP712Domain, parseAbiParameters } from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { deployment } from '../../../demo/dapp/abi.js';
import { createLocalService, type LocalService } from '../../../packages/kit/src/local/index.js';
import { headless } from '../../../packages/kit/src/testing/index.js';
import {
  type Address,
  createMemoryStorage,
  type Hash,
  type Hex,
  type Question,
  type Wallet,
} from '../../../src/index.js';
import { hastenKdfOfFile } from '../../support/hasty-kdf-of-file.js';
import { alice, bob, clientOf, sign } from '../../support/local-client.js';
import { openWallet } from '../../support/open-wallet.js';

hastenKdfOfFile();

/** Rights over tokens that a wallet has given, on a real EVM, and taken back. */

const password = 'correct horse';
const [first, second] = [alice.address.toLowerCase(), bob.address.toLowerCase()] as [Address, Address];
const unlimited = 2n ** 256n - 1n;

/** Members of ERC-2612. */
const permitMembers = parseAbiParameters(
  'address owner, address spender, uint256 value, uint256 nonce, uint256 deadline',
);

let local: LocalService;
let wallet: Wallet;
let key: Hex;
let account: Address;
let token: Address;
let asked: Question[];

beforeAll(async () => {
  local = await createLocalService({ chainId: 33 });
});
afterAll(() => local.close());
beforeEach(async () => {
  asked = [];
  wallet = openWallet({
    networks: [{ chainId: 33, url: local.url }],
    approver: () =>
      headless({
        password,
        answer(question) {
          asked.push(question);
          return true;
        },
      }),
    storage: createMemoryStorage(),
    pollingInterval: 20,
  });
  key = generatePrivateKey();
  ({ address: account } = await wallet.importPrivateKey(key, { password }));
  await local.controls.faucet(account, 10n ** 19n);
  await wallet.provider.request({ method: 'eth_requestAccounts' });
  const made = await send({ data: deployment(1_000n) as Hex });
  token = (await entryOf(made))?.created as Address;
});
afterEach(() => wallet.destroy());

const entryOf = async (hash: Hash) =>
  (await wallet.transactions({ hash })).find((each) => each.hash === hash);

/** Sends, and waits until it is mined. */
async function send(payment: { to?: string; data: Hex }): Promise<Hash> {
  const hash = await wallet.send({ ...payment, from: account });
  await mined(hash);
  return hash;
}
const mined = (hash: Hash) => expect.poll(async () => (await entryOf(hash))?.state).toBe('mined');
const approve = (spender: Address, amount: bigint) =>
  send({
    to: token,
    data: encodeFunctionData({ abi: erc20Abi, functionName: 'approve', args: [spender, amount] }),
  });

test('rights that were given are listed with what is left of them, and one is taken back by a question', async () => {
  expect(await wallet.allowances()).toEqual([]);
  await approve(first, 5n);
  await approve(second, unlimited);
  const given = await wallet.allowances(account);
  expect(given).toMatchObject([
    { account, token, spender: second, isUnlimited: true },
    { account, token, spender: first, amount: '0x5', isUnlimited: false },
  ]);
  asked = [];
  const [, small] = given;
  if (!small) throw new Error('no allowance');
  await mined(await wallet.revoke(small));
  expect(asked.filter(({ kind }) => kind === 'transaction')).toMatchObject([
    { call: { name: 'approve', spender: first, amount: '0' } },
  ]);
  expect(await wallet.allowances()).toMatchObject([{ spender: second }]);
});

test('a permit that was signed here is looked up', async () => {
  const domain = { chainId: 33, verifyingContract: token };
  const permit = {
    domain,
    primaryType: 'Permit',
    types: { EIP712Domain: getTypesForEIP712Domain({ domain }), Permit: permitMembers },
    message: { owner: account, spender: first, value: '7', nonce: '0', deadline: '99999999999' },
  };
  // Another wallet with the same key has given the rights, of which this one knows only by its signatures.
  const approval = (spender: Address) =>
    encodeFunctionData({ abi: erc20Abi, functionName: 'approve', args: [spender, 7n] });
  const nonce = Number(await clientOf(local).call('eth_getTransactionCount', account, 'latest'));
  const [one, other] = await Promise.all(
    [first, second].map((spender, at) =>
      sign(
        { to: token, value: 0n, data: approval(spender), gas: 100_000n, nonce: nonce + at },
        privateKeyToAccount(key),
      ),
    ),
  );
  await clientOf(local).call('eth_sendRawTransaction', one);
  await clientOf(local).call('eth_sendRawTransaction', other);
  expect(await wallet.allowances()).toEqual([]);
  await wallet.provider.request({
    method: 'eth_signTypedData_v4',
    params: [account, JSON.stringify(permit)],
  });
  expect(await wallet.allowances()).toMatchObject([{ account, token, spender: first, amount: '0x7' }]);
});

test.each([
  ['an account of another wallet', () => wallet.allowances(first)],
  [
    'a right of another account',
    () => wallet.revoke({ account: first, token, spender: second, amount: '0x1' }),
  ],
  ['a right without a spender', () => wallet.revoke({ account, token, amount: '0x1' } as never)],
  ['nothing', () => wallet.revoke(undefined as never)],
])('%s is refused', async (_, call) => {
  await expect(call()).rejects.toMatchObject({ code: -32602 });
});
