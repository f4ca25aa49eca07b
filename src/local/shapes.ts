import { keccak_256 } from '@noble/hashes/sha3.js';
import { concatBytes, utf8ToBytes } from '@noble/hashes/utils.js';
import { bytesToHex, hexToBytes, integerToBytes, toQuantity } from '../rpc/hex.js';
import { encodeRlp } from '../rpc/rlp.js';
import type { Address, Block, Hash, Hex, Log, Receipt, Transaction } from '../rpc/schema.js';
import type { SignedTransaction } from './decode.js';

/** The seed's objects, key by key, from the engine's: nothing passes that is not named here. */

export const zeroHash: Hash = `0x${'0'.repeat(64)}`;
export const zeroAddress: Address = `0x${'0'.repeat(40)}`;

/** Constant, so that the longer branch is the heavier one. The figure is the node's example block's. */
const blockDifficulty = 0x1aa2b738n;

/** Bytes without meaning, of the right length, the same for the same block on every run. */
function madeUp(seed: Hex, field: string, length: number): Hex {
  const parts: Uint8Array[] = [];
  for (let i = 0; i * 32 < length; i++)
    parts.push(keccak_256(concatBytes(hexToBytes(seed), utf8ToBytes(`${field}/${i}`))));
  return bytesToHex(concatBytes(...parts).subarray(0, length));
}

export interface BlockExtras {
  readonly minimumGasPrice: bigint;
  readonly paidFees: bigint;
  readonly nodeFields: boolean;
  readonly blockNonce: 'absent' | 'zero';
  readonly transactions: readonly (Hash | Transaction)[];
}

export function shapeBlock(block: Block, extras: BlockExtras): Block {
  const hash = block.hash ?? zeroHash;
  const number = BigInt(block.number ?? 0);
  const shaped: Record<string, unknown> = {
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
    bitcoinMergedMiningHeader: madeUp(hash, 'header', 80),
    bitcoinMergedMiningCoinbaseTransaction: madeUp(hash, 'coinbase', 119),
    bitcoinMergedMiningMerkleProof: madeUp(hash, 'proof', 96),
    hashForMergedMining: candidateHash(block),
    paidFees: toQuantity(extras.paidFees),
  };
  if (extras.blockNonce === 'zero') shaped.nonce = '0x0000000000000000';
  if (extras.nodeFields) Object.assign(shaped, number === 0n ? genesisFields : nodeFields);
  return shaped as unknown as Block;
}

/** What a block of the node has besides; the proof has no hashes where the block is alone in its Bitcoin block. */
const nodeFields = {
  mixHash: zeroHash,
  rskPteEdges: [],
  baseEvent: null,
  /** RLP of the format's number and the node's version. */
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
 * The candidate block: no number, hash, bloom or miner, and nothing of Bitcoin yet. `block.hash` stands for its
 * contents, and what only a mined block has is made up from it.
 */
export const shapePendingBlock = (block: Block, extras: BlockExtras): Block => ({
  ...shapeBlock(block, extras),
  number: null,
  hash: null,
  logsBloom: null,
  miner: null,
  stateRoot: madeUp(block.hash ?? zeroHash, 'state', 32),
  totalDifficulty: '0x0',
  extraData: '0x',
  bitcoinMergedMiningHeader: '0x',
  bitcoinMergedMiningCoinbaseTransaction: '0x',
  bitcoinMergedMiningMerkleProof: '0x',
});

/** Where the node says that the candidate's transactions are: in a block with its hash for merged mining. */
export const candidateHash = (block: Block): Hash => madeUp(block.hash ?? zeroHash, 'merged', 32);

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
  const shaped: Record<string, unknown> = {
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
  };
  if (root === null) shaped.status = receipt.status;
  else shaped.root = root;
  return shaped as unknown as Receipt;
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

export const createdAddress = (from: Address, nonce: bigint): Address =>
  bytesToHex(keccak_256(encodeRlp([hexToBytes(from), integerToBytes(nonce)])).subarray(12));
