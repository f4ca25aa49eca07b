import { createMutex } from '../async/mutex.js';
import type { ProviderRpcError } from '../rpc/errors.js';
import { own } from '../rpc/own.js';
import type { Service } from '../service/service.js';
import type { Broadcast } from './broadcast.js';
import type { Journal } from './journal.js';
import { isOpen, type JournalEntry } from './journal-entry.js';
import { findByNonce, lookUp, readInclusion, receiptOf } from './lookup.js';
import { accepted, deferred, included, refused, replaced, uncertain } from './transitions.js';

/** Sends journaled transactions, finds out what became of them, and writes it into the journal. */
export interface Delivery {
  /** Sends the bytes once more. Never rejects. */
  send(entry: JournalEntry, service: Service): Promise<Delivered>;
  /**
   * For an entry whose nonce the chain has used: by this transaction (its receipt), or by another one (found in
   * its block). Resolves with the entry as it then stands; it stays open where neither is shown. Never rejects.
   * @param looks how often to look, a second apart
   */
  resolve(entry: JournalEntry, service: Service, looks: number): Promise<JournalEntry>;
  /** Looks for the receipt and writes down what it says. Never rejects. */
  check(entry: JournalEntry, service: Service): Promise<JournalEntry>;
}

export interface Delivered {
  /** The entry as it stands after the attempt. */
  readonly entry: JournalEntry;
  /** Whether a node has said that it holds the transaction, now or before. */
  readonly isAccepted: boolean;
  /** What the node's rules forbid, or that the nonce is used; also where that does not end the transaction. */
  readonly refusal?: ProviderRpcError;
  /** The chain takes it once the account's quota has recovered. */
  readonly isOverQuota?: boolean;
}

/** A node behind a balancer may not have seen yet what another one has. */
const looksAfterSend = 3;
/** Milliseconds. */
const betweenLooks = 1_000;

export function createDelivery(options: createDelivery.Options): Delivery {
  const { journal, broadcast, now } = options;

  const current = async (entry: JournalEntry): Promise<JournalEntry> =>
    (await journal.change(entry, () => null).catch(() => undefined)) ?? entry;

  /** What has happened has happened, whatever the storage says: a failed write is made up for by the next look. */
  const change = async (entry: JournalEntry, transition: Parameters<Journal['change']>[1]) =>
    (await journal.change(entry, transition).catch(() => undefined)) ?? transition(entry) ?? entry;

  const check = async (entry: JournalEntry, service: Service): Promise<JournalEntry> => {
    try {
      const receipt = await receiptOf(service, entry.hash);
      return receipt ? await change(entry, included(await readInclusion(service, entry, receipt))) : entry;
    } catch {
      return entry;
    }
  };

  /** One look at the receipt, then at the transaction. */
  const sight = async (entry: JournalEntry, service: Service): Promise<JournalEntry | null> => {
    const sighting = await lookUp(service, entry.hash).catch(() => ({ kind: 'absent' }) as const);
    if (sighting.kind === 'included')
      return change(entry, included(await readInclusion(service, entry, sighting.receipt)));
    return sighting.kind === 'known' ? change(entry, accepted) : null;
  };

  const resolve = async (entry: JournalEntry, service: Service, looks: number): Promise<JournalEntry> => {
    for (let look = 1; ; look++) {
      const seen = await sight(entry, service);
      if (seen) return seen;
      const other = await findByNonce(service, entry.from, entry.nonce).catch(() => null);
      if (other && other.hash !== entry.hash) return change(entry, replaced(other));
      if (look === looks) return change(entry, uncertain);
      await new Promise((done) => setTimeout(done, betweenLooks));
    }
  };

  const send = async (given: JournalEntry, service: Service): Promise<Delivered> => {
    const entry = await current(given);
    if (!isOpen(entry)) return { entry, isAccepted: false };
    const outcome = await broadcast(service, entry.raw);
    switch (outcome.kind) {
      case 'accepted':
        return { entry: await change(entry, accepted), isAccepted: true };
      case 'too-early':
      case 'over-quota':
        return {
          entry: await change(entry, deferred(now())),
          isAccepted: false,
          isOverQuota: outcome.kind === 'over-quota',
        };
      case 'refused':
        return {
          entry: await change(entry, refused(outcome.error.message)),
          isAccepted: entry.state === 'sent',
          refusal: outcome.error,
        };
      case 'nonce-used': {
        const resolved = await resolve(entry, service, looksAfterSend);
        return { entry: resolved, isAccepted: resolved.state === 'sent', refusal: outcome.error };
      }
      case 'unknown': {
        const seen = await sight(await change(entry, uncertain), service);
        return { entry: seen ?? (await current(entry)), isAccepted: seen?.state === 'sent' };
      }
    }
  };

  return {
    // One tab at a time: what one learns the next one finds in the journal.
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
