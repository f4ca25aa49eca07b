import { expect, test } from 'vitest';
import { createLocalService } from '../../../packages/kit/src/local/index.js';
import type { Hash } from '../../../src/rpc/schema.js';
import { createMemoryStorage } from '../../../src/storage/memory.js';
import { type JournalEntry, keyOf } from '../../../src/transactions/journal-entry.js';
import { hastenKdfOfFile } from '../../support/hasty-kdf-of-file.js';
import { limit, openPermittedSite, received } from './support.js';

hastenKdfOfFile();

const large = (limit * 8n) / 10n;

test('a payment that was seen mined, and whose block has left the chain, does not stand for another one with its nonce', async () => {
  await using local = await createLocalService({ chainId: 33, mining: 'manual', difficulty: 40n });
  const storage = createMemoryStorage();
  const site = await openPermittedSite(local, { storage });
  const forget = (entry: JournalEntry) => storage.update('journal', keyOf(entry), () => undefined);
  const mined = async (hash: Hash): Promise<JournalEntry> => {
    await expect
      .poll(async () => {
        await local.controls.mine();
        return (await site.entryOf(hash))?.state;
      })
      .toBe('mined');
    return (await site.entryOf(hash)) as JournalEntry;
  };
  try {
    await site.request('wallet_requestExecutionPermissions', site.payments());
    site.answer(() => false);
    const small = await mined(await site.pay(1n));
    // The page has seen it mined, and judges by that.
    const second = await mined(await site.pay(2n));
    const height = Number(await site.request('eth_blockNumber'));
    await local.controls.reorg(height - Number(second.blockNumber) + 1, { transactions: 'dropped' });
    await local.controls.evictPending();
    await local.controls.mine(2);
    await expect
      .poll(async () => {
        await forget(second);
        return (await storage.all('journal')).length;
      })
      .toBe(1);
    await new Promise((done) => setTimeout(done, 1_000));
    await forget(second);
    const big = await mined(await site.pay(large));
    expect(big.nonce).toBe(second.nonce);
    await forget(big);
    await storage.put('journal', [[keyOf(second), second]]);
    await expect(site.pay(large)).rejects.toMatchObject({ code: 4001 });
    await local.controls.mine(2);
    expect(await received(site)).toBe(large + 1n);
    expect(small.state).toBe('mined');
  } finally {
    site.wallet.destroy();
  }
}, 30_000);
