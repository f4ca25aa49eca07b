import { keccak_256 } from '@noble/hashes/sha3.js';
import { concatBytes, utf8ToBytes } from '@noble/hashes/utils.js';
import { bytesToHex, hexToBytes, integerToBytes, toQuantity } from '../../../../src/rpc/hex.js';
import { encodeRlp } from '../../../../src/rpc/rlp.js';
import type { Address, Block, Hash, Hex, Log, Receipt, Transaction } from '../../../../src/rpc/schema.js';
import type { SignedTransaction } from './decode.js';
import type { Switches } from './dialect.js';

export const zeroHash: Hash = `0x${'0'.repeat(64)}`;
export const zeroAddress: Address = `0x${'0'.repeat(40)}`;

/** Placeholder bytes of a given length, derived from the block's hash and the field's name. */
function derivedBytes(seed: Hex, field: string, length: number): Hex {
  const parts = Array.from({ length: Math.ceil(length / 32) }, (_, index) =>
    keccak_256(concatBytes(hexToBytes(seed), utf8ToBytes(`${field}/${index}`))),
  );
  return bytesToHex(concatBytes(...parts).subarray(0, length));
}

export interface BlockExtras extends Pick<Switches, 'nodeFields' | 'blockNonce'> {
  readonly transactions: readonly (Hash | Transaction)[];
}

/** The sealed block in the seed's shape. Fields of the engine that are not listed here are dropped. */
export function shapeBlock(block: Block, { transactions, blockNonce, nodeFields }: BlockExtras): Block {
  return {
    number: block.number,
    hash: block.hash,
    parentHash: block.parentHash,
    sha3Uncles: block.sha3Uncles,
    logsBloom: block.logsBloom,
    transactionsRoot: block.transactionsRoot,
    stateRoot: block.stateRoot,
    receiptsRoot: block.receiptsRoot,
    miner: block.miner,
    difficulty: block.difficulty,
    totalDifficulty: block.totalDifficulty,
    cumulativeDifficulty: block.cumulativeDifficulty,
    extraData: block.extraData,
    size: block.size,
    gasLimit: block.gasLimit,
    gasUsed: block.gasUsed,
    timestamp: block.timestamp,
    transactions,
    uncles: [],
    minimumGasPrice: block.minimumGasPrice,
    bitcoinMergedMiningHeader: block.bitcoinMergedMiningHeader,
    bitcoinMergedMiningCoinbaseTransaction: block.bitcoinMergedMiningCoinbaseTransaction,
    bitcoinMergedMiningMerkleProof: block.bitcoinMergedMiningMerkleProof,
    hashForMergedMining: block.hashForMergedMining,
    paidFees: block.paidFees,
    ...(blockNonce === 'zero' && { nonce: '0x0000000000000000' }),
    ...(nodeFields && {
      mixHash: block.mixHash,
      rskPteEdges: block.rskPteEdges,
      baseEvent: block.baseEvent,
    }),
  } as unknown as Block;
}

export interface CandidateExtras extends BlockExtras {
  readonly minimumGasPrice: bigint;
  readonly paidFees: bigint;
  readonly difficulty: bigint;
}

/**
 * The candidate block: without number, hash, bloom, miner and merged-mining fields. `block.hash` identifies its
 * contents; placeholder fields are derived from it.
 */
export function shapePendingBlock(block: Block, extras: CandidateExtras): Block {
  const { minimumGasPrice, paidFees, difficulty } = extras;
  return {
    ...shapeBlock(block, extras),
    number: null,
    hash: null,
    logsBloom: null,
    miner: null,
    stateRoot: derivedBytes(block.hash ?? zeroHash, 'state', 32),
    difficulty: toQuantity(difficulty),
    totalDifficulty: '0x0',
    cumulativeDifficulty: toQuantity(difficulty),
    minimumGasPrice: toQuantity(minimumGasPrice),
    paidFees: toQuantity(paidFees),
    extraData: '0x',
    hashForMergedMining: candidateHash(block),
    bitcoinMergedMiningHeader: '0x',
    bitcoinMergedMiningCoinbaseTransaction: '0x',
    bitcoinMergedMiningMerkleProof: '0x',
    ...(extras.nodeFields && { mixHash: zeroHash, rskPteEdges: [], baseEvent: null }),
  };
}

/** The block hash that the node reports for the candidate's transactions: its hash for merged mining. */
export const candidateHash = (block: Block): Hash => derivedBytes(block.hash ?? zeroHash, 'merged', 32);

export const shapeTransaction = (transaction: Transaction): Transaction => ({
  hash: transaction.hash,
  nonce: transaction.nonce,
  blockHash: transaction.blockHash,
  blockNumber: transaction.blockNumber,
  transactionIndex: transaction.transactionIndex,
  from: transaction.from,
  to: transaction.to,
  gas: transaction.gas,
  gasPrice: transaction.gasPrice,
  value: transaction.value,
  input: transaction.input,
  v: transaction.v,
  r: transaction.r,
  s: transaction.s,
  type: '0x0',
});

export const shapePooled = (transaction: SignedTransaction): Transaction => ({
  hash: transaction.hash,
  nonce: toQuantity(transaction.nonce),
  blockHash: null,
  blockNumber: null,
  transactionIndex: null,
  from: transaction.from,
  to: transaction.to,
  gas: toQuantity(transaction.gas),
  gasPrice: toQuantity(transaction.gasPrice),
  value: toQuantity(transaction.value),
  input: transaction.input,
  v: toQuantity(transaction.v),
  r: toQuantity(transaction.r),
  s: toQuantity(transaction.s),
  type: '0x0',
});

export function shapeReceipt(receipt: Receipt, root: Hash | null, nonce: bigint): Receipt {
  const creates = receipt.to === null;
  return {
    transactionHash: receipt.transactionHash,
    transactionIndex: receipt.transactionIndex,
    blockHash: receipt.blockHash,
    blockNumber: receipt.blockNumber,
    from: receipt.from,
    to: receipt.to,
    cumulativeGasUsed: receipt.cumulativeGasUsed,
    gasUsed: receipt.gasUsed,
    contractAddress: creates ? (receipt.contractAddress ?? createdAddress(receipt.from, nonce)) : null,
    logs: receipt.logs.map(shapeLog),
    logsBloom: receipt.logsBloom,
    effectiveGasPrice: receipt.effectiveGasPrice,
    type: '0x0',
    ...(root === null ? { status: receipt.status } : { root }),
  } as Receipt;
}

export const shapeLog = (log: Log): Log => ({
  logIndex: log.logIndex,
  transactionIndex: log.transactionIndex,
  transactionHash: log.transactionHash,
  blockHash: log.blockHash,
  blockNumber: log.blockNumber,
  address: log.address,
  data: log.data,
  topics: log.topics,
});

const createdAddress = (from: Address, nonce: bigint): Address =>
  bytesToHex(keccak_256(encodeRlp([hexToBytes(from), integerToBytes(nonce)])).subarray(12));
