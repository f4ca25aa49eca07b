import { parseTransaction } from 'viem';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { createLocalService, type LocalService } from '../../../../packages/kit/src/local/index.js';
import { values } from '../../../support/keys.js';
import { later, openPage, type Page, withKeys } from '../../../support/page.js';
import { until } from '../../../support/until.js';

/** EIP-3326: switching the chain. */

let testnet: LocalService;
let mainnet: LocalService;
const pages: Page[] = [];
const open = (): Page => {
  const page = openPage({
    networks: [
      { chainId: 31, url: testnet.url },
      { chainId: 30, url: mainnet.url },
    ],
  });
  pages.push(page);
  return page;
};

beforeAll(async () => {
  [testnet, mainnet] = await Promise.all([
    createLocalService({ chainId: 31 }),
    createLocalService({ chainId: 30 }),
  ]);
});
afterEach(() => {
  for (const page of pages.splice(0)) page.close();
});
afterAll(() => Promise.all([testnet.close(), mainnet.close()]));

test('EIP-3326 (1) the chain id is a hexadecimal string', async () => {
  const page = open();
  const wrong = [30, '30', 'RSK', '0x', '0x0', '0x01e', '0x20000000000000', null, undefined];
  for (const chainId of wrong)
    expect(await page.refusal('wallet_switchEthereumChain', [{ chainId }])).toMatchObject({
      code: -32602,
      message: expect.stringContaining('chainId'),
    });
  for (const params of [[], ['0x1e'], [{ chainId: '0x1e', rpcUrls: [] }], { chainId: '0x1e' }])
    expect(await page.refusal('wallet_switchEthereumChain', params)).toMatchObject({ code: -32602 });
  expect(page.questions).toEqual([]);
});

test('EIP-3326 (2) an unknown chain is 4902, without a question', async () => {
  const page = open();
  expect(await page.refusal('wallet_switchEthereumChain', [{ chainId: '0x3e7' }])).toMatchObject({
    code: 4902,
    message: expect.stringMatching(/unrecognized chain ID.*wallet_addEthereumChain/i),
  });
  expect(page.questions).toEqual([]);
});

test('EIP-3326 (3) success is null, and requests then go to the other chain', async () => {
  const page = open();
  expect(await page.request('wallet_switchEthereumChain', [{ chainId: '0x1E' }])).toBeNull();
  const before = mainnet.requests.count();
  await page.request('eth_gasPrice');
  expect(mainnet.requests.count()).toBe(before + 1);
  expect(page.questions).toMatchObject([
    { kind: 'switch-chain', network: { chainId: 31 }, target: { chainId: 30 } },
  ]);
});

test('EIP-3326 (4) there is always one active chain, and a refusal keeps it', async () => {
  const page = open();
  expect(await page.request('eth_chainId')).toBe('0x1f');
  page.decide(() => false);
  expect(await page.refusal('wallet_switchEthereumChain', [{ chainId: '0x1e' }])).toMatchObject({
    code: 4001,
  });
  expect(await page.request('eth_chainId')).toBe('0x1f');
  expect(page.payloads('chainChanged')).toEqual([]);
});

test('EIP-3326 (5), broken on purpose: an open question stays, and what is signed is for the chain it shows', async () => {
  const page = await withKeys(open());
  const { given, answer } = later();
  page.decide(() => given);
  const transaction = {
    from: values.$A0,
    to: values.$X,
    gas: '0x5208',
    gasPrice: '0x3b9aca00',
    nonce: '0x0',
  };
  await testnet.controls.faucet(values.$A0);
  const signed = page.request('eth_signTransaction', [transaction]);
  await until(() => page.questions.at(-1)?.kind === 'transaction');
  // The page cannot do this: its own switch would wait for its turn. The owner can, and another tab.
  page.wallet.switchChain(30);
  expect(await page.request('eth_chainId')).toBe('0x1e');
  answer(true);
  expect(page.questions.at(-1)).toMatchObject({ kind: 'transaction', network: { chainId: 31 } });
  expect(parseTransaction((await signed) as `0x${string}`)).toMatchObject({ chainId: 31 });
});

test('EIP-3326 (6) a switch to the active chain is null at once, without a question or an event', async () => {
  const page = open();
  page.decide(() => false);
  expect(await page.request('wallet_switchEthereumChain', [{ chainId: '0x1f' }])).toBeNull();
  expect(page.questions).toEqual([]);
  expect(page.payloads('chainChanged')).toEqual([]);
});

test('EIP-3326 (7) the state changes first, then every listener gets chainChanged, then the request resolves', async () => {
  const page = open();
  const order: unknown[] = [];
  for (const listener of ['one', 'two'])
    page.provider.on('chainChanged', (id: string) => order.push([listener, id, page.provider.chainId]));
  await page.request('wallet_switchEthereumChain', [{ chainId: '0x1e' }]).then(() => order.push('answer'));
  expect(order).toEqual([['one', '0x1e', '0x1e'], ['two', '0x1e', '0x1e'], 'answer']);
});

test('EIP-3326 (8) equal simultaneous requests share one dialog and one answer', async () => {
  const page = open();
  const { given, answer } = later();
  page.decide(() => given);
  const both = [1, 2].map(() => page.refusal('wallet_switchEthereumChain', [{ chainId: '0x1e' }]));
  await until(() => page.questions.length > 0);
  answer(false);
  for (const each of both) expect(await each).toMatchObject({ code: 4001 });
  page.decide(() => true);
  const next = [1, 2].map(() => page.request('wallet_switchEthereumChain', [{ chainId: '0x1e' }]));
  expect(await Promise.all(next)).toEqual([null, null]);
  expect(page.questions).toHaveLength(2);
  expect(page.payloads('chainChanged')).toEqual(['0x1e']);
});
