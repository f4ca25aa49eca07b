import type { Hex } from '../../../../../src/rpc/schema.js';
import { type Context, type Methods, takes } from '../context.js';
import type { SignedTransaction } from '../decode.js';
import { shapePooled, zeroHash } from '../shapes.js';

/** A quantity with an even number of digits, as the node's txpool methods write it. */
const wholeBytes = (value: bigint): Hex => {
  const digits = value.toString(16);
  return `0x${digits.length % 2 ? '0' : ''}${digits}`;
};

/** A transaction in `txpool_content` (docs/notes/node.md#methods-listed-by-name-only). */
function content(transaction: SignedTransaction) {
  const { hash, nonce, from, gas, input } = shapePooled(transaction);
  const to = transaction.to ?? '0x00';
  return {
    blockHash: zeroHash,
    blockNumber: null,
    transactionIndex: null,
    from,
    gas,
    gasPrice: wholeBytes(transaction.gasPrice),
    hash,
    input,
    nonce,
    to,
    value: wholeBytes(transaction.value),
  };
}

const summary = ({ to, value, gas, gasPrice }: SignedTransaction) =>
  `${to?.slice(2) ?? ''}: ${value} wei + ${gas} x ${gasPrice} gas`;

/** Groups transactions by sender and nonce, for `txpool_content` and `txpool_inspect` (docs/notes/node.md#methods-listed-by-name-only). */
function bySender<T>(
  transactions: readonly SignedTransaction[],
  show: (transaction: SignedTransaction) => T,
): Record<string, Record<string, T[]>> {
  const shown: Record<string, Record<string, T[]>> = {};
  for (const transaction of transactions) {
    const sender = transaction.from.slice(2);
    const nonce = transaction.nonce.toString();
    const before = shown[sender] ?? {};
    shown[sender] = { ...before, [nonce]: [...(before[nonce] ?? []), show(transaction)] };
  }
  return shown;
}

const both = <T>({ pool }: Context, show: (transactions: readonly SignedTransaction[]) => T) => ({
  pending: show(pool.pending()),
  queued: show(pool.queued()),
});

export const txpoolMethods: Methods = {
  txpool_content: takes(0, (_, context) => both(context, (all) => bySender(all, content))),
  txpool_inspect: takes(0, (_, context) => both(context, (all) => bySender(all, summary))),
  txpool_status: takes(0, (_, context) => both(context, ({ length }) => length)),
};
