import { afterEach, beforeEach, expect, test } from 'vitest';
import { headless } from '../../../packages/kit/src/testing/index.js';
import type { Address, createWallet, Question, Wallet } from '../../../src/index.js';
import { createFakeNode, type FakeNode } from '../../support/fake-node.js';
import { hastenKdfOfFile } from '../../support/hasty-kdf-of-file.js';
import { openWallet } from '../../support/open-wallet.js';
import { result } from '../../support/scripted-service.js';

hastenKdfOfFile();

/** The price of the coin in a wallet: as its function answers, and in questions. */

const password = 'correct horse';
const friend = `0x${'a1'.repeat(20)}` as Address;
const word = (value: bigint) => value.toString(16).padStart(64, '0');
const info = (usd: bigint) => `0x${word(usd * 10n ** 18n)}${word(1n)}${word(96n)}`;

let node: FakeNode;
let wallet: Wallet;
let asked: Question[];

beforeEach(async () => {
  node = await createFakeNode(31);
  asked = [];
});
afterEach(async () => {
  wallet.destroy();
  await node.stop();
});

async function open(price?: createWallet.Options['price']): Promise<Address> {
  wallet = openWallet({
    networks: [{ chainId: 31, url: node.url }],
    price,
    approver: () =>
      headless({
        password,
        answer(question) {
          asked.push(question);
          return true;
        },
      }),
  });
  return (await wallet.importPrivateKey(`0x${'07'.repeat(32)}`, { password })).address;
}
const priceAsked = () => asked.map((question) => (question as { price?: unknown }).price);

test('comes from the oracle, which is called once for several that ask', async () => {
  node.override('eth_call', result(info(100_000n)));
  await open();
  const prices = await Promise.all([wallet.coinPrice(), wallet.coinPrice()]);
  expect(prices).toEqual(Array(2).fill({ usd: `${100_000n * 10n ** 18n}`, age: 5 }));
  expect(node.count('eth_call')).toBe(1);
});

test('is in no question, and costs none a request, unless the options say so', async () => {
  node.override('eth_call', result(info(100_000n)));
  const from = await open();
  await wallet.send({ from, to: friend, value: '0x1' });
  expect(priceAsked()).toEqual([undefined]);
  const calls = () =>
    node.requests.filter(
      ({ method, params }) => method === 'eth_call' && JSON.stringify(params).includes('330227bf'),
    );
  expect(calls()).toEqual([]);
  wallet.destroy();
  await open({ questions: true });
  await wallet.send({ from, to: friend, value: '0x2' });
  expect(priceAsked()).toEqual([undefined, { usd: `${100_000n * 10n ** 18n}`, age: 5 }]);
  expect(calls()).toHaveLength(1);
});

test('may come from elsewhere, or from nowhere', async () => {
  const from = await open({ source: async (chainId) => ({ usd: `${chainId}` }), questions: true });
  expect(await wallet.coinPrice()).toEqual({ usd: '31' });
  await wallet.send({ from, to: friend, value: '0x1' });
  expect(priceAsked()).toEqual([{ usd: '31' }]);
  wallet.destroy();
  await open({ source: null });
  expect(await wallet.coinPrice()).toBeNull();
});

test('holds no payment up where its source fails or is silent', async () => {
  const from = await open({ source: () => Promise.reject(new Error('a secret')), questions: true });
  await wallet.send({ from, to: friend, value: '0x1' });
  wallet.destroy();
  await open({ source: () => new Promise(() => {}), questions: true });
  await wallet.send({ from, to: friend, value: '0x2' });
  expect(priceAsked()).toEqual([undefined, undefined]);
});

test.each([
  ['source', { source: 'oracle' }],
  ['questions', { questions: 'yes' }],
])('the option %s of another type is refused', async (name, price) => {
  await open();
  expect(() => openWallet({ networks: [{ chainId: 31, url: node.url }], price: price as never })).toThrow(
    expect.objectContaining({ code: -32602, message: expect.stringContaining(name) }),
  );
});
