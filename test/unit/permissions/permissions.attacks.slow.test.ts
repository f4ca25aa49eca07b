import { afterEach, expect, test } from 'vitest';
import { createLocalService, type LocalService } from '../../../packages/kit/src/local/index.js';
import type { Address, Hash, Hex } from '../../../src/index.js';
import { createMemoryStorage } from '../../../src/storage/memory.js';
import type { Storage } from '../../../src/storage/storage.js';
import { type JournalEntry, keyOf } from '../../../src/transactions/journal-entry.js';
import { hastenKdfOfFile } from '../../support/hasty-kdf-of-file.js';
import { friend, limit, openPermittedSite, type PermittedSite, stranger, withholding } from './support.js';

/** Attacks by a site together with a script that writes the storage, against an honest node: none pays more than was agreed to. */

hastenKdfOfFile();

let local: LocalService;
let site: PermittedSite;
afterEach(async () => {
  site.wallet.destroy();
  await local.close();
});

const request = 'wallet_requestExecutionPermissions';
const move = '0x11223344';
const most = (limit * 8n) / 10n;

const mined = (hash: Hash) =>
  expect
    .poll(async () => {
      await local.controls.mine();
      return (await site.entryOf(hash))?.state;
    })
    .toBe('mined');

async function deploy(runtime: string): Promise<Address> {
  const size = (runtime.length / 2).toString(16).padStart(2, '0');
  const data = `0x60${size}600c60003960${size}6000f3${runtime}`;
  const hash: Hash = await site.request('eth_sendTransaction', { from: site.from, data });
  await mined(hash);
  return (await site.request('eth_getTransactionReceipt', hash)).contractAddress;
}

/** A permission for calls of a contract. */
const callsOf = (address: Address, selectors: readonly string[] = [move]) => {
  const { permission, rules, ...rest } = site.payments() as { permission: object; rules: object[] };
  const data = { allowanceAmount: '0x2386f26fc10000', contracts: [{ address, selectors }] };
  return {
    ...rest,
    rules: rules.slice(0, 1),
    permission: { ...permission, type: 'graft-contract-calls', data },
  };
};

/** The session's storage, which a script of the origin writes too. */
function sharedMemory() {
  let text: string | null = null;
  const watchers = new Set<() => void>();
  return {
    read: () => text,
    write(value: string) {
      text = value;
    },
    watch(changed: () => void) {
      watchers.add(changed);
      return () => void watchers.delete(changed);
    },
    script(value: string) {
      text = value;
      for (const each of watchers) each();
    },
  };
}

/** Has the permission granted; then the person refuses all questions. */
async function grantOnly(what: object = site.payments()): Promise<void> {
  await site.request(request, what);
  site.asked();
  site.answer(() => false);
}

const entryOf = async (hash: Hash) => (await site.entryOf(hash)) as JournalEntry;
const forget = async (storage: Storage, entry: JournalEntry) =>
  storage.remove('journal', [[keyOf(entry), await storage.get('journal', keyOf(entry))]]);
const paid = async () => BigInt(await site.request('eth_getBalance', friend, 'latest'));
const fails = (sending: Promise<Hash>) => expect(sending).rejects.toMatchObject({ code: 4001 });

/** Signs one wei under the permission, and keeps it from being sent. */
async function withheld(state: { on: boolean }): Promise<JournalEntry> {
  state.on = true;
  const entry = await entryOf(await site.pay(1n));
  state.on = false;
  return entry;
}

test('a nonce is not explained by an entry that only says that it was mined', async () => {
  local = await createLocalService({ chainId: 33, mining: 'manual', difficulty: 40n });
  const base = createMemoryStorage();
  const { storage, state } = withholding(base);
  site = await openPermittedSite(local, { storage });
  await grantOnly();
  const small = await withheld(state);
  const hash = await site.pay(most);
  await mined(hash);
  const entry = await entryOf(hash);
  expect(entry.nonce).toBe(small.nonce);
  await forget(base, entry);
  const { blockHash, blockNumber } = entry;
  await base.update('journal', keyOf(small), (value) => {
    const { replacedBy: _, ...rest } = value as JournalEntry;
    return { ...rest, state: 'mined', blockHash, blockNumber };
  });
  await fails(site.pay(most));
  await local.controls.mine(2);
  expect(await paid()).toBe(most);
});

test('a pending payment is not hidden by an entry with its nonce that no node has', async () => {
  local = await createLocalService({ chainId: 33, mining: 'manual', difficulty: 40n });
  const base = createMemoryStorage();
  const { storage, state } = withholding(base);
  site = await openPermittedSite(local, { storage });
  await grantOnly();
  const small = await withheld(state);
  await forget(base, await entryOf(await site.pay(most)));
  await base.update('journal', keyOf(small), (value) => ({ ...(value as JournalEntry), state: 'sent' }));
  await fails(site.pay(most));
  await local.controls.mine(2);
  expect(await paid()).toBe(most);
});

test('an entry that was only signed for a page does not explain its nonce', async () => {
  local = await createLocalService({ chainId: 33, mining: 'manual', difficulty: 40n });
  const storage = createMemoryStorage();
  site = await openPermittedSite(local, { storage });
  await site.request(request, site.payments());
  await site.request('eth_signTransaction', { from: site.from, to: stranger, value: '0x0' });
  const [small] = (await site.wallet.transactions()) as unknown as [JournalEntry];
  await site.wallet.abandon(small.hash);
  site.answer(() => false);
  const hash = await site.pay(most);
  await mined(hash);
  const entry = await entryOf(hash);
  expect(entry.nonce).toBe(small.nonce);
  const { blockHash, blockNumber } = entry;
  await forget(storage, entry);
  await storage.update('journal', keyOf(small), (value) => {
    const { held: _held, replacedBy: _by, ...rest } = value as JournalEntry;
    return { ...rest, state: 'mined', blockHash, blockNumber };
  });
  await fails(site.pay(most));
});

test('a replaced permission’s spending counts, though its entries were deleted', async () => {
  local = await createLocalService({ chainId: 33, mining: 'manual', difficulty: 40n });
  const storage = createMemoryStorage();
  site = await openPermittedSite(local, { storage });
  await site.request(request, site.payments());
  const hash = await site.pay(most);
  await mined(hash);
  await local.controls.mine(14);
  const next = site.payments() as unknown as { rules: object[] };
  next.rules[1] = { type: 'payee', data: { addresses: [stranger] } };
  await grantOnly(next);
  await forget(storage, await entryOf(hash));
  await fails(site.pay(most, stranger));
});

test('spending that the question shows counts, though the old permission leaves the list meanwhile', async () => {
  local = await createLocalService({ chainId: 33, difficulty: 40n });
  const memory = sharedMemory();
  site = await openPermittedSite(local, { memory });
  await site.request(request, site.payments());
  await site.pay(most);
  await local.controls.mine();
  site.answer(() => {
    const { granted: _, ...rest } = JSON.parse(memory.read() as string);
    memory.script(JSON.stringify(rest));
    return true;
  });
  await grantOnly();
  await fails(site.pay(most));
});

test('a permission that was off the list while its spending was added up is gone', async () => {
  local = await createLocalService({ chainId: 31, mining: 'manual' });
  const memory = sharedMemory();
  site = await openPermittedSite(local, { memory });
  const game = await deploy('00');
  await site.request(request, callsOf(game));
  await site.request(request, site.payments());
  const session = memory.read() as string;
  const { granted, ...rest } = JSON.parse(session) as { granted: { type: string }[] };
  memory.script(JSON.stringify({ ...rest, granted: granted.filter(({ type }) => type.startsWith('graft')) }));
  await expect.poll(async () => (await site.wallet.permissions()).length).toBe(1);
  // Its record is deleted once this page has heard of it.
  await site.wallet.permissions();
  memory.script(session);
  site.answer(() => false);
  await fails(site.pay(most));
});

test.each<[string, (to: { game: Address; token: Address }) => unknown]>([
  ['its connection', () => site.wallet.disconnect()],
  [
    'an allowance',
    ({ game, token }) =>
      site.request('eth_sendTransaction', {
        from: site.from,
        to: token,
        data: `0x095ea7b3${'0'.repeat(24)}${game.slice(2)}${'0'.repeat(63)}1`,
      }),
  ],
])('a permission that ended with %s cannot be put back while the keys are there', async (_, end) => {
  local = await createLocalService({ chainId: 31, dialect: 'node', mining: 'auto' });
  const memory = sharedMemory();
  site = await openPermittedSite(local, { memory });
  const [game, token] = [await deploy('00'), await deploy('00')];
  await site.request(request, callsOf(game));
  const before = memory.read() as string;
  await end({ game, token });
  expect(await site.wallet.permissions()).toEqual([]);
  memory.script(before);
  site.answer(() => false);
  await fails(site.request('eth_sendTransaction', { from: site.from, to: game, data: move }));
});

test.each(['hidden', 'removed'])(
  'a permission that ended with its account, %s, does not come back with it',
  async (how) => {
    local = await createLocalService({ chainId: 33, difficulty: 40n });
    site = await openPermittedSite(local);
    const { wallet, from } = site;
    await wallet.importPrivateKey(`0x${'33'.repeat(32)}`);
    await site.request(request, site.payments());
    const key = await wallet.exportPrivateKey(from, 'correct horse');
    if (how === 'hidden') await wallet.hide(from, true);
    else await wallet.remove(from);
    expect(await wallet.permissions()).toEqual([]);
    if (how === 'hidden') await wallet.hide(from, false);
    else await wallet.importPrivateKey(key);
    site.answer(() => false);
    await expect(site.pay(1n)).rejects.toThrow();
    expect(await wallet.permissions()).toEqual([]);
  },
);

test.each([
  ['increaseApproval', '0xd73dd623'],
  ['authorizeOperator', '0x959b8c3f'],
  ['approveAndCall', '0xcae9ca51'],
  ['approve of ERC-6909', '0x426a8493'],
  ['setOperator of ERC-6909', '0x558a7297'],
])('a permission for calls ends with %s for its contract', async (_, selector) => {
  local = await createLocalService({ chainId: 31, dialect: 'node', mining: 'auto' });
  site = await openPermittedSite(local);
  const [game, token] = [await deploy('00'), await deploy('00')];
  await site.request(request, callsOf(game));
  const words = [game.slice(2), '1', '60', '0'].map((value) => value.padStart(64, '0'));
  const data: Hex = `${selector as Hex}${words.join('')}`;
  await site.request('eth_sendTransaction', { from: site.from, to: token, data });
  expect(await site.wallet.permissions()).toEqual([]);
});

test('an allowance that is on its way is warned of', async () => {
  local = await createLocalService({ chainId: 31, dialect: 'node', mining: 'manual' });
  site = await openPermittedSite(local);
  const game = await deploy('00');
  await site.request('eth_sendTransaction', {
    from: site.from,
    to: '0x19f64674d8a5b4e652319f5e239efd3bc969a1fe',
    data: `0x095ea7b3${'0'.repeat(24)}${game.slice(2)}${'f'.repeat(64)}`,
  });
  await site.request(request, callsOf(game));
  expect(site.questions.at(-1)?.warnings.map(({ code }) => code)).toContain('permission-allowance');
});

test('a request too long to be stored is refused before the question', async () => {
  local = await createLocalService({ chainId: 33, difficulty: 40n });
  site = await openPermittedSite(local);
  site.asked();
  const contracts = Array.from({ length: 6 }, (_, of) => ({
    address: `0x${`${10 + of}`.repeat(20)}`,
    selectors: Array.from({ length: 32 }, (_, at) => `f${of}_${at}(${Array(160).fill('uint8').join()})`),
  }));
  const { permission, ...rest } = callsOf(friend) as { permission: { data: object } };
  const data = { ...permission.data, contracts };
  await expect(site.request(request, { ...rest, permission: { ...permission, data } })).rejects.toMatchObject(
    { code: -32602 },
  );
  expect(site.asked()).toEqual([]);
});
