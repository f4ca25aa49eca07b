import { canonicalReceipt, canonicalTransaction } from '../rpc/canonical.js';
import { noParams } from '../rpc/message.js';
import { checkOf } from '../rpc/method-facts/method-facts.js';
import { hash, positions } from '../rpc/params.js';
import { heightIn } from '../rpc/results.js';
import type { Hash, Receipt, Transaction } from '../rpc/schema.js';
import { isMined } from '../transactions/journal-entry.js';
import type { Context } from './context.js';
import { forwarded, type MethodRequest, method } from './method.js';

/**
 * A transaction by its hash. One that was sent from here and that the service does not know (yet, or any more, since
 * its mempool drops transactions after ten blocks) is returned as pending from the journal, because ethers polls for it.
 */
export const eth_getTransactionByHash = method<[hash: Hash], Transaction | null>()(
  positions(hash),
  async (context, params, request) => {
    const result = await readOwn(context, params, request);
    if (result !== null) return canonicalTransaction(result as Transaction);
    if (context.session.state().accounts.length === 0) return null;
    return (await (await context.signing()).transactions()).pending(params[0]);
  },
);

/**
 * `null` until the transaction is mined, and again after a reorg removes its block. A receipt with `root` in place of
 * `status` is passed on: it does not say whether the transaction succeeded, and libraries count only `0x0` as a failure
 * (docs/notes/service.md#transaction-receipt-object).
 */
export const eth_getTransactionReceipt = method<[hash: Hash], Receipt | null>()(
  positions(hash),
  async (context, params, request) => {
    const result = await readOwn(context, params, request);
    return result === null ? null : canonicalReceipt(result as Receipt);
  },
);

/**
 * Reads a transaction or its receipt. Where the answer has none, or a pending one, of a transaction that the journal knows
 * as mined, it is read again until its block has answered or has left the chain.
 */
async function readOwn(
  context: Context,
  params: readonly [hash: Hash],
  { method, signal }: MethodRequest,
): Promise<unknown> {
  const options = { signal, check: checkOf(method, params) };
  const result = await context.reads().request(method, params, options);
  if (!Number.isNaN(heightIn(result)) || context.session.state().accounts.length === 0) return result;
  const { journal } = await context.signing();
  const [hash] = params;
  const { chainId } = context.network();
  const entry = await journal.find(hash).catch(() => undefined);
  if (!entry?.blockHash || entry.chainId !== chainId || !isMined(entry)) return result;
  const place = { height: Number(entry.blockNumber), hash: entry.blockHash };
  // Not from the cache, which may have the answer.
  return context.sends().request(method, params, { ...options, priority: 'read', place });
}

export const eth_pendingTransactions = forwarded<[], readonly Transaction[]>()(noParams, (transactions) =>
  transactions.map(canonicalTransaction),
);
