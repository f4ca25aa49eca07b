/**
 * The types of requests and results between page, provider and service (docs/notes/service.md#resources-and-their-fields).
 * They name the fields that the wallet uses; others, such as Rootstock's `minimumGasPrice` and `bitcoinMergedMining…`, are
 * returned as received.
 */

/** `0x` + hexadecimal digits. QUANTITY has no leading zeros, DATA an even number of digits. */
export type Hex = `0x${string}`;
/** DATA, 20 bytes, lower case inside the provider. */
export type Address = Hex;
/** Whether the value is an address in any letter case. Its checksum is not checked. */
export const isAddress = (value: unknown): value is Address =>
  typeof value === 'string' && /^0x[0-9a-fA-F]{40}$/.test(value);
/** Whether the value is an address as the provider has it: in lower case. */
export const isLowerAddress = (value: unknown): value is Address =>
  isAddress(value) && value === value.toLowerCase();
/** DATA, 32 bytes. */
export type Hash = Hex;

/** The newest block, the first one, or the one that would be mined next. */
export type BlockTag = 'latest' | 'earliest' | 'pending';
/** A block by tag or by number (QUANTITY). */
export type BlockSelector = BlockTag | Hex;
/** For some methods also a block hash, or an object with one of two keys (docs/notes/service.md#encodings). */
export type BlockReference = BlockSelector | { blockHash: Hash } | { blockNumber: Hex };

/** A block as the service returns it. Numbers are QUANTITY. */
export interface Block {
  /** Its height; `null` while it is pending. */
  number: Hex | null;
  /** `null` while it is pending. */
  hash: Hash | null;
  /** The hash of the block before it. */
  parentHash: Hash;
  /** 2048 bits that tell which logs cannot be in it. */
  logsBloom: Hex | null;
  /** Unix seconds. */
  timestamp: Hex;
  /** The gas that all of its transactions may use together. */
  gasLimit: Hex;
  /** The gas that they have used. */
  gasUsed: Hex;
  /** Recipient of the fees. */
  miner: Address | null;
  /** Rootstock's own: the lowest price that the miner takes, wei per gas. */
  minimumGasPrice?: Hex | null;
  /** Hashes, or whole transactions where they were asked for. */
  transactions: readonly (Hash | Transaction)[];
  /** Hashes of the siblings that it includes. */
  uncles: readonly Hash[];
  /** Further fields of the node, as received. */
  readonly [field: string]: unknown;
}

/** A transaction as the service returns it. Numbers are QUANTITY. */
export interface Transaction {
  /** The hash of its signed bytes. */
  hash: Hash;
  /** Its number among the transactions of the account, from 0. */
  nonce: Hex;
  /** `null` while it is pending. */
  blockHash: Hash | null;
  /** `null` while it is pending. */
  blockNumber: Hex | null;
  /** Its place in the block; `null` while it is pending. */
  transactionIndex: Hex | null;
  /** Sender, who pays the fees. */
  from: Address;
  /** `null` for a contract creation. */
  to: Address | null;
  /** The most gas that it may use. */
  gas: Hex;
  /** wei per gas. */
  gasPrice: Hex;
  /** wei. */
  value: Hex;
  /** Calldata, or the code of a new contract. */
  input: Hex;
  /** Further fields of the node, as received. */
  readonly [field: string]: unknown;
}

/** The outcome of a mined transaction. Numbers are QUANTITY. */
export interface Receipt {
  /** The hash of the transaction. */
  transactionHash: Hash;
  /** Its place in the block. */
  transactionIndex: Hex;
  /** The block that it is in. */
  blockHash: Hash;
  /** The height of that block. */
  blockNumber: Hex;
  /** Sender, who paid the fees. */
  from: Address;
  /** `null` for a contract creation. */
  to: Address | null;
  /** Gas that this transaction used. */
  gasUsed: Hex;
  /** Gas that this and all earlier transactions of the block used. */
  cumulativeGasUsed: Hex;
  /** The contract that it created, else `null`. */
  contractAddress: Address | null;
  /** In order. */
  logs: readonly Log[];
  /** 2048 bits that tell which logs cannot be among them. */
  logsBloom: Hex;
  /** `0x1` where it succeeded, `0x0` where it reverted. */
  status?: Hex;
  /** Further fields of the node, as received. */
  readonly [field: string]: unknown;
}

/** An event of a contract. */
export interface Log {
  /** The contract that emitted it. */
  address: Address;
  /** At most four; the first is the hash of the event's signature. */
  topics: readonly Hash[];
  /** Arguments that are not in the topics, ABI-encoded. */
  data: Hex;
  /** The height of its block; `null` while it is pending. */
  blockNumber: Hex | null;
  /** `null` while it is pending. */
  blockHash: Hash | null;
  /** `null` while it is pending. */
  transactionHash: Hash | null;
  /** Its transaction's place in the block; `null` while it is pending. */
  transactionIndex: Hex | null;
  /** Its place in the block; `null` while it is pending. */
  logIndex: Hex | null;
  /** `true` for a log that a reorganisation took off the chain. */
  removed?: boolean;
  /** Further fields of the node, as received. */
  readonly [field: string]: unknown;
}

/** `baseFeePerGas` (wei) has one entry more than there are blocks: that of the next block. */
export interface FeeHistory {
  /** The height of the first block of the answer. */
  oldestBlock: Hex;
  /** wei per gas; one entry more than there are blocks, for the next block. */
  baseFeePerGas: readonly Hex[];
  /** 0 to 1, of each block. */
  gasUsedRatio: readonly number[];
  /** Tips of each block at the requested percentiles (wei). */
  reward?: readonly (readonly Hex[])[];
  /** Further fields, as received. */
  readonly [field: string]: unknown;
}

/** The call of `eth_call` and `eth_estimateGas`. */
export interface CallObject {
  /** Sender of the call. Default: as the service chooses. */
  from?: Address | undefined;
  /** Address that is called; absent for a contract creation. */
  to?: Address | undefined;
  /** The most gas it may use. Default: as the service chooses. */
  gas?: Hex | undefined;
  /** wei per gas. */
  gasPrice?: Hex | undefined;
  /** wei. */
  value?: Hex | undefined;
  /** Calldata. */
  data?: Hex | undefined;
}

/** The criteria of `eth_subscribe ["logs"]`, of filters and of `eth_getLogs`. */
export interface LogCriteria {
  /** The contract, or any of several. Default: all. */
  address?: Address | readonly Address[] | undefined;
  /** By position: one topic, any of several, or `null` for all. */
  topics?: readonly (Hash | null | readonly (Hash | null)[])[] | undefined;
}

/** The criteria of `eth_getLogs`: a range of blocks, or one block. */
export interface LogFilter extends LogCriteria {
  /** The first block. Default `latest`. */
  fromBlock?: BlockSelector | undefined;
  /** The last block. Default `latest`. */
  toBlock?: BlockSelector | undefined;
  /** One block, in place of a range. */
  blockHash?: Hash | undefined;
}

/** How far a node is that has not caught up, in block heights. */
export interface SyncStatus {
  /** Where it began. */
  startingBlock: Hex;
  /** Where it is. */
  currentBlock: Hex;
  /** Where the chain is, as far as it knows. */
  highestBlock: Hex;
}
