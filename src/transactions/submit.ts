import { limitExceeded, transactionRejected } from '../rpc/core-errors.js';
import { errorCode, invalidParams, ProviderRpcError } from '../rpc/errors.js';
import { recoverAddress } from '../rpc/recover.js';
import type { Address, Hash, Hex } from '../rpc/schema.js';
import { type ParsedTransaction, parseSigned } from '../rpc/signed-transaction.js';
import { signingDigest } from '../rpc/transaction.js';
import type { Service } from '../service/service.js';
import type { Broadcast, Delivery } from './delivery.js';
import { type Journal, refused, renewed, submitted } from './journal.js';
import { holdOf, type JournalEntry } from './journal-entry.js';
import { findOutcome } from './lookup.js';
import { hasTypedTransactions, readHead } from './prepare.js';

/**
 * Sends bytes that a page has signed elsewhere, and resolves with their hash. Transactions of the wallet's accounts are
 * journaled; of others nothing is stored.
 *
 * @throws ProviderRpcError -32602 for bytes that are not a valid transaction for this chain; -32003 refused by the
 * chain's rules, with the node's own message, or replaced. For foreign accounts also -32005 if the account's quota is
 * spent, and -32002 if the outcome is unknown: `data.hash` is the hash, and the page may send the bytes again.
 */
export type Submit = (raw: Hex, options: Submit.Options) => Promise<Hash>;

export declare namespace Submit {
  interface Options {
    readonly origin: string;
    readonly service: Service;
    /** All addresses of the wallet. */
    readonly ownAddresses: readonly Address[];
    /** Where the bytes are in the request, for errors. */
    readonly path: string;
    readonly signal?: AbortSignal | undefined;
  }
}

export function createSubmit(options: createSubmit.Options): Submit {
  const { journal, broadcast, delivery, wake, now } = options;

  const submitOwn = async (entry: JournalEntry, service: Service): Promise<Hash> => {
    const found = await journal.find(entry.hash);
    const known = found?.held === 'page' ? await journal.change(found, submitted(now())) : found;
    if (known && (known.state === 'abandoned' || holdOf(known, now()) !== null)) throw leftToPerson();
    if (!known) await journal.record(entry);
    // It is in the archive: the chain has used its nonce.
    else if (!(await journal.change(entry, renewed(now()))) && known.state === 'refused')
      throw transactionRejected('nonce too low');
    const { entry: after, refusal, isOverQuota } = await delivery.send(known ?? entry, service);
    // Recorded as refused, it is not rebroadcast, and the page may submit the same bytes later.
    if (isOverQuota && (await journal.change(entry, refused(overQuota().message)))?.state === 'refused')
      throw overQuota();
    wake(entry.chainId);
    if (after.state === 'abandoned') throw leftToPerson();
    if (refusal && (after.state === 'refused' || after.state === 'replaced')) throw refusal;
    return entry.hash;
  };

  const submitForeign = async (
    transaction: Parameters<Broadcast>[1] & Pick<JournalEntry, 'nonce'>,
    { service, signal }: Submit.Options,
  ) => {
    const { hash } = transaction;
    const outcome = await broadcast(service, transaction, signal);
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
    const found = await findOutcome(service, transaction, lookupAttempts);
    switch (found.kind) {
      case 'included':
      case 'known':
        return hash;
      case 'replaced':
        throw outcome.kind === 'nonce-used' ? outcome.error : transactionRejected('nonce too low');
      case 'absent':
        throw new ProviderRpcError(
          errorCode.resourceUnavailable,
          'Whether the service has taken the transaction is not known; send the same one again.',
          { ...(outcome.error.data as object | undefined), hash },
        );
    }
  };

  const readSender = (parsed: ParsedTransaction, path: string): Address => {
    try {
      return recoverAddress(signingDigest(parsed.transaction), parsed.signature);
    } catch {
      throw invalidParams(`${path}: no key can have made this signature`);
    }
  };

  return async (raw, submitOptions) => {
    const { origin, service, ownAddresses, path } = submitOptions;
    const isTyped = /^0x0[12]/.test(raw) && hasTypedTransactions(await readHead(service));
    const parsed = parseSigned(raw, service.network.chainId, path, isTyped);
    const { transaction, hash } = parsed;
    const signed = { ...transaction, from: readSender(parsed, path), hash, raw };
    if (!ownAddresses.includes(signed.from)) return submitForeign(signed, submitOptions);
    const entry: JournalEntry = {
      ...signed,
      origin,
      createdAt: now(),
      state: 'signed',
      nonceChosen: true,
    };
    return submitOwn(entry, service);
  };
}

const leftToPerson = () =>
  transactionRejected('the transaction was given up, or waits for the person in the wallet');

const overQuota = () =>
  limitExceeded('account exceeds quota: the chain takes no further transaction of it for now');

const lookupAttempts = 3;

export declare namespace createSubmit {
  interface Options {
    readonly journal: Journal;
    readonly broadcast: Broadcast;
    readonly delivery: Delivery;
    /** The signer of a transaction. @throws Error for an invalid signature */
    /** Starts the outbox of a chain, or makes it read the journal again. */
    readonly wake: (chainId: number) => void;
    /** Milliseconds since 1970. */
    readonly now: () => number;
  }
}
