import { createLocalService } from '../../packages/kit/src/local/index.js';
import { admit } from '../../src/permissions/admission.js';
import { readCheckpoint } from '../../src/permissions/checkpoint.js';
import { writeCheckpoint } from '../../src/permissions/folding.js';
import type { Grant } from '../../src/permissions/grant.js';
import { readHistory } from '../../src/permissions/history.js';
import { createLedger } from '../../src/permissions/ledger.js';
import { noSightings, noteHead } from '../../src/permissions/sightings.js';
import { toQuantity } from '../../src/rpc/hex.js';
import type { Block } from '../../src/rpc/schema.js';
import type { JournalEntry } from '../../src/transactions/journal-entry.js';
import { friend, openPermittedSite } from '../unit/permissions/support.js';
import { rawCaller } from './raw.js';
import { atMost, type Extent, milliseconds, type Row } from './row.js';
import { median, time } from './sample.js';

/** Milliseconds by which the service delays every answer. */
const latency = 150;

/** The cost of a send that a permission covers: in round trips, and of what it has spent before. */
export async function measurePermissions({ short }: Extent): Promise<Row[]> {
  return [await measureSends(short ? 3 : 11), await measureHistory(short ? 5 : 51)];
}

async function measureSends(samples: number): Promise<Row> {
  await using local = await createLocalService({ chainId: 33, mining: 'manual' });
  const site = await openPermittedSite(local);
  try {
    await site.request('wallet_requestExecutionPermissions', site.payments());
    // Every chunk has been read from the disk before anything is timed.
    await site.pay(1n);
    local.controls.latency(latency);
    const read = rawCaller(local.url);
    const values: number[] = [];
    for (let at = 0; at < samples; at++) {
      // Rootstock mines a block each half minute, so the newest block has the send before.
      await local.controls.mine();
      const taken = await time(() => site.pay(1n));
      values.push(taken / (await time(() => read('eth_getBalance', [friend, 'latest']))));
    }
    return {
      what: `Round trips (${latency} ms): a send that a permission covers, to its hash, one block after the last`,
      ours: median(values).toFixed(2),
      aim: atMost(median(values), 2.2, '≤ 1.1 each'),
    };
  } finally {
    site.wallet.destroy();
  }
}

/** Judges a send after 10,000 others, most of which are in the checkpoint. */
async function measureHistory(rounds: number): Promise<Row> {
  const [total, open] = [9_999, 150];
  const [context, account] = [`0x${'aa'.repeat(32)}`, `0x${'11'.repeat(20)}`] as const;
  const start = 1_700_000_000;
  const grant = {
    ...{ context, account, chainId: 31, replaced: [], firstNonce: '0x0', type: 'native-token-periodic' },
    ...{ amount: toQuantity(10n ** 18n), start, end: start + 86_400 * 7, period: 86_400, payees: [friend] },
  } as unknown as Grant;
  const ledger = await createLedger(new Uint8Array(32).fill(7));
  const spent = { permission: context, period: 0, amount: 10n ** 12n, fees: 0n };
  const next = BigInt(total - open);
  const folded = [{ ...spent, uses: Number(next), at: start + 60, amount: spent.amount * next }];
  const stored = await writeCheckpoint({ first: 0n, next, folded }, 31, account, ledger);
  const entries = await Promise.all(
    Array.from({ length: open }, async (_, at) => {
      const nonce = toQuantity(next + BigInt(at));
      const entry = {
        chainId: 31,
        from: account,
        nonce,
        hash: `0x${nonce.slice(2).padStart(64, '0')}`,
      } as const;
      return { ...entry, state: 'mined', ledger: await ledger.mark(entry, spent) } as unknown as JournalEntry;
    }),
  );
  const transaction = {
    ...({ chainId: 31, to: friend, value: '0x1', data: '0x' } as const),
    ...({ gas: '0x5208', gasPrice: '0x3938700' } as const),
  };
  const latest = toQuantity(BigInt(total));
  const hashes = entries.map(({ hash }) => hash);
  const head = {
    ...{ number: '0x64', hash: `0x${'bb'.repeat(32)}`, parentHash: `0x${'ba'.repeat(32)}` },
    ...{ timestamp: toQuantity(start + 90_000), transactions: hashes },
  } as unknown as Block;
  const signing = { transactions: [transaction], nonces: [latest], latest, head };
  const kinds = new Set<string>();
  const values: number[] = [];
  for (let round = 0; round < rounds; round++)
    values.push(
      await time(async () => {
        const checkpoint = await readCheckpoint(stored, 31, account, ledger);
        const seen = { ...noSightings(), pending: new Map(), found: new Map() };
        noteHead(seen, head, hashes, [], 0);
        const history = await readHistory(grant, {
          ...{ entries, checkpoint, seen, ledger, head: head.hash },
          claim: async () => null,
        });
        kinds.add(admit(grant, signing, history, start + 90_000).kind);
      }),
    );
  if ([...kinds].join() !== 'covered') throw new Error(`It is ${[...kinds].join()}`);
  return {
    what: 'What a permission has spent in 10,000 sends, read and checked for one more',
    ours: milliseconds(median(values)),
    aim: atMost(median(values), 5, '≤ 5 ms'),
  };
}
