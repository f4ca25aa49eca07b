import type { Hex } from '../../rpc/schema.js';
import { type Methods, takes } from '../context.js';
import type { SignedTransaction } from '../decode.js';
import { bySender } from '../pool.js';
import { shapePooled, zeroHash } from '../shapes.js';

/** Quantities as the node's bytes are written here: two digits for each. */
const wholeBytes = (value: bigint): Hex => {
  const digits = value.toString(16);
  return `0x${digits.length % 2 ? '0' : ''}${digits}`;
};

/** The pool as it is: arrays per nonce, senders without `0x` (docs/notes/node.md#methods-listed-by-name-only). */
function content(transaction: SignedTransaction) {
  const { hash, nonce, from, gas, input } = shapePooled(transaction);
  const to = transaction.to ?? '0x00';
  const [gasPrice, value] = [wholeBytes(transaction.gasPrice), wholeBytes(transaction.value)];
  return {
    blockHash: zeroHash,
    blockNumber: null,
    transactionIndex: null,
    ...{ from, gas, gasPrice, hash, input, nonce, to, value },
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
