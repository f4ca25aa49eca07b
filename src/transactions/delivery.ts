import { createMutex } from '../async/mutex.js';
import type { ProviderRpcError } from '../rpc/errors.js';
import { own } from '../rpc/own.js';
import type { Service } from '../service/service.js';
import type { Broadcast } from './broadcast.js';
import type { Journal } from './journal.js';
import { isOpen, type JournalEntry } from './journal-entry.js';
import { findOutcome, lookUp, type Outcome, readInclusion, receiptOf } from './lookup.js';
import {
  accepted,
  deferred,
  included,
  refused,
  replaced,
  type Transition,
  uncertain,
} from './transitions.js';

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
  readonly refusal?: ProviderRpcError;
  /** The chain will accept it when the account's quota has recovered. */
  readonly isOverQuota?: boolean;
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
    const outcome = await broadcast(service, entry.raw);
    switch (outcome.kind) {
      case 'accepted':
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
