import { parseEther } from 'viem';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createLocalService, type LocalService } from '../../../packages/kit/src/local/index.js';
import { headless } from '../../../packages/kit/src/testing/index.js';
import { createMemoryStorage, createVolatileMemory, type Storage, type Wallet } from '../../../src/index.js';
import { hastenKdfOfFile } from '../../support/hasty-kdf-of-file.js';
import { openWallet } from '../../support/open-wallet.js';

hastenKdfOfFile();

/** Whether a page of a person who comes back reads the journal, though nothing is asked of the wallet. */
const password = 'correct horse';
const memory = createVolatileMemory();
const stored = createMemoryStorage();
let reads = 0;
const storage: Storage = {
  ...stored,
  all: (...args) => {
    reads += 1;
    return stored.all(...args);
  },
};
let service: LocalService;
const wallets: Wallet[] = [];

beforeAll(async () => {
  service = await createLocalService({ chainId: 31, mining: 'manual' });
});
afterAll(async () => {
  for (const wallet of wallets) wallet.destroy();
  await service?.close();
});

function open(): Wallet {
  const wallet = openWallet({
    networks: [{ chainId: 31, url: service.url }],
    approver: () => headless({ password }),
    storage,
    memory,
    pollingInterval: 50,
  });
  wallets.push(wallet);
  return wallet;
}

/** How often a page that only reads has read the storage once its wallet would have taken up the journal. */
async function readsOfIdlePage(): Promise<number> {
  reads = 0;
  const wallet = open();
  expect(await wallet.provider.request({ method: 'eth_accounts' })).toHaveLength(1);
  await new Promise((resolve) => setTimeout(resolve, 2_500));
  wallet.destroy();
  return reads;
}

test('a page reads the journal unasked only while a transaction may have to be followed', async () => {
  const wallet = open();
  const { address } = await wallet.importPrivateKey(`0x${'46'.repeat(32)}`, { password });
  await service.controls.faucet(address, parseEther('1'));
  await wallet.provider.request({ method: 'eth_requestAccounts' });
  await expect.poll(() => wallet.state().journal).toBe('settled');
  expect(await readsOfIdlePage()).toBe(0);

  const reading = open();
  expect(await reading.provider.request({ method: 'eth_chainId' })).toBe('0x1f');
  expect(await reading.provider.request({ method: 'eth_blockNumber' })).toMatch(/^0x/);
  expect(reads).toBe(0);
  await reading.unlock(password);
  await expect.poll(() => reads).toBeGreaterThan(0);
  reading.destroy();

  const params = [{ from: address, to: address, value: '0x1' }] as const;
  await wallet.provider.request({ method: 'eth_sendTransaction', params });
  wallet.destroy();
  const later = open();
  await service.controls.mine();
  // Nothing is asked of this page: it takes up the payment of the page before.
  await expect.poll(async () => stored.all('journal')).toMatchObject([{ state: 'mined' }]);
  later.destroy();
  expect(await readsOfIdlePage()).toBeGreaterThan(0);
  expect(await readsOfIdlePage()).toBe(0);
});
