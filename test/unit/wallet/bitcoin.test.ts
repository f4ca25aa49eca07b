import { parseEther, parseTransaction } from 'viem';
import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest';
import { headless } from '../../../packages/kit/src/testing/index.js';
import { createMemoryStorage, type Hex, type Question, type Wallet } from '../../../src/index.js';
import { bitcoinTransaction, bridge, events, hashOf } from '../../support/bridge-world.js';
import { playBridge } from '../../support/fake-bridge.js';
import { createFakeNode, type FakeNode } from '../../support/fake-node.js';
import { hastenKdfOfFile } from '../../support/hasty-kdf-of-file.js';
import { openWallet } from '../../support/open-wallet.js';
import { error, result } from '../../support/scripted-service.js';

hastenKdfOfFile();

/** The Bitcoin side of a real wallet, before a node whose bridge writes what a test lets it. */

const password = 'correct horse';
/** The account of key 1. */
const account = '0x7e5f4552091a69125d5dfcb7b8c2659029395bdf';
const bitcoinAddress = 'mrCDrCybB6J1vRfbwM5hemdJz73FwDBC8r';
const script: Hex = '0x76a914751e76e8199196d454941c45d1b3a323f1433bd688ac';
const friend = `0x${'aa'.repeat(20)}` as const;
const value = parseEther('0.005');
const quantity = (number: bigint): Hex => `0x${number.toString(16)}`;

const nodes: FakeNode[] = [];
const wallets: Wallet[] = [];
let node: FakeNode;

beforeEach(async () => {
  node = await createFakeNode(33);
  nodes.push(node);
});
afterEach(() => {
  for (const wallet of wallets.splice(0)) wallet.destroy();
});
afterAll(() => Promise.all(nodes.map((each) => each.stop())));

/** The latest question. */
let asked: Question;

async function open({ storage = createMemoryStorage(), keys = 1 } = {}) {
  const wallet = openWallet({
    networks: [
      { chainId: 33, url: node.url },
      { chainId: 30, url: 'http://127.0.0.1:9' },
      {
        chainId: 1,
        url: 'http://127.0.0.1:9',
        name: 'Another',
        currency: { name: 'Ether', symbol: 'ETH', decimals: 18 },
      },
    ],
    approver: () =>
      headless({
        password,
        answer(question) {
          asked = question;
          return true;
        },
      }),
    storage,
  });
  wallets.push(wallet);
  for (let key = 1; key <= keys; key += 1)
    await wallet.importPrivateKey(`0x${String(key).padStart(64, '0')}`, key === 1 ? { password } : {});
  return wallet;
}

const heightOf = () => Number(node.chain.blocks.at(-1)?.number);

describe('bitcoinAddress', () => {
  test('the Bitcoin address is that of the key, in the form of the active network, and null without a bridge', async () => {
    const wallet = await open();
    expect(await wallet.bitcoinAddress(account)).toBe(bitcoinAddress);
    expect(await wallet.bitcoinAddress(`0x${account.slice(2).toUpperCase()}`)).toBe(bitcoinAddress);
    wallet.switchChain(30);
    expect(await wallet.bitcoinAddress(account)).toBe('1BgGZ9tcN4rm9KBzDn7KprQz87SZ26SAMH');
    wallet.switchChain(1);
    expect(await wallet.bitcoinAddress(account)).toBeNull();
  });

  test('the Bitcoin address of a locked wallet is known by a signature, and else refused', async () => {
    const storage = createMemoryStorage();
    const wallet = await open({ storage, keys: 2 });
    const [, second] = wallet.state().accounts;
    await wallet.send({ from: account, to: friend, value: '0x1' });
    await wallet.lock();
    await expect(wallet.bitcoinAddress(second?.address as Hex)).rejects.toMatchObject({ code: 4100 });
    expect(await wallet.bitcoinAddress(account)).toBe(bitcoinAddress);
  });

  test('bitcoinAddress refuses accounts of others, and what is not an address', async () => {
    const wallet = await open();
    for (const wrong of [friend, '0x12', 5, null, undefined] as never[])
      await expect(wallet.bitcoinAddress(wrong)).rejects.toMatchObject({ code: -32602 });
  });
});

describe('pegOuts', () => {
  test('pegOuts lists the payments to the bridge with their stages, and no others', async () => {
    const wallet = await open({ keys: 2 });
    const second = wallet.state().accounts[1]?.address as Hex;
    const logs = playBridge(node);
    expect(await wallet.pegOuts()).toEqual([]);
    expect(node.count('eth_getTransactionReceipt')).toBe(0);

    await wallet.send({ from: account, to: friend, value: quantity(value) });
    node.chain.minedNonce = 1;
    const hash = await wallet.send({ from: account, to: bridge, value: quantity(value) });
    const sent = { hash, from: account, amount: 500_000n, bitcoinAddress, stage: 'sent' };
    expect(await wallet.pegOuts()).toEqual([{ ...sent, createdAt: expect.any(Number) }]);
    expect(await wallet.pegOuts(second)).toEqual([]);

    node.chain.mine({ transactions: [hash] });
    const block = heightOf();
    logs.push(events.received({ block, transaction: hash }, account, bitcoinAddress, value));
    expect(await wallet.pegOuts(account)).toMatchObject([{ ...sent, stage: 'waiting', block }]);

    const [transaction, topic] = [hashOf('updateCollections'), hashOf('the batch')];
    node.chain.mine();
    const batchBlock = heightOf();
    const confirmedFrom = batchBlock + 3;
    logs.push(events.batch({ block: batchBlock, transaction }, topic, [hash]));
    expect(await wallet.pegOuts()).toMatchObject([{ stage: 'batched', batchBlock, confirmedFrom }]);

    for (let block = batchBlock; block < confirmedFrom; block += 1) node.chain.mine();
    logs.push(events.confirmed({ block: confirmedFrom, transaction: hashOf('confirms') }, topic, batchBlock));
    expect(await wallet.pegOuts()).toMatchObject([{ stage: 'confirmed' }]);

    node.chain.mine();
    const { raw, id } = bitcoinTransaction([{ amount: 497_000n, script }]);
    logs.push(events.release({ block: heightOf(), transaction: hashOf('signs') }, transaction, raw));
    expect(await wallet.pegOuts()).toMatchObject([{ stage: 'paid', txid: id, received: 497_000n }]);
  });

  test('pegOuts has a call of releaseBtc, and says what was refused', async () => {
    const wallet = await open();
    const logs = playBridge(node);
    const hash = await wallet.send({ from: account, to: bridge, value: '0x1', data: '0x80af2871' });
    node.chain.mine({ transactions: [hash] });
    logs.push(events.rejected({ block: heightOf(), transaction: hash }, account, 1n, 1n));
    expect(await wallet.pegOuts()).toMatchObject([
      { hash, amount: 0n, stage: 'refused', refusal: 'too-little', isPaidBack: true },
    ]);
  });

  test('other calls of the bridge, and payments that it did not answer, are no peg-outs', async () => {
    const wallet = await open();
    playBridge(node);
    await wallet.send({ from: account, to: bridge, value: '0x0', data: '0x80af2871' });
    await wallet.send({ from: account, to: bridge, value: '0x1', data: '0x14c89c01' });
    const silent = await wallet.send({ from: account, to: bridge, value: quantity(value) });
    node.chain.mine({ transactions: [silent] });
    expect(await wallet.pegOuts()).toEqual([]);
  });

  test('entries of the journal that the account has not signed are no peg-outs', async () => {
    const storage = createMemoryStorage();
    const wallet = await open({ storage, keys: 2 });
    const hash = await wallet.send({ from: account, to: bridge, value: quantity(value) });
    const [entry] = await wallet.transactions({ hash });
    const other = wallet.state().accounts[1]?.address as Hex;
    expect(parseTransaction(entry?.raw as Hex).to).toBe(bridge);
    const { hold: _hold, ...stored } = entry as object as { hold: unknown };
    await storage.put('journal', [
      [`33:${other}:forged`, { ...stored, from: other }],
      [`33:${account}:damaged`, { ...stored, raw: '0x00', hash: hashOf('damaged') }],
      [`33:${account}:renamed`, { ...stored, hash: hashOf('renamed') }],
    ]);
    expect((await wallet.pegOuts()).map(({ from, hash: named }) => [from, named])).toEqual([[account, hash]]);
  });

  test('a payment that another key has signed is no peg-out once the own key is known', async () => {
    const storage = createMemoryStorage();
    const wallet = await open({ storage, keys: 2 });
    playBridge(node);
    const second = wallet.state().accounts[1]?.address as Hex;
    const hash = await wallet.send({ from: second, to: bridge, value: quantity(value) });
    const [entry] = await wallet.transactions({ hash });
    await wallet.bitcoinAddress(account);
    const { hold: _hold, ...stored } = entry as object as { hold: unknown };
    await storage.put('journal', [[`33:${account}:forged`, { ...stored, from: account }]]);
    expect(await wallet.pegOuts(account)).toEqual([]);
  });

  test('a payment that was only signed for a page is no peg-out', async () => {
    const wallet = await open();
    playBridge(node);
    await wallet.provider.request({ method: 'eth_requestAccounts' });
    const transaction = { from: account, to: bridge, value: quantity(value) } as const;
    await wallet.provider.request({ method: 'eth_signTransaction', params: [transaction] });
    expect(await wallet.pegOuts()).toEqual([]);
  });

  test('pegOuts is empty on a network without a bridge, and refuses accounts of others', async () => {
    const wallet = await open();
    await expect(wallet.pegOuts(friend)).rejects.toMatchObject({ code: -32602 });
    await expect(wallet.pegOuts(null as never)).rejects.toMatchObject({ code: -32602 });
    wallet.switchChain(1);
    expect(await wallet.pegOuts()).toEqual([]);
  });
});

describe('pegOutEstimate', () => {
  test('an estimate asks the bridge, and is null without one', async () => {
    const wallet = await open();
    node.override('eth_call', result(`0x${'9'.padStart(64, '0')}`));
    expect(await wallet.pegOutEstimate(quantity(value + 1n))).toEqual({
      ...{ amount: 500_000n, dust: 1n, minimum: 250_000n, fee: 9n, nextBatch: 9 },
      ...{ confirmations: 3, blocksLeft: 3, verdict: 'enough' },
    });
    wallet.switchChain(1);
    expect(await wallet.pegOutEstimate('0x1')).toBeNull();
  });

  test('an estimate leaves out what the bridge does not answer', async () => {
    const wallet = await open();
    node.override('eth_call', error(-32015, 'execution reverted'));
    expect(await wallet.pegOutEstimate(quantity(value))).toEqual({
      ...{ amount: 500_000n, dust: 0n, minimum: 250_000n, fee: undefined, nextBatch: undefined },
      ...{ confirmations: 3, blocksLeft: undefined, verdict: 'unknown' },
    });
  });

  test('an estimate refuses a value that is not a quantity', async () => {
    const wallet = await open();
    for (const wrong of ['1', '0x', 5n, 5, null, undefined, '-0x1'] as never[])
      await expect(wallet.pegOutEstimate(wrong)).rejects.toMatchObject({ code: -32602 });
  });
});

describe('the question about a payment to the bridge', () => {
  const answersWith = (fee: bigint) => result(`0x${fee.toString(16).padStart(64, '0')}`);

  test.each(['0x', '0x80af2871', '0x80AF287100'] as const)(
    'a question about a payment with data %s says what comes of it',
    async (data) => {
      const wallet = await open();
      node.override('eth_call', answersWith(12_000n));
      await wallet.send({ from: account, to: bridge, value: quantity(value), data });
      expect(asked).toMatchObject({
        pegOut: { bitcoinAddress, minimum: '250000', fee: '12000', confirmations: 3, verdict: 'enough' },
        recipient: { known: 'PowPeg bridge' },
        warnings: [{ code: 'bridge-payment', severity: 'caution' }],
      });
    },
  );

  test('a question warns of a fee that is high for the amount, and of what is less than a satoshi', async () => {
    const wallet = await open();
    node.override('eth_call', answersWith(250_000n));
    await wallet.send({ from: account, to: bridge, value: quantity(value + 1n) });
    expect(asked).toMatchObject({
      pegOut: { verdict: 'near-fee' },
      warnings: [{ code: 'bridge-payment' }, { code: 'bridge-fee' }, { code: 'bridge-dust' }],
    });
  });

  test('a question of a locked wallet has no Bitcoin address, and one without an estimate no fee', async () => {
    const wallet = await open();
    await wallet.lock();
    node.override('eth_call', error(-32015, 'execution reverted'));
    await wallet.send({ from: account, to: bridge, value: quantity(value) });
    const { pegOut } = asked as { pegOut?: object };
    expect(pegOut).toEqual({ minimum: '250000', confirmations: 3, verdict: 'unknown' });
  });

  test('a question of a locked wallet has the address that a signature tells', async () => {
    const wallet = await open();
    await wallet.send({ from: account, to: friend, value: '0x1' });
    node.chain.minedNonce = 1;
    await wallet.lock();
    await wallet.send({ from: account, to: bridge, value: quantity(value) });
    expect(asked).toMatchObject({ pegOut: { bitcoinAddress } });
  });

  test('a bridge that does not answer holds no question', async () => {
    const wallet = await open();
    const isOfBridge = ({ params }: { params: readonly unknown[] }) =>
      JSON.stringify(params).includes('0x7817d854');
    let isAsked = false;
    node.override('eth_call', (response, request) => {
      if (!isOfBridge(request)) return result('0x')(response, request);
      isAsked = true;
    });
    await wallet.send({ from: account, to: bridge, value: quantity(value) });
    expect(isAsked).toBe(true);
    expect(asked).toMatchObject({ pegOut: { bitcoinAddress, minimum: '250000', verdict: 'unknown' } });
  });

  test('other questions ask the bridge nothing', async () => {
    const wallet = await open();
    await wallet.send({ from: account, to: friend, value: quantity(value) });
    expect('pegOut' in asked).toBe(false);
    expect(JSON.stringify(node.requests)).not.toContain(bridge);
  });
});

describe('exportWif', () => {
  test('exportWif gives the key in the form of the network for the password, locked or not', async () => {
    const wallet = await open();
    const testForm = 'cMahea7zqjxrtgAbB7LSGbcQUr1uX1ojuat9jZodMN87JcbXMTcA';
    expect(await wallet.exportWif(account, password)).toBe(testForm);
    await wallet.lock();
    expect(await wallet.exportWif(account, password)).toBe(testForm);
    wallet.switchChain(30);
    expect(await wallet.exportWif(account, password)).toBe(
      'KwDiBf89QgGbjEhKnhXJuH7LrciVrZi3qYjgd9M7rFU73sVHnoWn',
    );
    expect(await wallet.vaultState()).toBe('locked');
  });

  test('exportWif refuses a wrong password, another address, and a network without a bridge', async () => {
    const wallet = await open();
    await expect(wallet.exportWif(account, 'a wrong one')).rejects.toMatchObject({ code: 4100 });
    await expect(wallet.exportWif(friend, password)).rejects.toMatchObject({ code: -32602 });
    wallet.switchChain(1);
    await expect(wallet.exportWif(account, password)).rejects.toMatchObject({ code: 4200 });
  });

  test('exportWif refuses arguments of other types without their values', async () => {
    const wallet = await open();
    for (const wrong of [734_812, null, undefined, {}, { passkey: 'yes' }] as never[]) {
      const refusal = await wallet.exportWif(account, wrong).catch((reason: unknown) => reason);
      expect(refusal).toMatchObject({ code: -32602 });
      expect((refusal as Error).message).not.toContain('734');
    }
    await expect(wallet.exportWif(5 as never, password)).rejects.toMatchObject({ code: -32602 });
  });
});
