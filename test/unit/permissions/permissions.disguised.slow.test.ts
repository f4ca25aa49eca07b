import { keccak256 } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { expect, test } from 'vitest';
import { createLocalService } from '../../../packages/kit/src/local/index.js';
import { headless } from '../../../packages/kit/src/testing/index.js';
import type { Hash, Receipt } from '../../../src/rpc/schema.js';
import { createMemoryStorage } from '../../../src/storage/memory.js';
import { type JournalEntry, keyOf } from '../../../src/transactions/journal-entry.js';
import { hastenKdfOfFile } from '../../support/hasty-kdf-of-file.js';
import { openWallet } from '../../support/open-wallet.js';
import { failure, limit, openPermittedSite, password, sharedMemory, withholding } from './support.js';

hastenKdfOfFile();

const large = (limit * 8n) / 10n;
/** The chain of the permission, and another one whose node does as a script wants. */
const [chainId, otherChainId] = [33, 31];

test('a payment under the key of one of another chain, whose node calls it mined, stands for no other one', async () => {
  await using local = await createLocalService({ chainId, mining: 'manual', difficulty: 40n });
  await using other = await createLocalService({ chainId: otherChainId });
  const base = createMemoryStorage();
  const { storage, state } = withholding(base);
  const { state: session, memoryOf } = sharedMemory();
  const entryOf = async (hash: Hash) =>
    ((await base.all('journal')) as JournalEntry[]).find((entry) => entry.hash === hash) as JournalEntry;
  const site = await openPermittedSite(local, { storage, memory: memoryOf() });
  await site.request('wallet_requestExecutionPermissions', site.payments());
  site.answer(() => false);
  state.on = true;
  const { hash } = await entryOf(await site.pay(1n));
  state.on = false;
  const paid = await site.pay(large);
  await expect
    .poll(async () => {
      await local.controls.mine();
      return (await entryOf(paid)).state;
    })
    .toBe('mined');
  const { replacedBy: _, ...small } = await entryOf(hash);
  const { blockHash, blockNumber, ...mined } = await entryOf(paid);
  const receipt: Receipt = await site.request('eth_getTransactionReceipt', paid);
  site.wallet.destroy();

  other.controls.intercept(async (request, process) => {
    const asks = (name: string) => request.calls.some(({ method }) => method === name);
    const isReceipt = asks('eth_getTransactionReceipt') && request.body.includes(hash);
    if (!isReceipt && !asks('eth_sendRawTransaction')) return undefined;
    await process();
    const replies = request.calls.map(({ id, method }) => ({
      ...{ jsonrpc: '2.0', id },
      ...(method === 'eth_getTransactionReceipt'
        ? { result: { ...receipt, transactionHash: hash } }
        : { error: { code: -32010, message: 'transaction nonce too low' } }),
    }));
    return { body: JSON.stringify(replies.length > 1 ? replies : replies[0]) };
  });
  // A decoy of the other chain has the wallet send what is stored under its key.
  const raw = await privateKeyToAccount(`0x${'44'.repeat(32)}`).signTransaction({
    ...{ chainId: otherChainId, nonce: Number(small.nonce), value: 1n, gas: 21_000n, gasPrice: 60_000_000n },
    type: 'legacy',
  });
  const { ledger: _ledger, anchor: _anchor, held: _held, ...plain } = small;
  const decoy: JournalEntry = {
    ...{ ...plain, chainId: otherChainId, hash: keccak256(raw), raw },
    ...{ state: 'signed', createdAt: Date.now() + 500 },
  };
  await base.update('journal', keyOf(mined), () => undefined);
  await base.put('journal', [
    [`${keyOf(decoy)}+`, decoy],
    [keyOf(decoy), { ...small, state: 'sent' }],
    [keyOf(small), { ...small, state: 'mined', ...(blockHash && blockNumber && { blockHash, blockNumber }) }],
  ]);
  session.text = session.text?.replace('"journal":"settled"', '"journal":"open"') ?? null;
  const wallet = openWallet({
    networks: [
      { chainId, url: local.url },
      { chainId: otherChainId, url: other.url },
    ],
    approver: () => headless({ password, answer: ({ kind }) => kind === 'unlock' }),
    pollingInterval: 20,
    ...{ storage: base, memory: memoryOf() },
  });
  try {
    await wallet.unlock(password);
    await wallet.transactions();
    await expect
      .poll(() => other.requests.some(({ method }) => method === 'eth_sendRawTransaction'))
      .toBe(true);
    await new Promise((done) => setTimeout(done, 1_000));
    expect(await failure(wallet, site.from, large)).toBe(4001);
  } finally {
    wallet.destroy();
  }
}, 30_000);
