import { isQuantityResult } from '../rpc/results.js';
import type { Address, Hex } from '../rpc/schema.js';
import type { Service } from '../service/service.js';
import type { Delivery } from './delivery.js';
import type { Journal } from './journal.js';
import { isMined, isOpen, type JournalEntry } from './journal-entry.js';
import { type Counts, unclearOutcomes } from './nonces.js';

/** What is known of an account before a transaction of it is put before a person. */
export interface AccountState {
  readonly counts: Counts;
  /** The journal's entries of the account, with what the chain has meanwhile shown of them. */
  readonly entries: readonly JournalEntry[];
  /** Earlier transactions that may have been carried out although nothing proves it. */
  readonly unclear: readonly JournalEntry[];
}

/**
 * Holds the service's counts against the journal. A count above what the journal explains may be a lie, and a nonce
 * chosen by it would leave a gap: it is asked for again, and the lowest answer holds, since the chain refuses a
 * nonce that is too low. Where the chain has used a nonce whose transaction has no outcome, the chain is asked
 * what became of it.
 *
 * @throws ProviderRpcError as the service's request
 */
export async function readAccountState(options: readAccountState.Options): Promise<AccountState> {
  const { journal, delivery, service, chainId, from } = options;
  const entries = await journal.entriesOf(chainId, from);
  const counts = await confirmCounts(service, from, options.counts, entries);
  const open = unclearOutcomes(counts, entries);
  if (open.length === 0) return { counts, entries, unclear: [] };
  await Promise.all(
    open.map(async (entry) => {
      const after = await delivery.check(entry, service);
      if (!isMined(after)) await delivery.resolve(after, service, 1);
    }),
  );
  const now = await journal.entriesOf(chainId, from);
  return { counts, entries: now, unclear: unclearOutcomes(counts, now) };
}

export declare namespace readAccountState {
  interface Options {
    readonly journal: Journal;
    readonly delivery: Delivery;
    readonly service: Service;
    readonly chainId: number;
    readonly from: Address;
    /** As the service has just said. */
    readonly counts: Counts;
  }
}

async function confirmCounts(
  service: Service,
  from: Address,
  counts: Counts,
  entries: readonly JournalEntry[],
): Promise<Counts> {
  const above = (some: readonly JournalEntry[]) =>
    some.reduce((top, { nonce }) => (BigInt(nonce) >= top ? BigInt(nonce) + 1n : top), 0n);
  /** One look after the other: equal requests at once are one request, and so is their answer. */
  const least = async (selector: 'latest' | 'pending', first: Hex): Promise<Hex> => {
    let low = first;
    for (let look = 0; look < furtherLooks; look++) {
      const answer = (await service.request('eth_getTransactionCount', [from, selector], {
        check: (result) => isQuantityResult(result, undefined),
      })) as Hex;
      if (BigInt(answer) < BigInt(low)) low = answer;
    }
    return low;
  };
  const isKnownAccount = entries.some(isMined);
  const explained = above(entries);
  const latest =
    isKnownAccount && BigInt(counts.latest) > explained
      ? await least('latest', counts.latest)
      : counts.latest;
  const waiting = above(entries.filter(isOpen));
  const isExplained = BigInt(counts.pending) <= BigInt(latest) || BigInt(counts.pending) <= waiting;
  return {
    ...counts,
    latest,
    pending: isExplained ? counts.pending : await least('pending', counts.pending),
  };
}

const furtherLooks = 3;
