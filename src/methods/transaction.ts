import { canonicalReceipt, canonicalTransaction } from '../rpc/canonical.js';
import { noParams } from '../rpc/no-params.js';
import { hash, positions } from '../rpc/params.js';
import { isTransactions, isTransactionWithHash, isWholeReceiptOf } from '../rpc/results.js';
import type { Hash, Receipt, Transaction } from '../rpc/schema.js';
import { method } from './method.js';
import { ifFound, normalised } from './reading.js';

/**
 * A transaction by its hash. One that was sent from here and that the service does not show (yet, or any more:
 * its pool forgets after ten blocks) is answered as pending from the journal: ethers waits for it by polling.
 */
export const eth_getTransactionByHash = method<[hash: Hash], Transaction | null>()(positions(hash), {
  access: 'public',
  handle: async (context, params, request) => {
    const [hash] = params;
    const result = await context.service().request(request.method, params, {
      ...(request.signal && { signal: request.signal }),
      check: (received) => isTransactionWithHash(received, params),
    });
    if (result !== null) return canonicalTransaction(result as Transaction);
    if (context.session.state().accounts.length === 0) return null;
    return (await context.signing()).transactions.pending(hash);
  },
});

/**
 * `null` until mined, and again when a reorganisation takes its block away. One with `root` in place of
 * `status` (docs/notes/service.md#transaction-receipt-object) stays so: whether it succeeded is not known, and libraries take only `0x0` for a failure.
 */
export const eth_getTransactionReceipt = normalised<[hash: Hash], Receipt | null>()(
  positions(hash),
  isWholeReceiptOf,
  ifFound(canonicalReceipt),
);

export const eth_pendingTransactions = normalised<[], readonly Transaction[]>()(
  noParams,
  isTransactions,
  (transactions) => transactions.map(canonicalTransaction),
);
