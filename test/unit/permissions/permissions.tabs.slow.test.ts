import { afterEach, beforeEach, expect, test } from 'vitest';
import { createLocalService, type LocalService } from '../../../packages/kit/src/local/index.js';
import { headless } from '../../../packages/kit/src/testing/index.js';
import type { createWallet, Hash, Wallet } from '../../../src/index.js';
import { createMemoryStorage } from '../../../src/storage/memory.js';
import type { Storage } from '../../../src/storage/storage.js';
import { type JournalEntry, keyOf } from '../../../src/transactions/journal-entry.js';
import { hastenKdfOfFile } from '../../support/hasty-kdf-of-file.js';
import { openWallet } from '../../support/open-wallet.js';
import {
  failure,
  limit,
  openPermittedSite,
  type PermittedSite,
  password,
  received,
  sharedMemory,
  withholding,
} from './support.js';

/** Two tabs of one wallet, and a script that writes what both read. */

hastenKdfOfFile();

const large = (limit * 8n) / 10n;
const [chainId, otherChainId] = [33, 31];

let local: LocalService;
let base: Storage;
let session: ReturnType<typeof sharedMemory>;
/** The open wallets, of which the last one is closed first. */
let opened: { destroy(): void }[];
beforeEach(async () => {
  local = await createLocalService({ chainId, mining: 'manual', difficulty: 40n });
  base = createMemoryStorage();
  session = sharedMemory();
  opened = [];
});
afterEach(async () => {
  for (const each of opened.reverse()) each.destroy();
  await local.close();
});

async function openFirst(options: Partial<createWallet.Options> = {}): Promise<PermittedSite> {
  const site = await openPermittedSite(local, {
    ...{ storage: base, memory: session.memoryOf() },
    ...options,
  });
  opened.push(site.wallet);
  return site;
}

/** Opens a second tab. Its person answers as `answer` says. */
async function openSecond(
  answer: (kind: string) => boolean,
  options: Partial<createWallet.Options> = {},
): Promise<Wallet> {
  const approver = headless({ password, answer: ({ kind }) => answer(kind) });
  const wallet = openWallet({
    networks: [{ chainId, url: local.url }],
    approver: () => approver,
    pollingInterval: 20,
    ...{ storage: base, memory: session.memoryOf() },
    ...options,
  });
  opened.push(wallet);
  await wallet.unlock(password);
  return wallet;
}

const entries = async () => (await base.all('journal')) as JournalEntry[];
const change = (entry: JournalEntry, by: object) =>
  base.update('journal', keyOf(entry), (value) => ({ ...(value as JournalEntry), ...by }));
const forget = (entry: JournalEntry) => base.update('journal', keyOf(entry), () => undefined);
const mined = (hash: Hash) =>
  expect
    .poll(async () => {
      await local.controls.mine();
      return (await entries()).find((entry) => entry.hash === hash)?.state;
    })
    .toBe('mined');

test('a tab keeps the record of a permission for a chain that only the other one has', async () => {
  const other = await createLocalService({ chainId: otherChainId });
  opened.push({ destroy: () => void other.close() });
  const networks = [
    { chainId, url: local.url },
    { chainId: otherChainId, url: other.url },
  ];
  const one = await openFirst({ networks });
  await other.controls.faucet(one.from, 10n ** 18n);
  await one.request('wallet_requestExecutionPermissions', one.payments());
  await one.request('wallet_requestExecutionPermissions', one.payments({}, { chainId: '0x1f' }));
  const all = await one.wallet.permissions();
  expect(all.map((each) => each.chainId).sort()).toEqual([31, 33]);
  const two = await openSecond(() => true, { networks: networks.slice(1) });
  await two.endPermission(all.find((each) => each.chainId === otherChainId)?.context as Hash);
  await expect.poll(async () => (await one.wallet.permissions()).map((each) => each.chainId)).toEqual([33]);
  one.answer(() => false);
  expect(await failure(one.wallet, one.from, 1n)).toBeUndefined();
});

test('a payment of this tab that was not sent does not stand for one that another tab has signed in its place', async () => {
  const { storage, state } = withholding(base);
  const one = await openFirst({ storage });
  const two = await openSecond((kind) => kind === 'unlock');
  await one.request('wallet_requestExecutionPermissions', one.payments());
  one.answer(() => false);
  state.on = true;
  await one.pay(1n);
  state.on = false;
  const [small] = (await entries()) as [JournalEntry];
  expect(await failure(two, one.from, large)).toBeUndefined();
  const big = (await entries()).find(({ hash }) => hash !== small.hash) as JournalEntry;
  expect(big.nonce).toBe(small.nonce);
  await forget(big);
  await change(small, { state: 'sent' });
  expect(await failure(one.wallet, one.from, large)).toBe(4001);
  await local.controls.mine(3);
  expect(await received(one)).toBe(large);
});

test('payments of both tabs, at once and one after the other, are covered', async () => {
  const one = await openFirst();
  const two = await openSecond((kind) => kind === 'unlock');
  await one.request('wallet_requestExecutionPermissions', one.payments());
  one.answer(() => false);
  const failures: (number | undefined)[] = [];
  for (let round = 0; round < 3; round++) {
    failures.push(...(await Promise.all([1n, 2n, 3n].map((value) => failure(one.wallet, one.from, value)))));
    failures.push(await failure(two, one.from, 4n));
    if (round > 0) await local.controls.mine();
  }
  expect(failures).toEqual(failures.map(() => undefined));
});

test('the mark of another site’s permission over the same bytes does not hide a payment', async () => {
  const { storage, state } = withholding(base);
  const one = await openFirst({ storage });
  let isWilling = true;
  const two = await openSecond((kind) => isWilling || kind === 'unlock', { origin: 'https://other.example' });
  const ask = (method: string, ...params: unknown[]) => two.provider.request({ method, params } as never);
  await ask('eth_requestAccounts');
  await one.request('wallet_requestExecutionPermissions', one.payments());
  await ask('wallet_requestExecutionPermissions', one.payments());
  isWilling = false;
  one.answer(() => false);
  state.on = true;
  await one.pay(large);
  state.on = false;
  const [first] = (await entries()) as [JournalEntry];
  await forget(first);
  expect(await failure(two, one.from, large)).toBeUndefined();
  const [second] = (await entries()) as [JournalEntry];
  expect(second.hash).toBe(first.hash);
  expect(second.ledger?.permission).not.toBe(first.ledger?.permission);
  await mined(second.hash);
  await change(second, { ledger: first.ledger });
  expect(await failure(two, one.from, large)).toBe(4001);
  await change(second, { ledger: second.ledger });
  expect(await failure(one.wallet, one.from, large)).toBe(4001);
  // Without the bytes nothing tells what it costs.
  await change(second, { ledger: second.ledger, raw: '0x00' });
  expect(await failure(one.wallet, one.from, 1n)).toBe(4001);
  await change(second, { raw: second.raw });
  expect(await failure(one.wallet, one.from, 1n)).toBeUndefined();
  await local.controls.mine(2);
  expect(await received(one)).toBe(large + 1n);
});
