import { transactionRejected } from '../rpc/core-errors.js';
import { invalidParams } from '../rpc/errors.js';
import { toQuantity } from '../rpc/hex.js';
import type { Address, Hex } from '../rpc/schema.js';
import type { Service } from '../service/service.js';
import type { Delivery } from './delivery.js';
import type { Journal } from './journal.js';
import { isMined, isOpen, isPending, isUnproven, type JournalEntry } from './journal-entry.js';
import { type Counts, readQuantity } from './prepare.js';

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
  const unclear = await withoutProof(journal, unclearOutcomes(counts, entries));
  if (unclear.length === 0) return { counts, entries, unclear: [], corrected: correctedOf(entries) };
  await Promise.all(
    unclear.map(async (entry) => {
      const after = await delivery.check(entry, service);
      if (!isMined(after)) await delivery.resolve(after, service, 1);
    }),
  );
  const now = await journal.entriesOf(chainId, from);
  const stillUnclear = await withoutProof(journal, unclearOutcomes(counts, now));
  return { counts, entries: now, unclear: stillUnclear, corrected: correctedOf(now) };
}

/** Those whose nonce no archived transaction has used. */
async function withoutProof(
  journal: Journal,
  entries: readonly JournalEntry[],
): Promise<readonly JournalEntry[]> {
  const rivals = await Promise.all(entries.map(journal.archivedRivals));
  return entries.filter((_, at) => rivals[at]?.length === 0);
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
    const oldest = open.sort((a, b) => Number(BigInt(a.nonce) - BigInt(b.nonce))).slice(0, maxChecked);
    await Promise.all(oldest.map(async (entry) => (await delivery).check(entry, service)));
  } catch {
    // The storage or a chunk failed: what follows needs them too, and says so.
  }
}

/** One request each. */
const maxChecked = 2;

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

/** The nonces to sign with, and facts about them for the person. */
export interface ChosenNonces {
  /** Ascending; as many as were requested. */
  readonly nonces: readonly Hex[];
  /** Lower nonces with a pending transaction that this browser did not send. */
  readonly othersPending: number;
  /** Lower nonces without any known transaction: the new transactions cannot be mined before these are used. */
  readonly gaps: number;
  /** The pending transaction that the one with the chosen nonce would replace. */
  readonly replaces: JournalEntry | null;
  /** A held transaction with one of these nonces, which can no longer be mined after this. */
  readonly overrides: JournalEntry | null;
}

/** The node refuses a nonce that is this far above an account's next one (docs/notes/node.md#nonces-and-the-queue). */
export const maxNoncesAhead = 16n;
/** The highest nonce of a transaction (EIP-2681). */
const maxNonce = 2n ** 64n - 2n;
/** Milliseconds by which the counts of a node behind a load balancer may lag. */
const maxNodeLag = 120_000;

/**
 * The lowest free nonces. A nonce is in use if an open or mined transaction of this browser has it, or if the node
 * reports it as pending. For two minutes no new nonce is below one that was signed here, since nodes lag. The nonce of
 * a refused, abandoned or held transaction is free again until the chain has used it, because the chain accepts only
 * one of the two. One that was only signed, for a page, is as one of somebody else: the page may have sent it.
 *
 * @param entries of the journal, for this account and chain
 * @param chosen a nonce that the page chose
 * @throws ProviderRpcError -32003 for a chosen nonce that is used, or for a nonce 16 or more above the account's next
 * one unless own pending transactions fill the gap; -32602 for one over 64 bits
 */
export function chooseNonces(
  count: number,
  counts: Counts,
  entries: readonly JournalEntry[],
  chosen?: Hex,
): ChosenNonces {
  const { at } = counts;
  const pending = BigInt(counts.pending);
  const byNonce = new Map<bigint, JournalEntry[]>();
  const signedOnly: JournalEntry[] = [];
  /** The account's next nonce on the chain. */
  let latest = BigInt(counts.latest);
  /** Above every nonce that was signed here recently: a node that lags may not count those yet. */
  let start = latest;
  for (const entry of entries) {
    const nonce = BigInt(entry.nonce);
    if (isOpen(entry) && entry.held === 'page') {
      signedOnly.push(entry);
      continue;
    }
    byNonce.set(nonce, [...(byNonce.get(nonce) ?? []), entry]);
    const isRecent = entry.createdAt > at - maxNodeLag;
    const isUsed = isMined(entry) || entry.state === 'replaced';
    // A receipt that shows a failure may be wrong or orphaned; with the same nonce the chain accepts only one of the two.
    if (isRecent && entry.state === 'mined' && nonce >= latest) latest = nonce + 1n;
    if (isRecent && !entry.nonceChosen && (isUsed || isPending(entry, at)) && nonce >= start)
      start = nonce + 1n;
  }
  if (start < latest) start = latest;
  const entriesAt = (nonce: bigint) => byNonce.get(nonce) ?? [];
  const isOwnPending = (nonce: bigint) => entriesAt(nonce).some((entry) => isPending(entry, at));
  const isOthersPending = (nonce: bigint) => nonce < pending && entriesAt(nonce).length === 0;
  const isFree = (nonce: bigint) =>
    !isOwnPending(nonce) && (entriesAt(nonce).length > 0 || (nonce >= start && !isOthersPending(nonce)));
  const tooHigh = (nonce: bigint) =>
    transactionRejected(
      `nonce too high: next nonce is ${latest}, the chain takes at most ${maxNoncesAhead} ahead, transaction has ${nonce}`,
    );
  // Bounds the loops below: a count that is further ahead is wrong.
  for (const nonce of [latest, pending, BigInt(chosen ?? 0)]) {
    if (nonce > maxNonce) throw invalidParams(`nonce: ${nonce} is over 64 bits`);
    if (nonce > latest + maxNoncesAhead * 64n) throw tooHigh(nonce);
  }

  const nonces: bigint[] = [];
  if (chosen !== undefined) nonces.push(BigInt(chosen));
  for (let nonce = latest; nonces.length < count; nonce++) if (isFree(nonce)) nonces.push(nonce);
  const first = nonces[0] as bigint;
  const last = nonces.at(-1) as bigint;
  if (first < latest)
    throw transactionRejected(`nonce too low: next nonce is ${latest}, transaction has ${first}`);
  let othersPending = 0;
  let gaps = 0;
  for (let nonce = latest; nonce < last; nonce++) {
    if (isOwnPending(nonce) || nonces.includes(nonce) || entriesAt(nonce).some(isMined)) continue;
    if (isOthersPending(nonce)) othersPending++;
    else gaps++;
  }
  if (last >= latest + maxNoncesAhead && (chosen !== undefined || othersPending + gaps > 0))
    throw tooHigh(last);
  const competing = [...nonces.flatMap(entriesAt), ...signedOnly].filter(
    (entry) => isOpen(entry) && nonces.includes(BigInt(entry.nonce)),
  );
  return {
    nonces: nonces.map(toQuantity),
    othersPending,
    gaps,
    replaces: highestPriced(competing.filter((entry) => isPending(entry, at))),
    overrides: highestPriced(competing.filter((entry) => !isPending(entry, at))),
  };
}

/** Returns the entry with the highest price, which a mempool keeps of several with one nonce. */
export const highestPriced = (entries: readonly JournalEntry[]): JournalEntry | null =>
  entries.reduce<JournalEntry | null>(
    (best, entry) => (best && BigInt(best.gasPrice) >= BigInt(entry.gasPrice) ? best : entry),
    null,
  );

/**
 * Earlier transactions whose nonce the chain has used, and which are not known to be mined or replaced: each may have
 * been mined. A mined transaction of ours with the same nonce proves that it was not.
 */
export function unclearOutcomes(counts: Counts, entries: readonly JournalEntry[]): readonly JournalEntry[] {
  const settled = new Set(entries.filter(isMined).map(({ nonce }) => BigInt(nonce)));
  return entries.filter(
    (entry) =>
      !isMined(entry) &&
      (entry.state !== 'replaced' || isUnproven(entry, counts.at)) &&
      entry.replacedBy === undefined &&
      BigInt(entry.nonce) < BigInt(counts.latest) &&
      !settled.has(BigInt(entry.nonce)),
  );
}
