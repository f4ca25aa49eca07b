import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createLocalService, type LocalService } from '../../../packages/kit/src/local/index.js';
import { headless } from '../../../packages/kit/src/testing/index.js';
import { createMemoryStorage, createVolatileMemory, type Wallet } from '../../../src/index.js';
import { hastenKdfOfFile } from '../../support/hasty-kdf-of-file.js';
import { nobody } from '../../support/local-client.js';
import { openWallet } from '../../support/open-wallet.js';
import { type Proxy as Balancer, createProxy } from '../../support/proxy.js';
import { until } from '../../support/until.js';

hastenKdfOfFile();

/** The page was loaded again: nothing is known of the chain but what the journal has. */
describe('a transaction that the journal knows as mined', () => {
  let service: LocalService;
  let balancer: Balancer;
  let url: string;
  let isBehind: (method: string) => boolean = () => false;
  let hash: `0x${string}`;
  const storage = createMemoryStorage();
  const memory = createVolatileMemory();
  const wallets: Wallet[] = [];
  const load = () => {
    const wallet = openWallet({
      ...{ storage, memory, networks: [{ chainId: 31, url: balancer.url }], pollingInterval: 50 },
      approver: () => headless({ password: 'correct horse' }),
    });
    wallets.push(wallet);
    return wallet;
  };
  const ask = (wallet: Wallet, method: string): Promise<unknown> =>
    wallet.provider.request({ method, params: [hash] });

  beforeAll(async () => {
    service = await createLocalService({ chainId: 31 });
    const behind = await service.addNode();
    url = service.url;
    balancer = await createProxy({
      pick: () => url,
      async rule({ method }) {
        url = isBehind(method) ? behind.url : service.url;
        return undefined;
      },
    });
    const wallet = load();
    const { address } = await wallet.importPrivateKey(`0x${'46'.repeat(32)}`, { password: 'correct horse' });
    await service.controls.faucet(address, 10n ** 18n);
    await wallet.provider.request({ method: 'eth_requestAccounts' });
    service.controls.setMining('manual');
    const params = [{ from: address, to: nobody, value: '0x1' }] as const;
    hash = (await wallet.provider.request({ method: 'eth_sendTransaction', params })) as typeof hash;
    // The second node does not get the block of the transaction.
    await behind.controls.setLag(1);
    await service.controls.mine();
    await until(async () => (await wallet.transactions()).some(({ state }) => state === 'mined'));
  }, 60_000);
  afterAll(async () => {
    for (const wallet of wallets) wallet.destroy();
    await balancer?.stop();
    await service?.close();
  });

  test.each(['eth_getTransactionReceipt', 'eth_getTransactionByHash'])(
    '%s is not answered by a node behind',
    async (method) => {
      let asked = 0;
      isBehind = (each) => each === method && asked++ < 2;
      expect(await ask(load(), method)).toMatchObject({ blockHash: expect.stringMatching(/^0x/) });
      expect(asked).toBeGreaterThan(2);
    },
  );

  test('is null once a reorganisation has dropped it', async () => {
    isBehind = () => false;
    await service.controls.reorg(1, { transactions: 'dropped' });
    expect(await ask(load(), 'eth_getTransactionReceipt')).toBeNull();
  });
});
