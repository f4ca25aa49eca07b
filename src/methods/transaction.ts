import { canonicalReceipt, canonicalTransaction } from '../rpc/canonical.js';
import { noParams } from '../rpc/no-params.js';
import { hash, positions } from '../rpc/params.js';
import { checkTransactions, checkTransactionWithHash, checkWholeReceiptOf } from '../rpc/results.js';
import type { Hash, Receipt, Transaction } from '../rpc/schema.js';
import { method } from './method.js';
import { ifFound, normalised } from './reading.js';

/**
 * A transaction by its hash. One that was sent from here and that the service does not know (yet, or any more, since
 * its mempool drops transactions after ten blocks) is returned as pending from the journal, because ethers polls for it.
 */
export const eth_getTransactionByHash = method<[hash: Hash], Transaction | null>()(positions(hash), {
  access: 'public',
  handle: async (context, params, request) => {
    const [hash] = params;
    const result = await context.reads().request(request.method, params, {
      ...(request.signal && { signal: request.signal }),
      check: (received) => checkTransactionWithHash(received, params),
    });
    if (result !== null) return canonicalTransaction(result as Transaction);
    if (context.session.state().accounts.length === 0) return null;
    return (await context.signing()).transactions.pending(hash);
  },
});

/**
 * `null` until the transaction is mined, and again after a reorg removes its block. A receipt with `root` in place of
 * `status` is passed on: it does not say whether the transaction succeeded, and libraries count only `0x0` as a failure
 * (docs/notes/service.md#transaction-receipt-object).
 */
export const eth_getTransactionReceipt = normalised<[hash: Hash], Receipt | null>()(
  positions(hash),
  checkWholeReceiptOf,
  ifFound(canonicalReceipt),
);

export const eth_pendingTransactions = normalised<[], readonly Transaction[]>()(
  noParams,
  checkTransactions,
  (transactions) => transactions.map(canonicalTransaction),
);
