import { expect, test } from 'vitest';
import { createLocalService, type LocalService } from '../../../packages/kit/src/local/index.js';
import { headless } from '../../../packages/kit/src/testing/index.js';
import type { Hash, Receipt } from '../../../src/rpc/schema.js';
import type { SessionMemory } from '../../../src/session/session.js';
import { createMemoryStorage } from '../../../src/storage/memory.js';
import type { Storage } from '../../../src/storage/storage.js';
import { type JournalEntry, keyOf } from '../../../src/transactions/journal-entry.js';
import { hastenKdfOfFile } from '../../support/hasty-kdf-of-file.js';
import { openWallet } from '../../support/open-wallet.js';
import { friend, limit, openPermittedSite, quantity } from './support.js';

hastenKdfOfFile();

const large = (limit * 8n) / 10n;
/** The chain of the permission, and another one whose node does as a script wants. */
const [chainId, otherChainId] = [33, 31];
const password = 'correct horse';

/** A payment of next to nothing, whose mark a script keeps, and the large one that was mined with its nonce. */
interface Payments {
  readonly small: JournalEntry;
  readonly mined: JournalEntry;
}

/**
 * A script of the origin writes, before a small payment of a permission is sent, that it was given up: so the large one gets its
 * nonce. Later it deletes the entry of the large one, and another page finds what the script has written instead.
 */
async function payAgain(
  written: (payments: Payments) => readonly JournalEntry[],
  isReady: (entries: readonly JournalEntry[], local: LocalService) => boolean,
): Promise<{ readonly code: number | undefined; readonly asked: readonly string[] }> {
  const local = await createLocalService({ chainId, mining: 'manual', difficulty: 40n });
  const other = await createLocalService({ chainId: otherChainId });
  const base = createMemoryStorage();
  let givesUp = false;
  const storage: Storage = {
    ...base,
    async put(store, records) {
      await base.put(store, records);
      if (store !== 'journal' || !givesUp) return;
      const entries = records as readonly (readonly [string, JournalEntry])[];
      await base.put(
        store,
        entries.map(([key, entry]) => [key, { ...entry, state: 'abandoned' }]),
      );
    },
  };
  let text: string | null = null;
  const memory: SessionMemory = {
    read: () => text,
    write(value) {
      text = value;
    },
    watch: () => () => {},
  };
  const entries = async () => (await base.all('journal')) as JournalEntry[];
  const entryOf = async (hash: Hash) =>
    (await entries()).find((entry) => entry.hash === hash) as JournalEntry;
  try {
    const site = await openPermittedSite(local, { storage, memory });
    await site.request('wallet_requestExecutionPermissions', site.payments());
    site.answer(() => false);
    givesUp = true;
    const { hash } = await entryOf(await site.pay(1n));
    givesUp = false;
    const paid = await site.pay(large);
    await expect
      .poll(async () => {
        await local.controls.mine();
        return (await entryOf(paid)).state;
      })
      .toBe('mined');
    const { replacedBy: _, ...small } = await entryOf(hash);
    const mined = await entryOf(paid);
    expect(mined.nonce).toBe(small.nonce);
    const receipt: Receipt = await site.request('eth_getTransactionReceipt', paid);
    site.wallet.destroy();
    other.controls.intercept(async (request, process) => {
      const asks = request.calls.some(({ method }) => method === 'eth_getTransactionReceipt');
      if (!asks || !request.body.includes(hash)) return undefined;
      const [call] = request.calls;
      await process();
      const result = { ...receipt, transactionHash: hash };
      const reply = { jsonrpc: '2.0', id: call?.id, result };
      return { body: JSON.stringify(request.calls.length > 1 ? [reply] : reply) };
    });

    await base.remove('journal', [[keyOf(mined), mined]]);
    await base.put(
      'journal',
      written({ small, mined }).map((entry) => [keyOf(entry), entry]),
    );
    text = (text as string | null)?.replace('"journal":"settled"', '"journal":"open"') ?? null;
    const approver = headless({ password, answer: ({ kind }) => kind === 'unlock' });
    const wallet = openWallet({
      networks: [
        { chainId, url: local.url },
        { chainId: otherChainId, url: other.url },
      ],
      approver: () => approver,
      pollingInterval: 20,
      ...{ storage, memory },
    });
    try {
      await wallet.unlock(password);
      await wallet.transactions();
      await expect.poll(async () => isReady(await entries(), local)).toBe(true);
      const pay = { from: site.from, to: friend, value: quantity(large) };
      const code = await wallet.provider
        .request({ method: 'eth_sendTransaction', params: [pay] } as never)
        .then(
          () => undefined,
          (error: { readonly code: number }) => error.code,
        );
      return { code, asked: approver.asked.map(({ kind }) => kind) };
    } finally {
      wallet.destroy();
    }
  } finally {
    await Promise.all([local.close(), other.close()]);
  }
}

const bait: Hash = `0x${'77'.repeat(32)}`;

test.each([
  ['held', { held: 'other-chain' }],
  ['not held', {}],
] as const)('a payment that a script writes as mined and %s stands for no other one', async (_name, hold) => {
  const written = ({ small, mined }: Payments): readonly JournalEntry[] => {
    const { ledger: _, blockHash, blockNumber, ...unmined } = mined;
    return [
      { ...small, ...hold, state: 'mined', ...(blockHash && blockNumber && { blockHash, blockNumber }) },
      // One that may have been mined after all: with it, a new page looks again at those that are held.
      { ...unmined, state: 'abandoned', hash: bait },
    ];
  };
  // The oldest entry comes first.
  const { code, asked } = await payAgain(written, (_entries, { requests }) =>
    requests.some(
      ({ method, params }) => method === 'eth_getTransactionReceipt' && JSON.stringify(params).includes(bait),
    ),
  );
  expect(code).toBe(4001);
  expect(asked).toContain('transaction');
});

test('a payment that the node of another chain calls mined stands for no other one', async () => {
  const written = ({ small }: Payments): readonly JournalEntry[] => [
    { ...small, state: 'mined' },
    { ...small, chainId: otherChainId, state: 'sent' },
  ];
  const { code, asked } = await payAgain(written, (entries) =>
    entries.some((entry) => entry.chainId === otherChainId && entry.state === 'mined'),
  );
  expect(code).toBe(4001);
  expect(asked).toContain('transaction');
});
