import { invalidParams } from '../rpc/errors.js';
import type { Hash } from '../rpc/schema.js';
import type { Service } from '../service/service.js';
import type { Delivery } from './delivery.js';
import { abandoned, deferred, type Journal, submitted } from './journal.js';
import { isMined, isOpen, type JournalEntry } from './journal-entry.js';
import { createSendCheck } from './send-check.js';

/** Resends or abandons held transactions. */
export interface HeldTransactions {
  /**
   * Sends an open transaction that is held.
   * @throws ProviderRpcError -32602 for one that is settled, not in the journal, of another chain, or whose nonce a later
   * transaction has; -32003 if the chain refuses it
   */
  resend(hash: Hash): Promise<void>;
  /**
   * Gives up a transaction that no node has accepted. Its nonce is free again.
   * @throws ProviderRpcError -32602 for one that a node has accepted, or that is not in the journal
   */
  abandon(hash: Hash): Promise<void>;
}

export function createHeldTransactions(options: createHeldTransactions.Options): HeldTransactions {
  const { journal, delivery, serviceOf, wake, now } = options;

  const find = async (hash: Hash): Promise<JournalEntry> => {
    const entry = await journal.find(hash);
    if (!entry) throw invalidParams('hash: no transaction with this hash was signed here');
    return entry;
  };

  return {
    async resend(hash) {
      const entry = await find(hash);
      if (!isOpen(entry))
        throw invalidParams(`hash: the transaction is ${entry.state}, there is nothing to send`);
      const rivals = await journal.entriesOf(entry.chainId, entry.from, entry.nonce);
      const later = rivals.find((each) => each.hash !== hash && isOpen(each));
      if (later) throw invalidParams('hash: a later transaction has taken its nonce');
      const service = serviceOf(entry.chainId);
      if (!(await createSendCheck({ journal, service, since: Number.POSITIVE_INFINITY, now })(entry)))
        throw invalidParams('hash: the transaction does not belong to the chain that the service serves');
      await journal.change(entry, entry.held === 'page' ? submitted(now()) : deferred(now()));
      const { entry: after, refusal } = await delivery.send(entry, service);
      wake(entry.chainId);
      if (refusal && !isOpen(after) && !isMined(after)) throw refusal;
    },
    async abandon(hash) {
      const after = await journal.change(await find(hash), abandoned);
      if (after?.state !== 'abandoned')
        throw invalidParams('hash: a node has accepted the transaction, so it can no longer be given up');
    },
  };
}

export declare namespace createHeldTransactions {
  interface Options {
    readonly journal: Journal;
    readonly delivery: Delivery;
    /** @throws ProviderRpcError 4901 for a chain that is not configured (any more) */
    readonly serviceOf: (chainId: number) => Service;
    /** Starts the outbox of a chain, or makes it read the journal again. */
    readonly wake: (chainId: number) => void;
    /** Milliseconds since 1970. */
    readonly now: () => number;
  }
}
