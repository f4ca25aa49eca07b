/**
 * The types of requests and results between page, provider and service (docs/notes/service.md#resources-and-their-fields).
 * They name the fields that the wallet uses; others, such as Rootstock's `minimumGasPrice` and `bitcoinMergedMining…`, are
 * returned as received.
 */

/** `0x` + hexadecimal digits. QUANTITY has no leading zeros, DATA an even number of digits. */
export type Hex = `0x${string}`;
/** DATA, 20 bytes, lower case inside the provider. */
export type Address = Hex;
/** DATA, 32 bytes. */
export type Hash = Hex;

export type BlockTag = 'latest' | 'earliest' | 'pending';
export type BlockSelector = BlockTag | Hex;
/** For some methods also a block hash, or an object with one of two keys (docs/notes/service.md#encodings). */
export type BlockReference = BlockSelector | { blockHash: Hash } | { blockNumber: Hex };

export interface Block {
  number: Hex | null;
  hash: Hash | null;
  parentHash: Hash;
  logsBloom: Hex | null;
  timestamp: Hex;
  gasLimit: Hex;
  gasUsed: Hex;
  miner: Address | null;
  minimumGasPrice?: Hex | null;
  transactions: readonly (Hash | Transaction)[];
  uncles: readonly Hash[];
  readonly [field: string]: unknown;
}

export interface Transaction {
  hash: Hash;
  nonce: Hex;
  blockHash: Hash | null;
  blockNumber: Hex | null;
  transactionIndex: Hex | null;
  from: Address;
  to: Address | null;
  gas: Hex;
  gasPrice: Hex;
  value: Hex;
  input: Hex;
  readonly [field: string]: unknown;
}

export interface Receipt {
  transactionHash: Hash;
  transactionIndex: Hex;
  blockHash: Hash;
  blockNumber: Hex;
  from: Address;
  to: Address | null;
  gasUsed: Hex;
  cumulativeGasUsed: Hex;
  contractAddress: Address | null;
  logs: readonly Log[];
  logsBloom: Hex;
  status?: Hex;
  readonly [field: string]: unknown;
}

export interface Log {
  address: Address;
  topics: readonly Hash[];
  data: Hex;
  blockNumber: Hex | null;
  blockHash: Hash | null;
  transactionHash: Hash | null;
  transactionIndex: Hex | null;
  logIndex: Hex | null;
  removed?: boolean;
  readonly [field: string]: unknown;
}

/** `baseFeePerGas` (wei) has one entry more than there are blocks: that of the next block. */
export interface FeeHistory {
  oldestBlock: Hex;
  baseFeePerGas: readonly Hex[];
  /** 0 to 1, of each block. */
  gasUsedRatio: readonly number[];
  /** Tips of each block at the requested percentiles (wei). */
  reward?: readonly (readonly Hex[])[];
  readonly [field: string]: unknown;
}

export interface CallObject {
  from?: Address;
  to?: Address;
  gas?: Hex;
  gasPrice?: Hex;
  value?: Hex;
  data?: Hex;
}

/** The criteria of `eth_subscribe ["logs"]`, of filters and of `eth_getLogs`. */
export interface LogCriteria {
  address?: Address | readonly Address[];
  topics?: readonly (Hash | null | readonly (Hash | null)[])[];
}

export interface LogFilter extends LogCriteria {
  fromBlock?: BlockSelector;
  toBlock?: BlockSelector;
  blockHash?: Hash;
}

export interface SyncStatus {
  startingBlock: Hex;
  currentBlock: Hex;
  highestBlock: Hex;
}
