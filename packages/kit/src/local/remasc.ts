import { keccak_256 } from '@noble/hashes/sha3.js';
import { bytesToHex, hexToBytes, integerToBytes, toQuantity } from '../../../../src/rpc/hex.js';
import { remasc } from '../../../../src/rpc/remasc.js';
import { encodeRlp } from '../../../../src/rpc/rlp.js';
import type { Block, Hash, Hex, Receipt, Transaction } from '../../../../src/rpc/schema.js';
import type { Execution } from './node-traces.js';
import { zeroAddress } from './shapes.js';

/**
 * The hash of the REMASC transaction, which ends every block of the real chain (docs/notes/node.md#remasc). It depends
 * only on the height, so that two blocks of one height have the same. The EVM behind this service has no such
 * transaction: it is added to replies and changes neither gas nor roots.
 */
function remascHash(height: number): Hash {
  const none = new Uint8Array(0);
  const zero = Uint8Array.of(0);
  const nonce = integerToBytes(BigInt(Math.max(0, height - 1)));
  const fields = [nonce, zero, zero, hexToBytes(remasc), none, none, none, none, none];
  return bytesToHex(keccak_256(encodeRlp(fields)));
}

export const remascTransaction = (block: Block): Transaction => ({
  hash: remascHash(Number(block.number)),
  nonce: toQuantity(Math.max(0, Number(block.number) - 1)),
  blockHash: block.hash,
  blockNumber: block.number,
  transactionIndex: toQuantity(block.transactions.length),
  from: zeroAddress,
  to: remasc,
  gas: '0x0',
  gasPrice: '0x0',
  value: '0x0',
  input: '0x',
  v: '0x0',
  r: '0x0',
  s: '0x0',
  type: '0x0',
});

export const remascReceipt = (block: Block): Receipt => ({
  transactionHash: remascHash(Number(block.number)),
  transactionIndex: toQuantity(block.transactions.length),
  blockHash: block.hash as Hash,
  blockNumber: block.number as Hash,
  from: zeroAddress,
  to: remasc,
  cumulativeGasUsed: block.gasUsed,
  gasUsed: '0x0',
  contractAddress: null,
  logs: [],
  logsBloom: `0x${'0'.repeat(512)}`,
  effectiveGasPrice: '0x0',
  status: '0x1',
  type: '0x0',
});

/** The execution of the REMASC transaction, which runs no code. */
export function remascExecution(block: Block): Execution {
  const transaction = remascTransaction(block);
  const { from, value, gas, input } = transaction;
  const frame = { type: 'CALL', from, to: remasc as Hex, value, gas, gasUsed: gas, input };
  return { transaction, receipt: remascReceipt(block), frame, steps: [], isTransfer: true };
}

/** Finds the height of a REMASC hash. Heights up to the head are indexed on demand. */
export function createRemascIndex(): (hash: Hash, head: number) => number | undefined {
  const heights = new Map<Hash, number>();
  let indexed = 0;
  return (hash, head) => {
    while (indexed < head) {
      indexed += 1;
      heights.set(remascHash(indexed), indexed);
    }
    return heights.get(hash);
  };
}
