import type { Address, Hex } from '../rpc/schema.js';
import type { Service } from '../service/service.js';
import type { Delivery } from './delivery.js';
import type { Journal } from './journal.js';
import { isMined, isOpen, type JournalEntry } from './journal-entry.js';
import { type Counts, maxNodeLag, unclearOutcomes } from './nonces.js';
import { readQuantity } from './read-quantity.js';

/** The nonces and the open transactions of an account, read for the question about a new one. */
export interface AccountState {
  readonly counts: Counts;
  /** The journal's entries of the account, updated from the chain. */
  readonly entries: readonly JournalEntry[];
  /** Earlier transactions that may have been mined, without proof. */
  readonly unclear: readonly JournalEntry[];
  /** Transactions that counted as failed and were mined after all; nothing was signed since that was found. */
  readonly corrected: readonly JournalEntry[];
}

/**
 * Compares the service's transaction counts with the journal. A count above what the journal explains may be wrong, and
 * would cause a nonce gap: it is read again several times, and the lowest value is used, since the chain refuses a nonce
 * that is too low. For a transaction whose nonce is used and whose outcome is unknown, the outcome is read.
 *
 * @throws ProviderRpcError as the service's request
 */
export async function readAccountState(options: readAccountState.Options): Promise<AccountState> {
  const { journal, delivery, service, chainId, from } = options;
  const entries = await journal.entriesOf(chainId, from);
  const counts = await confirmCounts(service, from, options.counts, entries);
  const unclear = unclearOutcomes(counts, entries);
  if (unclear.length === 0) return { counts, entries, unclear: [], corrected: correctedOf(entries) };
  await Promise.all(
    unclear.map(async (entry) => {
      const after = await delivery.check(entry, service);
      if (!isMined(after)) await delivery.resolve(after, service, 1);
    }),
  );
  const now = await journal.entriesOf(chainId, from);
  return { counts, entries: now, unclear: unclearOutcomes(counts, now), corrected: correctedOf(now) };
}

/**
 * Reads the receipts of the account's oldest open transactions. Run it while a transaction is prepared, so that one that
 * has just been mined costs {@link readAccountState} no round trip of its own. Never rejects.
 */
export async function checkOldestOpen(
  {
    journal,
    service,
    chainId,
    from,
  }: Pick<readAccountState.Options, 'journal' | 'service' | 'chainId' | 'from'>,
  delivery: Promise<Delivery>,
): Promise<void> {
  try {
    const open = (await journal.entriesOf(chainId, from)).filter(isOpen);
    const oldest = open.sort((a, b) => Number(BigInt(a.nonce) - BigInt(b.nonce))).slice(0, mostChecked);
    await Promise.all(oldest.map(async (entry) => (await delivery).check(entry, service)));
  } catch {
    // The storage or a chunk failed: what follows needs them too, and says so.
  }
}

/** One request each. */
const mostChecked = 2;

const correctedOf = (entries: readonly JournalEntry[]): readonly JournalEntry[] =>
  entries.filter(
    ({ state, correctedAt }) =>
      state === 'mined' &&
      correctedAt !== undefined &&
      !entries.some(({ createdAt }) => createdAt > correctedAt),
  );

export declare namespace readAccountState {
  interface Options {
    readonly journal: Journal;
    readonly delivery: Delivery;
    readonly service: Service;
    readonly chainId: number;
    readonly from: Address;
    /** As the service has just reported them. */
    readonly counts: Counts;
  }
}

async function confirmCounts(
  service: Service,
  from: Address,
  counts: Counts,
  entries: readonly JournalEntry[],
): Promise<Counts> {
  /** The count that the given entries explain: their highest nonce + 1. */
  const countOf = (some: readonly JournalEntry[]) =>
    some.reduce((count, { nonce }) => (BigInt(nonce) >= count ? BigInt(nonce) + 1n : count), 0n);
  /** Sequential, because equal requests in flight would share one reply. */
  const readAgain = async (
    selector: 'latest' | 'pending',
    first: Hex,
    isBetter: (count: bigint, best: bigint) => boolean,
  ): Promise<Hex> => {
    let best = first;
    for (let read = 0; read < repeatedReads; read++) {
      const count = await readQuantity(service, 'eth_getTransactionCount', [from, selector]);
      if (isBetter(BigInt(count), BigInt(best))) best = count;
    }
    return best;
  };
  const isLower = (count: bigint, best: bigint) => count < best;
  /** A failed transaction whose nonce is not counted yet: a node that does not lag counts it. */
  const isBehind = entries.some(
    ({ state, nonce, createdAt }) =>
      (state === 'reverted' || state === 'replaced') &&
      createdAt > counts.at - maxNodeLag &&
      BigInt(nonce) >= BigInt(counts.latest),
  );
  let { latest } = counts;
  if (isBehind) latest = await readAgain('latest', latest, (count, best) => count > best);
  else if (BigInt(latest) > countOf(entries)) latest = await readAgain('latest', latest, isLower);
  const isExplained =
    BigInt(counts.pending) <= BigInt(latest) || BigInt(counts.pending) <= countOf(entries.filter(isOpen));
  return {
    ...counts,
    latest,
    pending: isExplained ? counts.pending : await readAgain('pending', counts.pending, isLower),
  };
}

const repeatedReads = 3;
