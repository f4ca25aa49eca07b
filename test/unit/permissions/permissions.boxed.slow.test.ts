import { expect, test } from 'vitest';
import { createLocalService } from '../../../packages/kit/src/local/index.js';
import type { Hash } from '../../../src/rpc/schema.js';
import { createMemoryStorage } from '../../../src/storage/memory.js';
import { type JournalEntry, keyOf } from '../../../src/transactions/journal-entry.js';
import { hastenKdfOfFile } from '../../support/hasty-kdf-of-file.js';
import { limit, openPermittedSite } from './support.js';

hastenKdfOfFile();

const large = (limit * 8n) / 10n;

test('a payment counts although a script has put its permission into an object that is written as the same text', async () => {
  await using local = await createLocalService({ chainId: 33, mining: 'manual', difficulty: 40n });
  const storage = createMemoryStorage();
  const site = await openPermittedSite(local, { storage });
  try {
    await site.request('wallet_requestExecutionPermissions', site.payments());
    site.answer(() => false);
    const hash: Hash = await site.pay(large);
    await expect
      .poll(async () => {
        await local.controls.mine();
        return (await site.entryOf(hash))?.state;
      })
      .toBe('mined');
    await storage.update('journal', keyOf((await site.entryOf(hash)) as JournalEntry), (value) => {
      const { ledger, ...rest } = value as JournalEntry;
      return { ...rest, ledger: { ...ledger, permission: Object(ledger?.permission) } } as JournalEntry;
    });
    await expect(site.pay(large)).rejects.toMatchObject({ code: 4001 });
  } finally {
    site.wallet.destroy();
  }
});
