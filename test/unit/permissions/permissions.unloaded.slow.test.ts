import { expect, test, vi } from 'vitest';
import { createLocalService } from '../../../packages/kit/src/local/index.js';
import { headless } from '../../../packages/kit/src/testing/index.js';
import { createMemoryStorage } from '../../../src/storage/memory.js';
import { hastenKdfOfFile } from '../../support/hasty-kdf-of-file.js';
import { openWallet } from '../../support/open-wallet.js';
import { failure, openPermittedSite, password, sharedMemory } from './support.js';

hastenKdfOfFile();

const state = vi.hoisted(() => ({ fails: true }));
vi.mock('../../../src/permissions/upkeep.js', async (original) => {
  const actual = await original<typeof import('../../../src/permissions/upkeep.js')>();
  return {
    createUpkeep(...given: Parameters<typeof actual.createUpkeep>) {
      if (state.fails) throw new Error('Failed to fetch dynamically imported module');
      return actual.createUpkeep(...given);
    },
  };
});

test.each([
  [3, 'loads'],
  [17, 'loads'],
  [17, 'does not load'],
] as const)(
  'after %i payments in a page that cannot load upkeep.js, the next page, where it %s, pays on',
  async (count, next) => {
    state.fails = true;
    await using local = await createLocalService({ chainId: 33, mining: 'manual', difficulty: 40n });
    const storage = createMemoryStorage();
    const { memoryOf } = sharedMemory();
    const site = await openPermittedSite(local, { storage, memory: memoryOf() });
    await site.request('wallet_requestExecutionPermissions', site.payments());
    site.answer(() => false);
    for (let at = 0; at < count; at++) {
      const hash = await site.pay(1n);
      await expect
        .poll(async () => {
          await local.controls.mine();
          return (await site.entryOf(hash))?.state;
        })
        .toBe('mined');
    }
    await local.controls.mine(15);
    site.wallet.destroy();
    state.fails = next !== 'loads';
    const approver = headless({ password, answer: ({ kind }) => kind === 'unlock' });
    const wallet = openWallet({
      networks: [{ chainId: 33, url: local.url }],
      approver: () => approver,
      pollingInterval: 20,
      ...{ storage, memory: memoryOf() },
    });
    try {
      await wallet.unlock(password);
      expect(await failure(wallet, site.from, 1n)).toBeUndefined();
      expect(await failure(wallet, site.from, 1n)).toBeUndefined();
    } finally {
      wallet.destroy();
    }
  },
  60_000,
);
