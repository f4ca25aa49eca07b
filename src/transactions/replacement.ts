import { invalidParams } from '../rpc/errors.js';
import { toQuantity } from '../rpc/hex.js';
import { own } from '../rpc/own.js';
import type { Address, Hash, Hex } from '../rpc/schema.js';
import type { Requester } from '../session/requester.js';
import { replacementPrice } from './gas.js';
import type { Journal } from './journal.js';
import { holdOf, isOpen, isPending, type JournalEntry } from './journal-entry.js';
import { highestPriced } from './nonces.js';
import type { TransactionRequest } from './request.js';
import type { Transactions } from './transactions.js';

/**
 * Replaces pending transactions of the journal with others of the same nonce (docs/notes/node.md#replacement). The
 * person is asked about each like about any transaction. Both stay open until one of them is mined; then the other one
 * is `replaced`.
 */
export interface Replacement {
  /**
   * Sends the same transaction at a higher price: 40 % more, or the network's present price where that is higher.
   * @param gasPrice wei per gas, in place of that
   * @throws ProviderRpcError -32602 if there is nothing to replace, -32003 for a price that is too low, or for a
   * replacement that takes more than the network allows; and as `Transactions.send`
   */
  speedUp(hash: Hash, gasPrice?: Hex): Promise<Hash>;
  /**
   * Sends nothing to the account itself in its place, at such a price. The transaction may be mined all the same.
   * @throws ProviderRpcError as {@link speedUp}
   */
  cancel(hash: Hash): Promise<Hash>;
}

export function createReplacement(options: createReplacement.Options): Replacement {
  const { journal, send, requesterOf, now } = options;

  /** @throws ProviderRpcError -32602 for a transaction that cannot be replaced (any more) */
  const findPending = async (hash: Hash): Promise<JournalEntry> => {
    const entry = await journal.find(hash);
    if (!entry) throw invalidParams('hash: no transaction with this hash was signed here');
    if (!isOpen(entry))
      throw invalidParams(`hash: the transaction is ${entry.state}, there is nothing to replace`);
    const hold = holdOf(entry, now());
    if (hold !== null)
      throw invalidParams(`hash: the transaction is held (${hold}) and not sent: resend it or give it up`);
    const others = await journal.entriesOf(entry.chainId, entry.from, entry.nonce);
    const rivals = others.filter((each) => isPending(each, now()));
    if (highestPriced(rivals)?.hash !== hash)
      throw invalidParams('hash: a later transaction has taken its nonce already');
    return entry;
  };

  const replace = async (
    entry: JournalEntry,
    replacement: 'speed-up' | 'cancel',
    request: Omit<TransactionRequest, 'from' | 'nonce' | 'replacementPrice'>,
  ): Promise<Hash> => {
    const requester = requesterOf(entry.chainId, entry.from);
    const price = toQuantity(replacementPrice(entry.gasPrice));
    const { from, nonce } = entry;
    return send(own({ ...request, from, nonce, replacementPrice: price }), requester, replacement);
  };

  return {
    async speedUp(hash, gasPrice) {
      const entry = await findPending(hash);
      const { to, value, data, gas, transactionType, accessList } = entry;
      return replace(entry, 'speed-up', { to, value, data, gas, transactionType, accessList, gasPrice });
    },
    async cancel(hash) {
      const entry = await findPending(hash);
      return replace(entry, 'cancel', { to: entry.from, value: '0x0', data: '0x' });
    },
  };
}

export declare namespace createReplacement {
  interface Options {
    readonly journal: Journal;
    readonly send: Transactions['send'];
    /**
     * Returns the requester of the wallet's own transactions: the person, in the wallet's page.
     * @throws ProviderRpcError 4100 for an account that the wallet does not have (any more), 4901 for an unknown chain
     */
    readonly requesterOf: (chainId: number, from: Address) => Requester;
    /** Milliseconds since 1970. */
    readonly now: () => number;
  }
}
