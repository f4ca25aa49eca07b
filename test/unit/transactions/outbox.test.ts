import { privateKeyToAccount } from 'viem/accounts';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createLocalService, type LocalService } from '../../../packages/kit/src/local/index.js';
import { createFollower, type Follower } from '../../../src/chain/follower.js';
import type { Hex } from '../../../src/rpc/schema.js';
import { parseSigned } from '../../../src/rpc/signed-transaction.js';
import { createService } from '../../../src/service/client.js';
import { createNetworks, type Network } from '../../../src/service/networks.js';
import type { Service } from '../../../src/service/service.js';
import { createMemoryStorage } from '../../../src/storage/memory.js';
import { type Broadcast, createBroadcast, createDelivery } from '../../../src/transactions/delivery.js';
import { createJournal, type Journal } from '../../../src/transactions/journal.js';
import type { JournalEntry } from '../../../src/transactions/journal-entry.js';
import { createOutbox, type Outbox } from '../../../src/transactions/outbox.js';

/** Real bytes, a real chain, a pool that forgets. */

const account = privateKeyToAccount(`0x${'46'.repeat(32)}`);
const from = account.address.toLowerCase() as Hex;

let local: LocalService;
let follower: Follower;
let journal: Journal;
let outbox: Outbox;
let broadcast: Broadcast;
let asked: Service;

beforeEach(async () => {
  local = await createLocalService({ chainId: 31, mining: 'manual' });
  await local.controls.faucet(from, 10n ** 18n);
  const [network] = createNetworks([{ chainId: 31, url: local.url }]);
  const service = createService({ network: network as Network });
  follower = createFollower({ service, interval: 20 });
  journal = createJournal(createMemoryStorage());
  broadcast = createBroadcast(journal);
  const now = Date.now;
  const delivery = createDelivery({ journal, broadcast, now });
  outbox = createOutbox({ journal, service, follower, broadcast, delivery, now, since: now() });
  asked = service;
});

afterEach(async () => {
  outbox.stop();
  follower.stop();
  await local.close();
});

interface Overrides {
  readonly nonce?: number;
  readonly value?: bigint;
  readonly gasPrice?: bigint;
  readonly state?: JournalEntry['state'];
  readonly createdAt?: number;
}

async function record(overrides: Overrides = {}) {
  const raw = await account.signTransaction({
    type: 'legacy',
    chainId: 31,
    nonce: overrides.nonce ?? 0,
    gas: 21000n,
    gasPrice: overrides.gasPrice ?? 70_000_000n,
    to: `0x${'aa'.repeat(20)}`,
    value: overrides.value ?? 1n,
  });
  const { transaction, hash } = parseSigned(raw, 31, 'x');
  const { nonce, gas, gasPrice, to, value, data, chainId } = transaction;
  const entry: JournalEntry = {
    ...{ hash, raw, chainId, from, to, nonce, value, data, gas, gasPrice },
    origin: 'https://app.example',
    createdAt: overrides.createdAt ?? Date.now(),
    state: overrides.state ?? 'signed',
  };
  await journal.record(entry);
  return entry;
}

const stateOf = async (entry: JournalEntry) =>
  (await journal.entries()).find(({ hash }) => hash === entry.hash)?.state;

const mineUntil = (entry: JournalEntry, state: JournalEntry['state']) =>
  expect
    .poll(
      async () => {
        await local.controls.mine(1);
        return stateOf(entry);
      },
      { interval: 60 },
    )
    .toBe(state);

test('a recorded transaction is sent, and followed until it is mined', async () => {
  const entry = await record();
  outbox.wake();
  await expect.poll(() => stateOf(entry)).toBe('sent');
  await mineUntil(entry, 'mined');
});

test('a transaction whose nonce a held one with a higher price also has is sent', async () => {
  const held = await record({ gasPrice: 200_000_000n, value: 2n, createdAt: Date.now() - 660_000 });
  const entry = await record();
  outbox.wake();
  await expect.poll(() => stateOf(entry)).toBe('sent');
  await mineUntil(entry, 'mined');
  expect(await stateOf(held)).toBe('replaced');
});

test('without open transactions no request is sent', async () => {
  await record({ state: 'mined' });
  outbox.wake();
  await new Promise((resolve) => setTimeout(resolve, 100));
  expect(local.requests.count()).toBe(0);
});

test('a transaction in flight is not sent again beside it', async () => {
  const entry = await record();
  const { raw } = entry;
  local.controls.latency(300);
  const offered = broadcast(asked, entry);
  expect(broadcast.isInFlight(raw)).toBe(true);
  outbox.wake();
  await local.controls.mine(0);
  expect(await offered).toEqual({ kind: 'accepted' });
  expect(broadcast.isInFlight(raw)).toBe(false);
  expect(local.requests.count('eth_sendRawTransaction')).toBe(1);
  expect(local.requests.count('eth_getTransactionCount')).toBe(0);
});

test('it stops polling some blocks after the last transaction is mined', async () => {
  const entry = await record();
  outbox.wake();
  await mineUntil(entry, 'mined');
  await expect
    .poll(async () => {
      await local.controls.mine(1);
      const before = local.requests.count();
      await new Promise((resolve) => setTimeout(resolve, 80));
      return local.requests.count() - before;
    })

    .toBe(0);
});

test('a transaction that the mempool dropped is sent again, and mined', async () => {
  const entry = await record();
  outbox.wake();
  await expect.poll(() => stateOf(entry)).toBe('sent');
  await local.controls.evictPending();
  await mineUntil(entry, 'mined');
  expect(local.requests.count('eth_sendRawTransaction')).toBeGreaterThan(1);
});

test('a reorg that removes its block reopens a transaction', async () => {
  // Below its block, as deep as the reorg.
  await local.controls.mine(3);
  const entry = await record();
  outbox.wake();
  await mineUntil(entry, 'mined');
  await local.controls.reorg(3, { transactions: 'dropped' });
  await expect.poll(() => stateOf(entry)).toBe('sent');
  await mineUntil(entry, 'mined');
});

test('a mined transaction with its nonce marks a transaction as replaced', async () => {
  const loser = await record({ value: 1n });
  const winner = await record({ value: 2n, state: 'refused' });
  const [network] = createNetworks([{ chainId: 31, url: local.url }]);
  await createService({ network: network as Network }).request('eth_sendRawTransaction', [winner.raw]);
  await local.controls.mine(1);
  outbox.wake();
  await mineUntil(loser, 'replaced');
});
