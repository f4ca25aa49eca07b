import { afterEach, expect, test, vi } from 'vitest';
import { createLocalService } from '../../../packages/kit/src/local/index.js';
import { toQuantity } from '../../../src/rpc/hex.js';
import { createMemoryStorage } from '../../../src/storage/memory.js';
import { type JournalEntry, keyOf } from '../../../src/transactions/journal-entry.js';
import { hastenKdfOfFile } from '../../support/hasty-kdf-of-file.js';
import { openPermittedSite } from './support.js';

/** A game of more moves than stay in the journal, beside older transactions of another chain, which fill it. */

hastenKdfOfFile();

afterEach(() => void vi.useRealTimers());

const moves = 70;

const older = (at: number): [string, unknown] => {
  const hash = `0x${at.toString(16).padStart(64, '0')}` as const;
  const [from, nonce] = [`0x${'11'.repeat(20)}`, toQuantity(at)] as const;
  const entry: Partial<JournalEntry> = {
    ...{ chainId: 30, from, nonce, hash, raw: '0x00', to: from, value: '0x1', data: '0x' },
    ...{ gas: '0x5208', gasPrice: '0x1', origin: 'https://old.example', createdAt: at, state: 'mined' },
    ...{ blockNumber: toQuantity(at + 1), blockHash: hash },
  };
  return [keyOf(entry as JournalEntry), entry];
};

test('old moves leave the journal, and what is left stays exact to the wei', async () => {
  await using local = await createLocalService({ chainId: 33, difficulty: 40n });
  const storage = createMemoryStorage();
  const site = await openPermittedSite(local, { storage });
  vi.useFakeTimers({ toFake: ['Date'] });
  try {
    const { pay, request, wallet, from, asked } = site;
    await request('wallet_requestExecutionPermissions', site.payments());
    asked();
    const before = BigInt(await request('eth_getBalance', from, 'latest'));
    const left = await site.left();
    const journaled = async () => (await storage.all('journal')).length;
    for (let move = 0; move < moves; move++) {
      await pay(1n);
      vi.setSystemTime(Date.now() + 8_000);
    }
    await local.controls.mine(13);
    await expect
      .poll(async () => {
        vi.setSystemTime(Date.now() + 1_000);
        return (await wallet.transactions()).every(({ state }) => state === 'mined');
      })
      .toBe(true);
    vi.setSystemTime(Date.now() + 600_000);
    await storage.put(
      'journal',
      Array.from({ length: 100 }, (_, at) => older(at + 1)),
    );
    await pay(1n);
    await expect.poll(journaled).toBeLessThan(110);
    const ofSite = (await storage.all('journal', '33:')).length;
    expect(ofSite).toBeLessThan(moves);
    expect(await storage.all('archive', 'checkpoint:')).toHaveLength(1);
    expect(asked()).toEqual([]);
    expect((await wallet.transactions({ chainId: 33, limit: 1_000 })).length).toBe(moves + 1);
    // More than is left: what was spent at most is read again.
    site.answer(() => false);
    await expect(pay(10n ** 16n)).rejects.toMatchObject({ code: 4001 });
    const spent = before - BigInt(await request('eth_getBalance', from, 'latest'));
    expect((left as bigint) - ((await site.left()) as bigint)).toBe(spent);
  } finally {
    site.wallet.destroy();
  }
});
