import { type ProvenOutcome, proveOutcome } from '../proof/prove.js';
import { toQuantity } from '../rpc/hex.js';
import { checkBlock, checkReceiptOf } from '../rpc/results.js';
import type { Block, Hash, Hex, Receipt } from '../rpc/schema.js';
import { parseSigned } from '../rpc/signed-transaction.js';
import type { Service } from '../service/service.js';
import type { Journal, Transition } from '../transactions/journal.js';
import { isMined, type JournalEntry, type LedgerMark } from '../transactions/journal-entry.js';
import { type Accounted, type Cost, isUnder, nothing, settledDepth } from './accounting.js';
import { costInPlace } from './coverage.js';
import type { Grant } from './grant.js';
import { type Ledger, settledTextOf } from './ledger.js';

/** Transactions that are settled at once. */
const maxAtOnce = 16;

/**
 * Settles mined transactions of an account: what they have really cost replaces the most that they could, and they count no more
 * in later periods. One node is not believed: either Bitcoin's work shows it, or two endpoints of different hosts say the
 * same. Resolves with whether any was settled. Never rejects.
 */
export async function settle(options: settle.Options): Promise<boolean> {
  const { entries, grants, ledger, journal, headHeight } = options;
  const isDeep = ({ blockNumber }: JournalEntry) => headHeight - Number(blockNumber) >= settledDepth;
  const due = entries
    .filter((entry) => isMined(entry) && entry.ledger && !entry.ledger.settled && isDeep(entry))
    .sort((a, b) => Number(BigInt(a.nonce) - BigInt(b.nonce)));
  const settled = await Promise.all(
    due.slice(0, maxAtOnce).map(async (entry) => {
      try {
        const mark = entry.ledger as LedgerMark;
        const read = await ledger.read(entry);
        const outcome = read && (await outcomeOf(options, entry));
        if (!outcome) return false;
        const cost = costTo(read, entry, outcome, grants);
        if (!cost) return false;
        const next = await settledMark(ledger, { ...entry, ledger: mark }, { ...cost, at: outcome.time });
        const after = await journal.change(entry, withMark(next));
        return after?.ledger?.settled !== undefined;
      } catch {
        // The service or the storage failed: it counts as before.
        return false;
      }
    }),
  );
  return settled.includes(true);
}

/** The entry's mark with its proven cost. */
export async function settledMark(
  ledger: Pick<Ledger, 'seal'>,
  entry: Pick<JournalEntry, 'chainId' | 'from' | 'nonce' | 'hash'> & { readonly ledger: LedgerMark },
  { amount, fees, at }: Cost & { readonly at: number },
): Promise<LedgerMark> {
  const unsigned = { at, amount: toQuantity(amount), fees: toQuantity(fees) };
  const mac = await ledger.seal(settledTextOf(entry, unsigned));
  return { ...entry.ledger, settled: { ...unsigned, mac } };
}

const withMark =
  (ledger: LedgerMark): Transition =>
  (current) =>
    isMined(current) && current.ledger?.mac === ledger.mac ? { ...current, ledger } : null;

function costTo(
  { permission, amount, fees }: Accounted,
  entry: JournalEntry,
  outcome: ProvenOutcome,
  grants: readonly Grant[],
): Cost | null {
  if (permission === null) return nothing;
  const grant = grants.find((each) => isUnder(each, permission));
  // The permission is gone, and with it how to read the amount: it has cost the most.
  return grant ? costOf(entry, outcome, grant) : { amount, fees };
}

/**
 * The real cost of a mined transaction to a permission. It is read from the bytes that the mark names, since the entry's other
 * fields may have been altered.
 */
function costOf(
  { raw, hash, from, chainId }: JournalEntry,
  { hasSucceeded, gasUsed }: ProvenOutcome,
  grant: Pick<Grant, 'token'>,
): Cost | null {
  const { transaction, hash: named } = parseSigned(raw, chainId, 'raw', true);
  if (named !== hash) return null;
  const { value, gas, gasPrice } = transaction;
  const { amount, fees } = costInPlace(grant, from, transaction);
  const unused = (BigInt(gas) - gasUsed) * BigInt(gasPrice);
  if (amount + fees === 0n) return nothing;
  if (grant.token) return { amount: hasSucceeded ? amount : 0n, fees: fees - unused };
  return { amount: amount - unused - (hasSucceeded ? 0n : BigInt(value)), fees };
}

async function outcomeOf(
  { service, hosts }: settle.Options,
  entry: JournalEntry,
): Promise<ProvenOutcome | null> {
  const proven = await proveOutcome(service, entry.hash, settledDepth).catch(() => null);
  if (proven) return proven;
  const [one, other] = hosts();
  if (!one || !other) return null;
  const [first, second] = await Promise.all([reported(one, entry.hash), reported(other, entry.hash)]);
  return first && second && JSON.stringify(first) === JSON.stringify(second) ? first.outcome() : null;
}

/** The outcome as one endpoint reports it; `null` if it is not deep enough there. */
async function reported(service: Service, hash: Hash) {
  const ask = <T>(method: string, params: readonly unknown[], check: (result: unknown) => void) =>
    service.request(method, params, { check, priority: 'background' }) as Promise<T | null>;
  const receipt = await ask<Receipt>('eth_getTransactionReceipt', [hash], (result) =>
    checkReceiptOf(result, [hash]),
  );
  if (!receipt) return null;
  const { blockHash, blockNumber, status, gasUsed } = receipt;
  const above = toQuantity(BigInt(blockNumber) + BigInt(settledDepth));
  const [block, deep] = await Promise.all([
    ask<Block>('eth_getBlockByNumber', [blockNumber, false], checkBlock),
    ask<Block>('eth_getBlockByNumber', [above, false], checkBlock),
  ]);
  if (block?.hash !== blockHash || !deep) return null;
  const time = Number(block.timestamp);
  return {
    ...{ blockHash, status, gasUsed, time },
    outcome: (): ProvenOutcome => ({ hasSucceeded: status === '0x1', gasUsed: BigInt(gasUsed as Hex), time }),
  };
}

export declare namespace settle {
  interface Options {
    /** The journal's entries of one account. */
    readonly entries: readonly JournalEntry[];
    /** All of the vault: one that has ended could be put back in the session. */
    readonly grants: readonly Grant[];
    readonly ledger: Ledger;
    readonly journal: Journal;
    /** Height of the newest block. */
    readonly headHeight: number;
    /** Blocks that it has read already are not read again. */
    readonly service: Service;
    /** Two endpoints of different hosts, each by itself; fewer where there are no two. */
    readonly hosts: () => readonly Service[];
  }
}
