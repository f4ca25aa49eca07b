import { afterEach, expect, test, vi } from 'vitest';
import { createLocalService } from '../../../packages/kit/src/local/index.js';
import { createMemoryStorage } from '../../../src/storage/memory.js';
import { hastenKdfOfFile } from '../../support/hasty-kdf-of-file.js';
import { openPermittedSite } from './support.js';

/** A game of more moves than the journal keeps. */

hastenKdfOfFile();

afterEach(() => void vi.useRealTimers());

const moves = 170;

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
        return (await wallet.transactions({ limit: 1_000 })).every(({ state }) => state === 'mined');
      })
      .toBe(true);
    // What is mined by now is archived by the next ones.
    await expect
      .poll(async () => {
        vi.setSystemTime(Date.now() + 8_000);
        await pay(1n);
        await local.controls.mine(13);
        return journaled();
      })
      .toBeLessThan(120);
    expect(asked()).toEqual([]);
    expect((await wallet.transactions({ limit: 1_000 })).length).toBeGreaterThan(moves);
    // More than is left: what was spent at most is read again.
    site.answer(() => false);
    await expect(pay(10n ** 16n)).rejects.toMatchObject({ code: 4001 });
    const spent = before - BigInt(await request('eth_getBalance', from, 'latest'));
    expect((left as bigint) - ((await site.left()) as bigint)).toBe(spent);
  } finally {
    site.wallet.destroy();
  }
});
