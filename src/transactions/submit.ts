import {
  errorCode,
  invalidParams,
  limitExceeded,
  ProviderRpcError,
  transactionRejected,
} from '../rpc/errors.js';
import type { Address, Hash, Hex } from '../rpc/schema.js';
import { type ParsedTransaction, parseSigned } from '../rpc/transaction.js';
import type { Service } from '../service/service.js';
import type { Broadcast } from './broadcast.js';
import type { Delivery } from './delivery.js';
import type { Journal } from './journal.js';
import type { JournalEntry } from './journal-entry.js';
import { findByNonce, lookUp } from './lookup.js';
import { hasTypedTransactions, readHead } from './prepare.js';
import { abandoned, renewed } from './transitions.js';

/**
 * Sends bytes that a page hands in, and resolves with their hash. Those of an own account are journaled like the
 * wallet's own transactions; of others nothing is kept.
 *
 * @throws ProviderRpcError -32602 for bytes that no node should see; -32003 refused by the chain's rules, in the
 * node's own words, or proven to be replaced. Of other accounts also -32005 where the account's quota is spent, and
 * -32002 where nothing is known of the outcome: `data.hash`; the page has the bytes and may send them again.
 */
export type Submit = (raw: Hex, asked: Submit.Asked) => Promise<Hash>;

export declare namespace Submit {
  interface Asked {
    readonly origin: string;
    readonly service: Service;
    /** All addresses of the wallet. */
    readonly own: readonly Address[];
    /** For errors: where the bytes stood. */
    readonly path: string;
    readonly signal?: AbortSignal;
  }
}

export function createSubmit(options: createSubmit.Options): Submit {
  const { journal, broadcast, delivery, senderOf, wake, now } = options;

  const submitOwn = async (entry: JournalEntry, service: Service): Promise<Hash> => {
    const known = (await journal.entries()).some(({ hash }) => hash === entry.hash);
    if (known) await journal.change(entry, renewed(now()));
    else await journal.record(entry);
    const { entry: after, refusal, isOverQuota } = await delivery.send(entry, service);
    if (isOverQuota && (await journal.change(entry, abandoned))?.state === 'abandoned') throw overQuota();
    wake(entry.chainId);
    if (refusal && (after.state === 'refused' || after.state === 'replaced')) throw refusal;
    return entry.hash;
  };

  const submitForeign = async (raw: Hex, hash: Hash, from: Address, nonce: Hex, asked: Submit.Asked) => {
    const { service, signal } = asked;
    const outcome = await broadcast(service, raw, signal);
    switch (outcome.kind) {
      case 'accepted':
        return hash;
      case 'too-early':
        throw transactionRejected('nonce too high');
      case 'over-quota':
        throw overQuota();
      case 'refused':
        throw outcome.error;
    }
    for (let look = 1; look <= looks; look++) {
      const sighting = await lookUp(service, hash).catch(() => null);
      if (sighting && sighting.kind !== 'absent') return hash;
      if (outcome.kind === 'nonce-used') {
        const rival = await findByNonce(service, from, nonce).catch(() => null);
        if (rival && rival.hash !== hash) throw outcome.error;
      }
      if (look < looks) await new Promise((done) => setTimeout(done, betweenLooks));
    }
    throw new ProviderRpcError(
      errorCode.resourceUnavailable,
      'Whether the service has taken the transaction is not known; send the same one again.',
      { ...(outcome.error.data as object | undefined), hash },
    );
  };

  const readSender = (parsed: ParsedTransaction, path: string): Address => {
    try {
      return senderOf(parsed);
    } catch {
      throw invalidParams(`${path}: no key can have made this signature`);
    }
  };

  return async (raw, asked) => {
    const { origin, service, own, path } = asked;
    const isTyped = /^0x0[12]/.test(raw) && hasTypedTransactions(await readHead(service));
    const parsed = parseSigned(raw, service.network.chainId, path, isTyped);
    const { transaction, hash } = parsed;
    const from = readSender(parsed, path);
    if (!own.includes(from)) return submitForeign(raw, hash, from, transaction.nonce, asked);
    const entry: JournalEntry = {
      ...{ ...transaction, from, hash, raw, origin },
      ...{ createdAt: now(), state: 'signed', nonceChosen: true },
    };
    return submitOwn(entry, service);
  };
}

const overQuota = () =>
  limitExceeded('account exceeds quota: the chain takes no further transaction of it for now');

/** A node behind a balancer may not have seen yet what another one has: so often it is asked, milliseconds apart. */
const looks = 3;
const betweenLooks = 1_000;

export declare namespace createSubmit {
  interface Options {
    readonly journal: Journal;
    readonly broadcast: Broadcast;
    readonly delivery: Delivery;
    /** Who signed. @throws Error for a signature that no key can have made */
    readonly senderOf: (signed: ParsedTransaction) => Address;
    readonly wake: (chainId: number) => void;
    readonly now: () => number;
  }
}
