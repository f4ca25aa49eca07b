import type { Hex } from '../../../../../src/rpc/schema.js';
import { type Methods, takes } from '../context.js';
import type { SignedTransaction } from '../decode.js';
import { bySender } from '../pool.js';
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

export const txpoolMethods: Methods = {
  txpool_content: takes(0, (_, { pool }) => ({
    pending: bySender(pool.pending(), content),
    queued: bySender(pool.queued(), content),
  })),
  txpool_inspect: takes(0, (_, { pool }) => ({
    pending: bySender(pool.pending(), summary),
    queued: bySender(pool.queued(), summary),
  })),
  txpool_status: takes(0, (_, { pool }) => ({
    pending: pool.pending().length,
    queued: pool.queued().length,
  })),
};
