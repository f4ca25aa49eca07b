import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { createLocalService, type LocalService } from '../../../packages/kit/src/local/index.js';
import { headless } from '../../../packages/kit/src/testing/index.js';
import { createVolatileMemory, type Wallet } from '../../../src/index.js';
import { openWallet } from '../../support/open-wallet.js';

/** Networks beyond the configured ones, over reloads and tabs. */

let known: LocalService;
let added: LocalService;
const wallets: Wallet[] = [];

beforeAll(async () => {
  [known, added] = await Promise.all([
    createLocalService({ chainId: 31 }),
    createLocalService({ chainId: 100 }),
  ]);
});
afterEach(() => {
  for (const wallet of wallets.splice(0)) wallet.destroy();
});
afterAll(() => Promise.all([known.close(), added.close()]));

function open(memory = createVolatileMemory()): Wallet {
  const wallet = openWallet({
    networks: [{ chainId: 31, url: known.url }],
    memory,
    approver: () => headless(),
    pollingInterval: 50,
  });
  wallets.push(wallet);
  return wallet;
}
const currency = { name: 'Leaf', symbol: 'LEAF', decimals: 18 };
const garden = () => ({ chainId: 100, url: added.url, name: 'Garden', currency });
const addByPage = (wallet: Wallet) =>
  wallet.provider.request({
    method: 'wallet_addEthereumChain',
    params: [{ chainId: '0x64', chainName: 'Garden', nativeCurrency: currency, rpcUrls: [added.url] }],
  });
const ids = (wallet: Wallet) => wallet.networks().map(({ chainId }) => chainId);

test('a network that a page added is there after a reload, still active, and marked as the page’s', async () => {
  const memory = createVolatileMemory();
  await addByPage(open(memory));
  const reloaded = open(memory);
  expect(reloaded.network()).toMatchObject({
    ...{ chainId: 100, name: 'Garden', urls: [added.url], addedBy: 'https://app.example' },
  });
  expect(await reloaded.provider.request({ method: 'eth_chainId' })).toBe('0x64');
  expect(await reloaded.provider.request({ method: 'eth_blockNumber' })).toMatch(/^0x/);
});

test('a network that the owner added has no page’s mark, and does not become active', async () => {
  const memory = createVolatileMemory();
  const wallet = open(memory);
  expect(await wallet.addNetwork(garden())).toMatchObject({ chainId: 100, name: 'Garden' });
  expect(wallet.network().chainId).toBe(31);
  wallet.switchChain(100);
  expect(await wallet.provider.request({ method: 'eth_chainId' })).toBe('0x64');
  expect(open(memory).network()).not.toHaveProperty('addedBy');
});

test('wallets of other names do not have it', async () => {
  await addByPage(open());
  expect(ids(open())).toEqual([31]);
});

describe('addNetwork refuses', () => {
  test.each<[string, () => object, string]>([
    ['a chain that is known', () => ({ chainId: 31, url: added.url }), 'knows this chain'],
    ['an endpoint of another chain', () => ({ ...garden(), chainId: 101 }), 'url[0]'],
    ['a second endpoint of another chain', () => ({ ...garden(), url: [added.url, known.url] }), 'url[1]'],
    ['an unknown chain without a name', () => ({ chainId: 100, url: added.url }), 'name'],
    ['an endpoint without https', () => ({ ...garden(), url: 'http://rpc.example' }), 'url[0]'],
  ])('%s', async (_name, options, message) => {
    const wallet = open();
    await expect(wallet.addNetwork(options() as never)).rejects.toMatchObject({
      code: -32602,
      message: expect.stringContaining(message),
    });
    expect(ids(wallet)).toEqual([31]);
  });

  test('an endpoint that cannot be reached', async () => {
    await expect(open().addNetwork({ ...garden(), url: 'http://127.0.0.1:1/' })).rejects.toMatchObject({
      code: -32002,
    });
  });
});

describe('removeNetwork', () => {
  test('makes the first configured one active, and the chain unknown', async () => {
    const memory = createVolatileMemory();
    const wallet = open(memory);
    await addByPage(wallet);
    const chains: unknown[] = [];
    wallet.provider.on('chainChanged', (chain) => chains.push(chain));
    await wallet.removeNetwork(100);
    expect(ids(wallet)).toEqual([31]);
    expect(chains).toEqual(['0x1f']);
    expect(await wallet.provider.request({ method: 'eth_blockNumber' })).toMatch(/^0x/);
    expect(() => wallet.switchChain(100)).toThrow(expect.objectContaining({ code: 4902 }));
    expect(ids(open(memory))).toEqual([31]);
    // It can be added again, and works.
    await wallet.addNetwork(garden());
    wallet.switchChain(100);
    expect(await wallet.provider.request({ method: 'eth_blockNumber' })).toMatch(/^0x/);
  });

  test('leaves configured and unknown chains alone', async () => {
    const wallet = open();
    await expect(wallet.removeNetwork(31)).rejects.toMatchObject({ code: -32602 });
    await expect(wallet.removeNetwork(100)).rejects.toMatchObject({ code: -32602 });
    await expect(wallet.removeNetwork('100' as never)).rejects.toMatchObject({ code: -32602 });
  });
});

test('a network that another script writes into the stored ones is dropped unless it is one', () => {
  const memory = createVolatileMemory();
  const url = 'https://rpc.example/';
  memory.write(
    JSON.stringify({
      chainId: 100,
      networks: [
        null,
        7,
        {},
        { chainId: 100, name: 'Garden', currency, urls: ['http://rpc.example/'] },
        { chainId: 31, name: 'Evil', currency, urls: [url] },
        { chainId: 102, name: 'Fine', currency, urls: [url], coinType: 60, batch: 9, addedBy: {} },
      ],
    }),
  );
  const wallet = open(memory);
  expect(ids(wallet)).toEqual([31, 102]);
  expect(wallet.network()).toMatchObject({ chainId: 31, urls: [known.url] });
  expect(wallet.networks()[1]).toEqual({
    ...{ chainId: 102, name: 'Fine', currency, urls: [url], coinType: 37310, testnet: false, batch: 9 },
  });
});
