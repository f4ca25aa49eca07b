import { expect, test } from 'vitest';
import { createLocalService } from '../../../packages/kit/src/local/index.js';
import type { Question } from '../../../src/approvals/question.js';
import type { Address, Hash } from '../../../src/rpc/schema.js';
import { createMemoryStorage } from '../../../src/storage/memory.js';
import { type JournalEntry, keyOf } from '../../../src/transactions/journal-entry.js';
import { hastenKdfOfFile } from '../../support/hasty-kdf-of-file.js';
import { friend, limit, openPermittedSite, quantity } from './support.js';

hastenKdfOfFile();

const large = (limit * 8n) / 10n;

test('the entry of another account explains no nonce of this one, under whatever key it is stored', async () => {
  const local = await createLocalService({ chainId: 33, mining: 'manual', difficulty: 40n });
  const storage = createMemoryStorage();
  const site = await openPermittedSite(local, { storage });
  try {
    const other = (await site.wallet.importPrivateKey(`0x${'33'.repeat(32)}`)).address;
    await local.controls.faucet(other, 10n ** 18n);
    await local.controls.mine();
    const both = [site.from, other] as const;
    site.answer((question: Question) =>
      question.kind === 'connect' ? ({ approved: true, accounts: both } as never) : true,
    );
    await site.request('eth_selectAccounts');
    await site.request('wallet_requestExecutionPermissions', site.payments());
    await site.request('wallet_requestExecutionPermissions', site.payments({}, { to: other }));
    site.answer(() => false);
    const entryOf = async (hash: Hash) => (await site.entryOf(hash)) as JournalEntry;
    const mined = async (hash: Hash): Promise<JournalEntry> => {
      await expect
        .poll(async () => {
          await local.controls.mine();
          return (await site.entryOf(hash))?.state;
        })
        .toBe('mined');
      return entryOf(hash);
    };
    const pay = { from: other as Address, to: friend, value: quantity(1n) };
    const first = (await site.pay(large)) as Hash;
    const cheap = (await site.request('eth_sendTransaction', pay)) as Hash;
    const mine = await mined(first);
    const theirs = await mined(cheap);
    expect(theirs.nonce).toBe(mine.nonce);

    await storage.remove('journal', [[keyOf(mine), mine]]);
    await storage.put('journal', [[`${keyOf(mine).slice(0, -66)}${theirs.hash}`, theirs]]);
    await expect(site.pay(large)).rejects.toMatchObject({ code: 4001 });
    expect(site.asked()).toContain('transaction');
  } finally {
    site.wallet.destroy();
    await local.close();
  }
});
