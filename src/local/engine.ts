import type { Address, Hash, Hex } from '../rpc/schema.js';

/**
 * The EVM behind the local service: a chain that only moves when it is told to.
 *
 * `request` answers reads in Ethereum's own shapes and may be asked for: `eth_blockNumber`,
 * `eth_getBlockByHash`, `eth_getBlockByNumber`, `eth_getBlockReceipts`, `eth_getTransactionByHash`, `eth_getTransactionReceipt`,
 * `eth_getLogs`, `eth_getBalance`, `eth_getCode`, `eth_getStorageAt`, `eth_getTransactionCount`, `eth_call`,
 * `eth_estimateGas`, `eth_getProof`, `debug_traceCall`, `debug_traceTransaction`, `trace_transaction`,
 * `trace_filter`.
 * Block selectors it gets are `latest`, `pending` or a number. An engine without a method rejects with -32601.
 */
export interface Engine {
  /** @throws EngineError as the engine words it; `code` 3 is a revert with its payload in `data`. */
  request(method: string, params: readonly unknown[]): Promise<unknown>;
  /** Puts a signed transaction among those the next block takes. It passed the pool's rules already. */
  submit(raw: Hex): Promise<void>;
  /** Takes a submitted transaction back out; unknown hashes are ignored. */
  drop(hash: Hash): Promise<void>;
  /** Appends blocks; the first takes what was submitted, dearest first, as far as the gas limit allows. */
  mine(count: number): Promise<void>;
  /**
   * Removes the newest blocks with their state; their transactions are forgotten. Blocks mined after it have
   * other hashes than those that were removed, even with the same transactions in the same second.
   */
  rollback(depth: number): Promise<void>;
  /** Sets a balance in the head block's own state: a rollback to that block keeps it, below it forgets it. */
  setBalance(address: Address, wei: bigint): Promise<void>;
  /** Seconds added to every later block's timestamp. */
  increaseTime(seconds: number): Promise<void>;
  snapshot(): Promise<Hex>;
  /** Back to a snapshot; false when the id is unknown. */
  restore(id: Hex): Promise<boolean>;
  /** Back to the genesis block. */
  reset(): Promise<void>;
  close(): Promise<void>;
}

export interface EngineSettings {
  readonly chainId: number;
  readonly blockGasLimit: number;
  readonly miner: Address;
  /** Whether to keep every transaction's steps for `debug_traceTransaction`. Default false. */
  readonly steps?: boolean;
}

/** Starts an engine at block 0. */
export type StartEngine = (settings: EngineSettings) => Promise<Engine>;

/** What the engine refused, in its own words: the service turns it into the node's. */
export class EngineError extends Error {
  override readonly name = 'EngineError';
  readonly code: number;
  readonly data: unknown;

  constructor(code: number, message: string, data?: unknown) {
    super(message);
    this.code = code;
    this.data = data;
  }
}
