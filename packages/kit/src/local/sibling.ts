import { keccak_256 } from '@noble/hashes/sha3.js';
import { utf8ToBytes } from '@noble/hashes/utils.js';
import { bytesToHex } from '../../../../src/rpc/hex.js';
import type { Hash, Transaction } from '../../../../src/rpc/schema.js';
import type { StoredBlock } from './chain.js';

/** A competing block: same height and transactions, another miner and hash. */
export function makeSibling({ block, logs }: StoredBlock): StoredBlock {
  const hash = bytesToHex(keccak_256(utf8ToBytes(`beside ${block.hash}`)));
  const inSibling = (entry: Hash | Transaction) =>
    typeof entry === 'object' ? { ...entry, blockHash: hash } : entry;
  return {
    block: {
      ...block,
      hash,
      miner: '0x4e5dabc28e4a0f5e5b19fcb56b28c5a1989352c1',
      transactions: block.transactions.map(inSibling),
    },
    logs: logs.map((log) => ({ ...log, blockHash: hash })),
  };
}
