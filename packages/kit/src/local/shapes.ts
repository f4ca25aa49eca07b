import { keccak_256 } from '@noble/hashes/sha3.js';
import { concatBytes, utf8ToBytes } from '@noble/hashes/utils.js';
import { bytesToHex, hexToBytes, integerToBytes, toQuantity } from '../../../../src/rpc/hex.js';
import type { Address, Block, Hash, Hex, Log, Receipt, Transaction } from '../../../../src/rpc/schema.js';
import { encodeRlp } from '../../../../src/rpc/transaction.js';
import type { SignedTransaction } from './decode.js';
import type { Switches } from './dialect.js';

export const zeroHash: Hash = `0x${'0'.repeat(64)}`;
export const zeroAddress: Address = `0x${'0'.repeat(40)}`;

/** Constant, so that the longer branch is the heavier one. The value is from an example block of the node. */
const blockDifficulty = 0x1aa2b738n;

/** Placeholder bytes of a given length, derived from the block's hash and the field's name. */
function derivedBytes(seed: Hex, field: string, length: number): Hex {
  const parts = Array.from({ length: Math.ceil(length / 32) }, (_, index) =>
    keccak_256(concatBytes(hexToBytes(seed), utf8ToBytes(`${field}/${index}`))),
  );
  return bytesToHex(concatBytes(...parts).subarray(0, length));
}

export interface BlockExtras extends Pick<Switches, 'nodeFields' | 'blockNonce'> {
  readonly minimumGasPrice: bigint;
  readonly paidFees: bigint;
  readonly transactions: readonly (Hash | Transaction)[];
}

/** The engine's block in the seed's shape. Fields of the engine that are not listed here are dropped. */
export function shapeBlock(block: Block, extras: BlockExtras): Block {
  const hash = block.hash ?? zeroHash;
  const number = BigInt(block.number ?? 0);
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
    difficulty: toQuantity(blockDifficulty),
    totalDifficulty: toQuantity(blockDifficulty * (number + 1n)),
    cumulativeDifficulty: toQuantity(blockDifficulty),
    extraData: block.extraData,
    size: block.size,
    gasLimit: block.gasLimit,
    gasUsed: block.gasUsed,
    timestamp: block.timestamp,
    transactions: extras.transactions,
    uncles: [],
    minimumGasPrice: toQuantity(extras.minimumGasPrice),
    bitcoinMergedMiningHeader: derivedBytes(hash, 'header', 80),
    bitcoinMergedMiningCoinbaseTransaction: derivedBytes(hash, 'coinbase', 119),
    bitcoinMergedMiningMerkleProof: derivedBytes(hash, 'proof', 96),
    hashForMergedMining: candidateHash(block),
    paidFees: toQuantity(extras.paidFees),
    ...(extras.blockNonce === 'zero' && { nonce: '0x0000000000000000' }),
    ...(extras.nodeFields && (number === 0n ? genesisFields : nodeFields)),
  } as unknown as Block;
}

/** Additional fields of the node's blocks. The Merkle proof is empty when the Bitcoin block has no other transaction. */
const nodeFields = {
  mixHash: zeroHash,
  /** Empty without RSKIP-144, under which transactions run in parallel lists and blocks have room for more gas. */
  rskPteEdges: [],
  baseEvent: null,
  /** RLP of a format number and the node's version. */
  extraData: '0xce018c534e415053484f542d646576',
  bitcoinMergedMiningMerkleProof: '0x',
};

const genesisFields = {
  mixHash: zeroHash,
  rskPteEdges: null,
  baseEvent: null,
  extraData: '0x686f727365',
  miner: `0x${'3'.repeat(40)}`,
  timestamp: '0x0',
  bitcoinMergedMiningHeader: '0x00',
  bitcoinMergedMiningCoinbaseTransaction: '0x00',
  bitcoinMergedMiningMerkleProof: '0x00',
};

/**
 * The candidate block: without number, hash, bloom, miner and merged-mining fields. `block.hash` identifies its
 * contents; placeholder fields are derived from it.
 */
export const shapePendingBlock = (block: Block, extras: BlockExtras): Block => ({
  ...shapeBlock(block, extras),
  number: null,
  hash: null,
  logsBloom: null,
  miner: null,
  stateRoot: derivedBytes(block.hash ?? zeroHash, 'state', 32),
  totalDifficulty: '0x0',
  extraData: '0x',
  bitcoinMergedMiningHeader: '0x',
  bitcoinMergedMiningCoinbaseTransaction: '0x',
  bitcoinMergedMiningMerkleProof: '0x',
});

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
