import { createMutex, type Mutex } from '../async/mutex.js';
import { invalidParams, transactionRejected } from '../rpc/errors.js';
import { toQuantity } from '../rpc/hex.js';
import type { Address, Hex } from '../rpc/schema.js';
import { holdOf, isMined, isOpen, type JournalEntry } from './journal-entry.js';

/**
 * Runs `task` while no other tab of this browser reserves a nonce of the same account: held for the signature
 * and the journal's write, and never for the network.
 */
export type NonceLock = <T>(chainId: number, from: Address, task: () => Promise<T>) => Promise<T>;

export function createNonceLock(): NonceLock {
  const locks = new Map<string, Mutex>();
  return (chainId, from, task) => {
    const name = `graft:nonce:${chainId}:${from}`;
    const lock = locks.get(name) ?? createMutex(name);
    locks.set(name, lock);
    return lock(task);
  };
}

/** How many transactions of an account the service counts, and when it was asked. */
export interface Counts {
  /** In blocks. */
  readonly latest: Hex;
  /** With those that wait in the node's pool. */
  readonly pending: Hex;
  /** Milliseconds since 1970. */
  readonly at: number;
}

/** The nonces to sign with, and what a person should know about them. */
export interface ChosenNonces {
  /** Rising; as many as were asked for. */
  readonly nonces: readonly Hex[];
  /** Transactions that a node reports as waiting in front of these, and that this browser did not send. */
  readonly othersWaiting: number;
  /** Nonces in front of these that no transaction is known to have: these wait until somebody uses them. */
  readonly missing: number;
  /** The waiting transaction that the one with the chosen nonce would replace. */
  readonly replaces: JournalEntry | null;
  /** A transaction that is held back and that can no longer be mined once one of these is. */
  readonly overrides: JournalEntry | null;
}

/** Nonces that an account may be ahead of its mined ones: the node refuses more. */
export const slots = 16n;
/** EIP-2681: the highest nonce of a transaction. */
const highest = 2n ** 64n - 2n;
/** Milliseconds by which a node behind a balancer may lag: some blocks. */
const longestLag = 120_000;

/**
 * The lowest nonces that are free. A nonce is taken by an open or a mined transaction of this browser, and by one
 * that the node reports as pending. For two minutes nothing goes below what was signed here, since nodes lag. But a
 * nonce whose transaction was refused, abandoned or is held back is free again until the chain has used it: whatever
 * becomes of that transaction, the chain takes only one of the two.
 *
 * @param entries the journal's of this account and chain
 * @param chosen a nonce that the page chose
 * @throws ProviderRpcError -32003 for a chosen nonce that is used, or for one more than 16 above the mined ones
 * unless own waiting transactions fill the space between; -32602 for one over 64 bits
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
  /** The next nonce of the chain. */
  let latest = BigInt(counts.latest);
  /** The first nonce that is new. A node that lags does not know what was signed here a moment ago. */
  let start = latest;
  for (const entry of entries) {
    const nonce = BigInt(entry.nonce);
    byNonce.set(nonce, [...(byNonce.get(nonce) ?? []), entry]);
    const isRecent = entry.createdAt > at - longestLag;
    const isUsed = isMined(entry) || entry.state === 'replaced';
    if (isRecent && isUsed && nonce >= latest) latest = nonce + 1n;
    if (isRecent && !entry.nonceChosen && (isUsed || isWaiting(entry, at)) && nonce >= start)
      start = nonce + 1n;
  }
  if (start < latest) start = latest;
  const own = (nonce: bigint) => byNonce.get(nonce) ?? [];
  const isOwn = (nonce: bigint) => own(nonce).some((entry) => isWaiting(entry, at));
  const isOthers = (nonce: bigint) => nonce < pending && own(nonce).length === 0;
  const isFree = (nonce: bigint) =>
    !isOwn(nonce) && (own(nonce).length > 0 || (nonce >= start && !isOthers(nonce)));
  const tooHigh = (nonce: bigint) =>
    transactionRejected(
      `nonce too high: next nonce is ${latest}, the chain takes at most ${slots} ahead, transaction has ${nonce}`,
    );
  // No honest count is so far ahead; it would take long to walk there.
  for (const nonce of [latest, pending, BigInt(chosen ?? 0)]) {
    if (nonce > highest) throw invalidParams(`nonce: ${nonce} is over 64 bits`);
    if (nonce > latest + slots * 64n) throw tooHigh(nonce);
  }

  const nonces: bigint[] = [];
  if (chosen !== undefined) nonces.push(BigInt(chosen));
  for (let nonce = latest; nonces.length < count; nonce++) if (isFree(nonce)) nonces.push(nonce);
  const first = nonces[0] as bigint;
  const last = nonces.at(-1) as bigint;
  if (first < latest)
    throw transactionRejected(`nonce too low: next nonce is ${latest}, transaction has ${first}`);
  let othersWaiting = 0;
  let missing = 0;
  for (let nonce = chosen === undefined ? start : latest; nonce < last; nonce++) {
    if (isOwn(nonce) || nonces.includes(nonce)) continue;
    if (isOthers(nonce)) othersWaiting++;
    else missing++;
  }
  if (last >= latest + slots && (chosen !== undefined || othersWaiting + missing > 0)) throw tooHigh(last);
  const rivals = nonces.flatMap(own).filter(isOpen);
  return {
    nonces: nonces.map(toQuantity),
    othersWaiting,
    missing,
    replaces: dearest(rivals.filter((entry) => isWaiting(entry, at))),
    overrides: dearest(rivals.filter((entry) => !isWaiting(entry, at))),
  };
}

/** It will be mined, or hold up what comes after it, without anybody's help. */
const isWaiting = (entry: JournalEntry, now: number) => isOpen(entry) && holdOf(entry, now) === null;

/** Of several with one nonce a pool keeps the one that pays most. */
export const dearest = (entries: readonly JournalEntry[]): JournalEntry | null =>
  entries.reduce<JournalEntry | null>(
    (best, entry) => (best && BigInt(best.gasPrice) >= BigInt(entry.gasPrice) ? best : entry),
    null,
  );

/**
 * Earlier transactions whose nonce the chain has used although they are not known to be mined or replaced: each
 * may have been carried out after all. An own mined transaction with the same nonce settles the question.
 */
export function unclearOutcomes(counts: Counts, entries: readonly JournalEntry[]): readonly JournalEntry[] {
  const settled = new Set(entries.filter(isMined).map(({ nonce }) => BigInt(nonce)));
  return entries.filter(
    (entry) =>
      !isMined(entry) &&
      entry.state !== 'replaced' &&
      entry.replacedBy === undefined &&
      BigInt(entry.nonce) < BigInt(counts.latest) &&
      !settled.has(BigInt(entry.nonce)),
  );
}
