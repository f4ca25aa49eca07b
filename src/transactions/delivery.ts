import { createMutex } from '../async/mutex.js';
import type { ProviderRpcError } from '../rpc/errors.js';
import { own } from '../rpc/own.js';
import type { Hex } from '../rpc/schema.js';
import { alreadyKnown, isRefusal, outcomeUnknown, reasonOf } from '../service/errors/errors.js';
import type { Service } from '../service/service.js';
import {
  accepted,
  deferred,
  included,
  type Journal,
  refused,
  replaced,
  type Transition,
  uncertain,
} from './journal.js';
import { isOpen, type JournalEntry } from './journal-entry.js';
import { findOutcome, lookUp, type Outcome, readInclusion, receiptOf } from './lookup.js';
import { readQuantity } from './prepare.js';

/** Sends journaled transactions, reads their outcome from the chain, and records it in the journal. */
export interface Delivery {
  /** Sends the bytes, for the first time or again. Never rejects. */
  send(entry: JournalEntry, service: Service): Promise<Delivered>;
  /**
   * Finds out which transaction has used the nonce of an entry: this one (it has a receipt) or another one (found in its
   * block). The entry stays open if neither is found. Never rejects.
   * @param attempts how often to look it up, one second apart
   */
  resolve(entry: JournalEntry, service: Service, attempts: number): Promise<Resolved>;
  /** Reads and records the receipt. Resolves with the entry after that. Never rejects. */
  check(entry: JournalEntry, service: Service): Promise<JournalEntry>;
}

export interface Resolved {
  /** The entry after the lookups. */
  readonly entry: JournalEntry;
  /** Whether the chain or a mempool has this transaction, or the one that replaced it. */
  readonly isFound: boolean;
}

export interface Delivered {
  /** The entry after the attempt. */
  readonly entry: JournalEntry;
  /** Whether this attempt, or the lookup after it, showed that a node has the transaction. */
  readonly isAccepted: boolean;
  /** The node's error: its rules forbid the transaction, or the nonce is used. The transaction may be open all the same. */
  readonly refusal?: ProviderRpcError | undefined;
  /** The chain will accept it when the account's quota has recovered. */
  readonly isOverQuota?: boolean | undefined;
}

/** How often to look up which transaction has used the nonce of one that was just sent. */
const lookupsAfterSend = 3;

export function createDelivery(options: createDelivery.Options): Delivery {
  const { journal, broadcast, now } = options;

  /**
   * Applies a transition only if the journal stores it. Otherwise the caller would get an error for a transaction that the
   * journal still has open and the wallet sends again.
   */
  const changeIfStored = async (entry: JournalEntry, transition: Transition): Promise<JournalEntry> =>
    (await journal.change(entry, transition).catch(() => undefined)) ?? entry;

  /** Applies a transition even if storing it fails: the next lookup stores it again. */
  const changeAnyway = async (entry: JournalEntry, transition: Transition): Promise<JournalEntry> =>
    (await journal.change(entry, transition).catch(() => undefined)) ?? transition(entry) ?? entry;

  /** The entry as it is stored now. */
  const readStored = (entry: JournalEntry) => changeIfStored(entry, () => null);

  const check = async (entry: JournalEntry, service: Service): Promise<JournalEntry> => {
    try {
      const receipt = await receiptOf(service, entry.hash);
      return receipt
        ? await changeAnyway(entry, included(await readInclusion(service, entry, receipt), now()))
        : entry;
    } catch {
      return entry;
    }
  };

  const recordOutcome = async (entry: JournalEntry, service: Service, found: Outcome): Promise<Resolved> => {
    const isFound = found.kind !== 'absent';
    switch (found.kind) {
      case 'included': {
        const inclusion = await readInclusion(service, entry, found.receipt);
        return { entry: await changeAnyway(entry, included(inclusion, now())), isFound };
      }
      case 'known':
        return { entry: await changeAnyway(entry, accepted), isFound };
      case 'replaced':
        return { entry: await changeIfStored(entry, replaced(found.by)), isFound };
      case 'absent':
        return { entry: await changeAnyway(entry, uncertain), isFound };
    }
  };

  const resolve = async (entry: JournalEntry, service: Service, attempts: number) =>
    recordOutcome(entry, service, await findOutcome(service, entry, attempts));

  const send = async (given: JournalEntry, service: Service): Promise<Delivered> => {
    const entry = await readStored(given);
    if (!isOpen(entry)) return { entry, isAccepted: false };
    const outcome = await broadcast(service, entry);
    switch (outcome.kind) {
      case 'accepted':
        journal.noteTaken(service.network.chainId, entry.raw);
        return { entry: await changeAnyway(entry, accepted), isAccepted: true };
      case 'too-early':
      case 'over-quota':
        return {
          entry: await changeAnyway(entry, deferred(now())),
          isAccepted: false,
          isOverQuota: outcome.kind === 'over-quota',
        };
      case 'refused':
        return {
          entry: await changeIfStored(entry, refused(outcome.error.message)),
          isAccepted: false,
          refusal: outcome.error,
        };
      case 'nonce-used': {
        const { entry: resolved } = await resolve(entry, service, lookupsAfterSend);
        return { entry: resolved, isAccepted: resolved.state === 'sent', refusal: outcome.error };
      }
      case 'unknown': {
        const unsure = await changeAnyway(entry, uncertain);
        const found = await lookUp(service, entry.hash).catch(() => ({ kind: 'absent' }) as const);
        const { entry: after, isFound } = await recordOutcome(unsure, service, found);
        return { entry: after, isAccepted: isFound && after.state === 'sent' };
      }
    }
  };

  return {
    // One tab at a time, so that the next one finds the outcome in the journal.
    send: (entry, service) =>
      createMutex(`graft:send:${entry.hash}`)(async () => own(await send(entry, service))),
    resolve,
    check,
  };
}

export declare namespace createDelivery {
  interface Options {
    readonly journal: Journal;
    readonly broadcast: Broadcast;
    /** Milliseconds since 1970. */
    readonly now: () => number;
  }
}

/** The result of sending a signed transaction to a node. */
type BroadcastOutcome =
  /** The node's mempool has it. */
  | { readonly kind: 'accepted' }
  /**
   * The node will accept it later. `too-early`: when earlier transactions of the account are mined. `over-quota`: when
   * the account's quota has recovered.
   */
  | { readonly kind: 'too-early' | 'over-quota' }
  /** The nonce is used, by this transaction or by another one. */
  | { readonly kind: 'nonce-used'; readonly error: ProviderRpcError }
  /** The node's rules forbid it. The error has the node's own message. */
  | { readonly kind: 'refused'; readonly error: ProviderRpcError }
  /** No conclusive reply: the node may or may not have it. */
  | { readonly kind: 'unknown'; readonly error: ProviderRpcError };

type Offered = Pick<JournalEntry, 'chainId' | 'from' | 'hash' | 'raw' | 'value' | 'gas' | 'gasPrice'>;

export interface Broadcast {
  /**
   * Sends signed bytes, and again where a reply was lost or a node does not know of the account's newest coins. Never
   * rejects. Calls with the same bytes share one broadcast while it is in flight.
   */
  (service: Service, transaction: Offered, signal?: AbortSignal): Promise<BroadcastOutcome>;
  isInFlight(raw: Hex): boolean;
}

export function createBroadcast(journal: Pick<Journal, 'entriesOf'>): Broadcast {
  const inFlight = new Map<Hex, Promise<BroadcastOutcome>>();

  /** Whether the balance pays for the transaction and for the open ones of its account. */
  const isFunded = async (service: Service, transaction: Offered): Promise<boolean> => {
    const { chainId, from, hash } = transaction;
    const entries = await journal.entriesOf(chainId, from);
    const open = entries.filter((entry) => isOpen(entry) && entry.hash !== hash);
    const balance = await readQuantity(service, 'eth_getBalance', [from, 'latest']);
    return BigInt(balance) >= [transaction, ...open].reduce((sum, each) => sum + costOf(each), 0n);
  };

  const broadcast = (service: Service, transaction: Offered, signal?: AbortSignal) => {
    const { raw } = transaction;
    const sending =
      inFlight.get(raw) ??
      send(service, raw, () => isFunded(service, transaction), signal).finally(() => inFlight.delete(raw));
    inFlight.set(raw, sending);
    return sending;
  };
  return Object.assign(broadcast, { isInFlight: (raw: Hex) => inFlight.has(raw) });
}

/** The most that a transaction takes, wei. */
const costOf = ({ value, gas, gasPrice }: Offered): bigint => BigInt(value) + BigInt(gas) * BigInt(gasPrice);

const maxAttempts = 3;

/**
 * Sending is idempotent, so an attempt whose reply was lost is retried, after 500 ms and then 1 s, and so is one that was
 * refused for funds that the account has: a node that is behind does not know of coins that just came. The hash in the
 * reply may be zero, wrong or missing, and is ignored: it follows from the bytes.
 */
async function send(
  service: Service,
  raw: Hex,
  isFunded: () => Promise<boolean>,
  signal?: AbortSignal,
): Promise<BroadcastOutcome> {
  let isLost = false;
  for (let attempt = 1; ; attempt++) {
    try {
      await service.request('eth_sendRawTransaction', [raw], { signal });
      return { kind: 'accepted' };
    } catch (caught) {
      const error = caught as ProviderRpcError;
      if (alreadyKnown(error)) return { kind: 'accepted' };
      const reason = reasonOf(error);
      if (reason === 'nonce-too-low') return { kind: 'nonce-used', error };
      if (reason === 'nonce-too-high') return { kind: 'too-early' };
      if (reason === 'account-quota') return { kind: 'over-quota' };
      const isLast = attempt === maxAttempts || signal?.aborted;
      // After an attempt without a reply a refusal proves nothing: another node may have accepted the bytes.
      if (isRefusal(error)) {
        const isWrong = reason === 'insufficient-funds' && !isLast && (await isFunded().catch(() => false));
        if (!isWrong) return { kind: isLost ? 'unknown' : 'refused', error };
      } else {
        if (!outcomeUnknown(error) || isLast) return { kind: 'unknown', error };
        isLost = true;
      }
      await new Promise((resolve) => setTimeout(resolve, 250 * 2 ** attempt));
    }
  }
}
