import {
  type Abi,
  decodeFunctionData,
  encodeFunctionData,
  erc20Abi,
  parseAbi,
  parseEther,
  parseTransaction,
} from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { createLocalService, type LocalService } from '../../../packages/kit/src/local/index.js';
import { headless } from '../../../packages/kit/src/testing/index.js';
import {
  type Answer,
  abiCalls,
  clearSigning,
  type createWallet,
  type Hex,
  type Question,
  type Wallet,
} from '../../../src/index.js';
import { hastenKdfOfFile } from '../../support/hasty-kdf-of-file.js';
import { creationOf } from '../../support/local-client.js';
import { answerNames, type NameRecords } from '../../support/name-service.js';
import { openWallet } from '../../support/open-wallet.js';

hastenKdfOfFile();

/** The owner's payments, and what a person sees and may change in the dialog, over a real EVM. */

const password = 'correct horse';
const friend = `0x${'aa'.repeat(20)}` as const;
const bridge = '0x0000000000000000000000000000000001000006';
const lowest = 59_240_000n;
const unlimited = 2n ** 256n - 1n;
const quantity = (value: bigint): Hex => `0x${value.toString(16)}`;

let local: LocalService;
const wallets: Wallet[] = [];

beforeAll(async () => {
  local = await createLocalService({ chainId: 31, dialect: 'node' });
});
afterEach(() => {
  for (const wallet of wallets.splice(0)) wallet.destroy();
  local.controls.clearFaults();
});
afterAll(() => local.close());

type Decide = (question: Question) => boolean | Answer | Promise<boolean | Answer>;

/** A wallet with coins, connected to its page. */
async function open(given: Partial<createWallet.Options> & { coins?: bigint } = {}) {
  const { coins = parseEther('10'), ...options } = given;
  let decide: Decide = () => true;
  const approver = headless({ password, answer: (question) => decide(question) });
  const wallet = openWallet({
    networks: [{ chainId: 31, url: local.url }],
    approver: () => approver,
    pollingInterval: 30,
    ...options,
  });
  wallets.push(wallet);
  const { address: from } = await wallet.importPrivateKey(generatePrivateKey(), { password });
  if (coins > 0n) await local.controls.faucet(from, coins);
  await wallet.provider.request({ method: 'eth_requestAccounts' });
  const asked = () => approver.asked.filter((question) => question.kind === 'transaction');
  return {
    wallet,
    from,
    asked,
    last() {
      const question = asked().at(-1);
      if (!question) throw new Error('no transaction was asked about');
      return question;
    },
    questions: approver.asked,
    decide(next: Decide) {
      decide = next;
    },
    pay: (change: object = {}) =>
      wallet.provider.request({
        method: 'eth_sendTransaction',
        params: [{ from, to: friend, value: '0x1', ...change }],
      }),
    entryOf: async (hash: Hex) => (await wallet.transactions()).find((entry) => entry.hash === hash),
  };
}

/** Deploys a contract that returns 18 to every call: 18 decimals, a supply of 18, and 18 for everybody. */
async function deployToken({ wallet, from }: { wallet: Wallet; from: Hex }): Promise<Hex> {
  const hash = await wallet.send({ from, to: null, data: creationOf('601260005260206000f3') });
  const receipt = await wallet.provider.request({ method: 'eth_getTransactionReceipt', params: [hash] });
  return receipt?.contractAddress as Hex;
}

/** Makes the endpoint answer as if these names were registered. */
function register(records: NameRecords): void {
  const answer = answerNames(records);
  local.controls.intercept(({ calls: [call] }) => {
    if (call?.method !== 'eth_call') return undefined;
    const result = answer((call.params as [{ to: Hex; data: Hex }])[0]);
    return result && { body: JSON.stringify({ jsonrpc: '2.0', id: call.id, result }) };
  });
}

describe('send', () => {
  test('asks like any transaction, with the wallet’s page as the origin', async () => {
    const { wallet, from, last, entryOf } = await open();
    const hash = await wallet.send({ from, to: friend, value: '0x7', gasPrice: quantity(2n * lowest) });
    expect(last()).toMatchObject({
      kind: 'transaction',
      action: 'send',
      origin: 'https://app.example',
      transaction: { to: friend, value: '0x7', gasPrice: quantity(2n * lowest) },
      nonceChosenBy: 'wallet',
    });
    expect(await entryOf(hash)).toMatchObject({ value: '0x7', gasPrice: quantity(2n * lowest) });
  });

  test('needs no connection of the page, but an account of the wallet', async () => {
    const { wallet, from } = await open();
    wallet.disconnect();
    expect(await wallet.send({ from, to: friend, value: '0x1' })).toMatch(/^0x[0-9a-f]{64}$/);
    await expect(wallet.send({ from: friend, to: from, value: '0x1' })).rejects.toMatchObject({ code: 4100 });
  });

  test.each<[string, object, string]>([
    ['an amount that is no QUANTITY', { value: '1,5' }, 'payment.value'],
    ['a wrong checksum', { to: '0x5AAeb6053F3E94C9b9A09f33669435E7Ef1Beaed' }, 'payment.to'],
    ['an unknown field', { gas: '0x5208' }, 'gas'],
    ['no recipient', { to: undefined }, 'payment.to'],
    ['a word', { to: 'alice' }, 'payment.to'],
  ])('%s is -32602', async (_name, change, path) => {
    const { wallet, from } = await open({ coins: 0n });
    const payment = { from, to: friend, value: '0x1', ...change } as Parameters<Wallet['send']>[0];
    await expect(wallet.send(payment)).rejects.toMatchObject({
      code: -32602,
      message: expect.stringContaining(path),
    });
  });

  test('a payment to a name goes to its address, and the question shows both', async () => {
    const { wallet, from, last, entryOf } = await open();
    register({ names: { 'alice.rsk': friend } });
    const hash = await wallet.send({ from, to: 'Alice.rsk', value: '0x1' });
    expect(last().recipient).toEqual({ address: friend, name: 'alice.rsk', firstTime: true });
    expect(await entryOf(hash)).toMatchObject({ to: friend });
    await expect(wallet.send({ from, to: 'nobody.rsk', value: '0x1' })).rejects.toMatchObject({
      code: -32602,
      message: expect.stringContaining('no address belongs to this name'),
    });
  });
});

describe('fees', () => {
  test('three prices around the least one, and what each costs', async () => {
    const { wallet, from } = await open();
    const fees = await wallet.fees({ from, to: friend, value: '0x1' });
    expect(fees).toMatchObject({ gas: '0x5208', minimum: quantity(lowest), maximum: quantity(80n * lowest) });
    expect(fees.slow).toEqual({ gasPrice: quantity(lowest), fee: quantity(21_000n * lowest) });
    expect(BigInt(fees.normal.gasPrice)).toBeGreaterThanOrEqual(lowest);
    expect(BigInt(fees.fast.gasPrice)).toBe((BigInt(fees.normal.gasPrice) * 3n + 1n) / 2n);
  });

  test('also for more than there is, and with the bridge’s gas for a payment to it', async () => {
    const { wallet, from } = await open({ coins: 0n });
    expect((await wallet.fees({ from, to: friend, value: quantity(parseEther('99')) })).gas).toBe('0x5208');
    expect(BigInt((await wallet.fees({ from, to: bridge, value: '0x1' })).gas)).toBe(120_000n);
  });
});

describe('a gas price that the person chooses', () => {
  test('is the one that is signed', async () => {
    const { decide, pay, entryOf, last } = await open();
    decide(({ kind }) =>
      kind === 'transaction' ? { approved: true, gasPrice: last().choices?.fees.fast.gasPrice as Hex } : true,
    );
    const hash = await pay();
    const { choices, transaction } = last();
    expect(choices?.fees.slow.gasPrice).toBe(quantity(lowest));
    expect(transaction.gasPrice).toBe(choices?.fees.normal.gasPrice);
    expect((await entryOf(hash))?.gasPrice).toBe(choices?.fees.fast.gasPrice);
  });

  test.each([lowest - 1n, 80n * lowest + 1n])(
    'outside the bounds (%i) counts as a refusal',
    async (price) => {
      const { wallet, decide, pay } = await open();
      decide(() => ({ approved: true, gasPrice: quantity(price) }));
      await expect(pay()).rejects.toMatchObject({ code: 4001 });
      expect(await wallet.transactions()).toEqual([]);
    },
  );

  test('is bounded by the balance', async () => {
    const { last, pay } = await open({ coins: 21_000n * 2n * lowest + 1n });
    await pay();
    expect(last().choices).toMatchObject({ maximum: quantity(2n * lowest) });
    expect(BigInt(last().choices?.fees.fast.gasPrice as Hex)).toBeLessThanOrEqual(2n * lowest);
  });

  test('can replace the page’s own, also for a transaction that is only signed', async () => {
    const { wallet, from, decide, last } = await open();
    decide(() => ({ approved: true, gasPrice: quantity(lowest) }));
    const raw = await wallet.provider.request({
      method: 'eth_signTransaction',
      params: [{ from, to: friend, value: '0x1', gasPrice: quantity(5n * lowest) }],
    });
    expect(last().transaction.gasPrice).toBe(quantity(5n * lowest));
    expect(parseTransaction(raw).gasPrice).toBe(lowest);
  });
});

describe('an allowance', () => {
  const approve = (amount: bigint) =>
    encodeFunctionData({ abi: erc20Abi, functionName: 'approve', args: [friend, amount] });

  test('an allowance that the person lowers is signed with that amount', async () => {
    const opened = await open();
    const { decide, pay, entryOf, last } = opened;
    const to = await deployToken(opened);
    decide(() => ({ approved: true, allowance: '17' }));
    const hash = await pay({ to, value: '0x0', data: approve(unlimited) });
    expect(last()).toMatchObject({
      choices: { allowance: unlimited.toString() },
      recipient: { address: friend },
    });
    const { args } = decodeFunctionData({ abi: erc20Abi, data: (await entryOf(hash))?.data as Hex });
    expect(args?.[1]).toBe(17n);
  });

  test('cannot be raised, and no other call has one', async () => {
    const opened = await open();
    const { decide, pay, last } = opened;
    const to = await deployToken(opened);
    decide(() => ({ approved: true, allowance: '18' }));
    await expect(pay({ to, value: '0x0', data: approve(17n) })).rejects.toMatchObject({ code: 4001 });
    const transfer = encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args: [friend, 20n] });
    await expect(pay({ to, value: '0x0', data: transfer })).rejects.toMatchObject({ code: 4001 });
    expect(last().choices).not.toHaveProperty('allowance');
  });

  test('an allowance of a contract without decimals may be the id of a collectible, and stays', async () => {
    const { pay, last, entryOf } = await open();
    const data = approve(7n);
    const hash = await pay({ to: friend, value: '0x0', data });
    expect(last().choices).not.toHaveProperty('allowance');
    expect((await entryOf(hash))?.data).toBe(data);
  });
});

describe('a balance that does not suffice', () => {
  test('is shown with what it lacks; agreeing signs nothing, and the page gets -32003', async () => {
    const { wallet, pay, last } = await open({ coins: parseEther('0.5') });
    await expect(pay({ value: quantity(parseEther('1')) })).rejects.toMatchObject({
      code: -32003,
      message: expect.stringMatching(
        /^insufficient funds for gas \* price \+ value: receive more coins first, or send less\. The balance is 0\.5 tRBTC, at most 1\.0\d+ tRBTC are needed: 0\.5\d+ tRBTC are missing\.$/,
      ),
    });
    const { shortfall, balance, total, warnings } = last();
    expect(BigInt(shortfall as Hex)).toBe(BigInt(total) - BigInt(balance));
    expect(last()).not.toHaveProperty('choices');
    expect(last().locked).toBe(false);
    expect(warnings.find(({ code }) => code === 'insufficient-funds')?.severity).toBe('danger');
    expect(await wallet.transactions()).toEqual([]);
  });

  test('also when the person closes it, when the wallet is locked, and without any coins', async () => {
    const { wallet, pay, decide, last } = await open({ coins: 0n });
    decide(() => false);
    await wallet.lock();
    await expect(pay({ value: '0x1' })).rejects.toMatchObject({ code: -32003 });
    expect(last().locked).toBe(false);
  });

  test('the coins that all calls of a batch lack together are shown, then -32003', async () => {
    const { wallet, from, questions } = await open({ coins: parseEther('1') });
    const value = quantity(parseEther('0.6'));
    const calls = [
      { to: friend, value },
      { to: friend, value },
    ];
    const batch = { version: '2.0.0', from, chainId: '0x1f', atomicRequired: false, calls } as const;
    await expect(
      wallet.provider.request({ method: 'wallet_sendCalls', params: [batch] } as never),
    ).rejects.toMatchObject({ code: -32003, message: expect.stringContaining('insufficient funds') });
    const question = questions.at(-1);
    if (question?.kind !== 'calls') throw new Error('no calls were asked about');
    expect(BigInt(question.shortfall as Hex)).toBe(BigInt(question.total) - BigInt(question.balance));
    expect(question.warnings[0]).toEqual({ code: 'insufficient-funds', severity: 'danger' });
  });
});

describe('the recipient', () => {
  const codes = (question: Question) => question.warnings.map(({ code }) => code);

  test('is new once, and known by the journal afterwards', async () => {
    const { pay, last } = await open();
    await pay();
    expect(last().recipient).toEqual({ address: friend, firstTime: true });
    expect(codes(last())).toContain('first-time-recipient');
    await pay();
    expect(last().recipient).toEqual({ address: friend });
    expect(codes(last())).not.toContain('first-time-recipient');
  });

  test('a recipient that looks like one that was paid is a danger', async () => {
    const { pay, last } = await open();
    await pay();
    const poison = `0xaaaa${'1'.repeat(32)}aaaa`;
    await pay({ to: poison });
    expect(last().recipient).toMatchObject({ address: poison, resembles: friend });
    expect(last().warnings[0]).toEqual({ code: 'resembles-known', severity: 'danger', detail: friend });
  });

  test('has its name where the name resolves to it', async () => {
    const { pay, last } = await open();
    register({ names: { 'alice.rsk': friend }, claims: { [friend]: 'alice.rsk', [bridge]: 'alice.rsk' } });
    await pay();
    expect(last().recipient).toMatchObject({ name: 'alice.rsk' });
  });

  test('has none with names switched off, and no name is looked up', async () => {
    const { wallet, pay, last } = await open({ names: false });
    register({ names: { 'alice.rsk': friend }, claims: { [friend]: 'alice.rsk' } });
    await pay();
    expect(last().recipient).toEqual({ address: friend, firstTime: true });
    expect(await wallet.resolveName('alice.rsk')).toBeNull();
    expect(await wallet.nameOf(friend)).toBeNull();
  });

  test('a name service that does not answer delays nothing for long', async () => {
    const { pay, last } = await open();
    local.controls.intercept(async ({ calls: [call] }) => {
      const [{ to }] = call?.method === 'eth_call' ? (call.params as [{ to?: Hex }]) : [{}];
      if (to === '0x7d284aaac6e925aad802a53c0c69efe3764597b8')
        await new Promise((resolve) => setTimeout(resolve, 8_000));
      return undefined;
    });
    const started = Date.now();
    await pay();
    expect(Date.now() - started).toBeLessThan(7_000);
    expect(last().recipient).toEqual({ address: friend, firstTime: true });
  });

  test('the bridge is named, and says what a payment to it does', async () => {
    const { wallet, pay, last } = await open();
    await pay({ to: bridge, value: quantity(parseEther('0.0025')) });
    expect(last().recipient).toMatchObject({ known: 'PowPeg bridge' });
    expect(last().warnings).toContainEqual({ code: 'bridge-payment', severity: 'caution' });
    expect(BigInt(last().transaction.gas)).toBe(120_000n);
    await pay({ to: bridge, value: quantity(parseEther('0.0025') - 1n) });
    expect(last().warnings[0]).toEqual({ code: 'bridge-minimum', severity: 'danger', detail: '0.0025' });
    expect(await wallet.transactions()).toHaveLength(2);
  });
});

test('a call of the page’s contract is decoded by its ABI', async () => {
  const describeCall = abiCalls([
    { address: friend, abi: ['function stake(uint256 amount)'], name: 'Vault' },
  ]);
  const { pay, last } = await open({ describeCall });
  await pay({ value: '0x0', data: `0xa694fc3a${'7'.padStart(64, '0')}` });
  expect(last().described).toEqual({
    name: 'stake',
    contract: 'Vault',
    arguments: [{ name: 'amount', type: 'uint256', value: '7' }],
  });
  expect(last().warnings.map(({ code }) => code)).not.toContain('unknown-call');
  await pay({ value: '0x0', data: '0x12345678' });
  expect(last()).not.toHaveProperty('described');
  expect(last().warnings.map(({ code }) => code)).toContain('unknown-call');
});

test('a call of the page’s contract is explained by its file, with what the wallet knows of tokens and recipients', async () => {
  const signature = 'deposit(address token,uint256 amount,address receiver,uint256 note)';
  const field = (path: string, format: string, params = {}) => ({ path, label: path, format, params });
  const file = {
    $schema: 'https://eips.ethereum.org/assets/eip-7730/erc7730-v2.schema.json',
    context: { contract: { deployments: [{ chainId: 31, address: friend }] } },
    metadata: { owner: 'Example' },
    display: {
      formats: {
        [signature]: {
          intent: 'Lock tokens',
          fields: [field('amount', 'tokenAmount', { tokenPath: 'token' }), field('receiver', 'addressName')],
        },
      },
    },
  };
  const opened = await open({ describeCall: clearSigning([file]) });
  const { pay, last, wallet } = opened;
  const token = await deployToken(opened);
  const lookAlike = `${friend.slice(0, 6)}${'5a'.repeat(16)}${friend.slice(-4)}` as Hex;
  await wallet.saveContact(friend, 'Carol');
  const deposit = (receiver: Hex) =>
    encodeFunctionData({
      abi: parseAbi([`function ${signature}`] as never) as Abi,
      args: [token, 1_500n, receiver, 7n],
    });
  await pay({ value: '0x0', data: deposit(friend) });
  expect(last().described?.explained).toMatchObject({
    intent: 'Lock tokens',
    fields: [
      { kind: 'tokens', amount: '1500', token: { address: token, decimals: 18 } },
      { kind: 'address', recipient: { address: friend, contact: 'Carol' } },
    ],
    unexplained: [{ name: 'note', value: '7' }],
  });
  expect(last().warnings.map(({ code }) => code)).not.toContain('unknown-call');
  await pay({ value: '0x0', data: deposit(lookAlike) });
  expect(last().warnings).toContainEqual({ code: 'resembles-known', severity: 'danger', detail: friend });
});

test('a request says which of several waiting ones it is', async () => {
  const { pay, asked, decide } = await open();
  await pay();
  expect(asked()[0]).not.toHaveProperty('waiting');
  let release = () => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  decide(async () => {
    await held;
    return true;
  });
  const all = [pay(), pay(), pay()];
  await expect.poll(() => asked().length).toBe(2);
  await new Promise((resolve) => setTimeout(resolve, 300));
  release();
  await Promise.all(all);
  // The first was shown when the others had not come yet.
  expect(
    asked()
      .slice(2)
      .map(({ waiting }) => waiting),
  ).toEqual([
    { index: 2, count: 3 },
    { index: 3, count: 3 },
  ]);
});

describe('balances of an address', () => {
  test('an address has a balance, and a malformed one is refused', async () => {
    const { wallet, from } = await open({ coins: 5n });
    expect(await wallet.balance(from)).toBe(5n);
    await expect(wallet.balance('0x12')).rejects.toMatchObject({ code: -32602 });
  });

  test('the tokens of the list and those that are watched, in one HTTP request where there are batches', async () => {
    const opened = await open({ networks: [{ chainId: 31, url: local.url, batch: 20 }] });
    const { wallet, from } = opened;
    const token = await deployToken(opened);
    await wallet.provider.request({
      method: 'wallet_watchAsset',
      params: { type: 'ERC20', options: { address: token, symbol: 'WRBTC', decimals: 18 } },
    });
    await expect.poll(() => wallet.state().assets[31]?.length).toBe(1);
    let calling = 0;
    const release = local.controls.intercept(({ calls }) => {
      if (calls.some(({ method }) => method === 'eth_call')) calling++;
      return undefined;
    });
    const tokens = await wallet.tokens(from);
    release();
    expect(calling).toBeLessThanOrEqual(2);
    expect(tokens.at(-1)).toEqual({
      ...{ address: token, symbol: 'WRBTC', decimals: 18, balance: 18n },
      ...{ listed: false, watched: true, imitates: 'WRBTC' },
    });
    expect(tokens.filter(({ listed }) => listed)).toHaveLength(5);
    wallet.unwatchToken(token);
    expect((await wallet.tokens(from)).some(({ address }) => address === token)).toBe(false);
  });

  test('names in both directions', async () => {
    const { wallet } = await open();
    register({ names: { 'alice.rsk': friend }, claims: { [friend]: 'alice.rsk' } });
    expect(await wallet.resolveName('alice.rsk')).toBe(friend);
    expect(await wallet.nameOf(friend)).toBe('alice.rsk');
    await expect(wallet.resolveName(5 as never)).rejects.toMatchObject({ code: -32602 });
  });
});

test('explorerUrl leads to the page of a transaction or an address, on the network that it names', async () => {
  const { wallet } = await open({ coins: 0n });
  const hash = `0x${'12'.repeat(32)}` as const;
  expect(wallet.explorerUrl({ hash })).toBe(`https://explorer.testnet.rootstock.io/tx/${hash}`);
  expect(wallet.explorerUrl({ address: privateKeyToAccount(generatePrivateKey()).address })).toMatch(
    /^https:\/\/explorer\.testnet\.rootstock\.io\/address\/0x[0-9a-f]{40}$/,
  );
  expect(wallet.explorerUrl({ hash, chainId: 999 })).toBeUndefined();
  for (const of of [{}, { hash: '0x12' }, { address: hash }, { hash: `${hash}/../x` }, null])
    expect(() => wallet.explorerUrl(of as never)).toThrow(expect.objectContaining({ code: -32602 }));
});
