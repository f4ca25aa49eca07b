import { afterEach, expect, onTestFinished, test, vi } from 'vitest';
import { createLocalService, type LocalService } from '../../../packages/kit/src/local/index.js';
import type { Hash } from '../../../src/index.js';
import { hastenKdfOfFile } from '../../support/hasty-kdf-of-file.js';
import { until } from '../../support/until.js';
import { limit, openPermittedSite, type PermittedSite } from './support.js';

/** The real cost of mined transactions, which takes the place of the most that they could cost. */

hastenKdfOfFile();

let local: LocalService;
let site: PermittedSite;

afterEach(async () => {
  site.wallet.destroy();
  await local.close();
});

/** Mines the transaction, then blocks on top of it. */
async function mineOver(hash: Hash, blocks: number): Promise<void> {
  const isMined = async () => (await site.entryOf(hash))?.state === 'mined';
  const looks = () => local.requests.count('eth_getBlockByNumber');
  // A node forgets what it had for a day: the wallet sends it again after some blocks. It looks at each before the next is mined,
  // so that no more than `blocks` are on top, however busy the machine is.
  while (!(await isMined())) {
    await local.controls.mine();
    const before = looks();
    await until(async () => looks() > before + 2 || (await isMined()));
  }
  const { blockNumber } = (await site.entryOf(hash)) ?? {};
  const height = Number(await site.request('eth_blockNumber'));
  await local.controls.mine(blocks - (height - Number(blockNumber)));
}

/** Pays almost all, cancels it, and says with how many blocks on top of that the permission covers a payment again. */
async function cancelledPayment(): Promise<number | null> {
  await site.request('wallet_requestExecutionPermissions', site.payments());
  await site.pay(limit - 10n ** 14n);
  const [sent] = await site.wallet.transactions();
  const cancel = await site.wallet.cancel(sent?.hash as Hash);
  await mineOver(cancel, 10);
  // A question is refused, so that nothing is sent while the permission does not cover it.
  site.answer(() => false);
  for (let depth = 10; depth <= 14; depth++) {
    site.asked();
    const isSent = await site.pay(10n ** 15n).then(
      () => true,
      () => false,
    );
    if (isSent) return depth;
    expect(site.asked()).toEqual(['transaction']);
    await local.controls.mine();
  }
  return null;
}

test('a cancelled payment is given back once twelve blocks with work are on top of it', async () => {
  local = await createLocalService({ chainId: 33, mining: 'manual', difficulty: 40n });
  site = await openPermittedSite(local);
  expect(await cancelledPayment()).toBe(12);
});

test('a cancelled payment is given back where two hosts say so, and no work shows it', async () => {
  // A test network has no floor of difficulty: anybody could have made its blocks.
  local = await createLocalService({ chainId: 31, mining: 'manual' });
  const other = await local.addNode();
  site = await openPermittedSite(local, { urls: [local.url, other.url] });
  expect(await cancelledPayment()).toBe(12);
});

test('a cancelled payment counts on where one node alone says so', async () => {
  local = await createLocalService({ chainId: 31, mining: 'manual' });
  site = await openPermittedSite(local);
  expect(await cancelledPayment()).toBe(null);
});

test('a cancelled payment counts on where two hosts do not agree', async () => {
  local = await createLocalService({ chainId: 31, mining: 'manual' });
  const liar = await local.addNode();
  site = await openPermittedSite(local, { urls: [local.url, liar.url] });
  liar.controls.lie('false-receipt');
  expect(await cancelledPayment()).toBe(null);
});

test('gives each period its own limit, and counts in it what is not settled', async () => {
  vi.useFakeTimers({ toFake: ['Date'] });
  onTestFinished(() => void vi.useRealTimers());
  local = await createLocalService({ chainId: 33, mining: 'manual', difficulty: 40n });
  site = await openPermittedSite(local);
  const { permission, ...rest } = site.payments();
  const data = { periodAmount: '0x2386f26fc10000', periodDuration: 86_400 };
  await site.request('wallet_requestExecutionPermissions', {
    ...rest,
    permission: { ...permission, type: 'native-token-periodic', data },
  });
  const begin = Math.floor(Date.now() / 1_000);
  let days = 0;
  const most = (limit * 9n) / 10n;
  const nextDay = async () => {
    vi.setSystemTime(Date.now() + 86_400_000);
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'evm_increaseTime', params: ['86400'] });
    await fetch(local.url, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
    await local.controls.mine();
    // Each time it is asked, time goes on: what was read a moment ago would stay the newest.
    await expect
      .poll(async () => {
        vi.setSystemTime(Date.now() + 2_000);
        const { timestamp } = await site.request('eth_getBlockByNumber', 'latest', false);
        return Number(timestamp) - begin;
      })
      .toBeGreaterThanOrEqual(86_400 * ++days);
  };
  await mineOver(await site.pay(most), 12);
  // A day later the keys are locked.
  site.answer(({ kind }) => kind === 'unlock');
  await expect(site.pay(most)).rejects.toMatchObject({ code: 4001 });
  await nextDay();
  const open = await site.pay(most);
  // Not mined on its day, it counts on the next one too.
  await nextDay();
  await expect(site.pay(most)).rejects.toMatchObject({ code: 4001 });
  await mineOver(open, 12);
  await expect(site.pay(most)).rejects.toMatchObject({ code: 4001 });
  await nextDay();
  await site.pay(most);
  expect(site.asked().filter((kind) => kind === 'transaction')).toHaveLength(3);
  // Three of seven days are spent.
  const [left] = await site.wallet.permissions();
  expect(BigInt(left?.leftInAll ?? 0)).toBeLessThan(limit * 7n - most * 3n);
});
