import type { Address, Hash, Hex } from '../../../../src/rpc/schema.js';

/**
 * The EVM behind the local service: a chain that mines only on demand.
 *
 * `request` returns Ethereum's shapes and is called with these methods: `eth_blockNumber`,
 * `eth_getBlockByHash`, `eth_getBlockByNumber`, `eth_getBlockReceipts`, `eth_getTransactionByHash`, `eth_getTransactionReceipt`,
 * `eth_getLogs`, `eth_getBalance`, `eth_getCode`, `eth_getStorageAt`, `eth_getTransactionCount`, `eth_call`,
 * `eth_estimateGas`, `eth_getProof`, `debug_traceCall`, `debug_traceTransaction`, `trace_transaction`,
 * `trace_filter`.
 * Block selectors are `latest`, `pending` or a number. For a method that it lacks, an engine rejects with code -32601.
 *
 * @example
 * const heightOf = async (engine: Engine) => Number(await engine.request('eth_blockNumber', []));
 * const mineTo = async (engine: Engine, height: number) => engine.mine(height - (await heightOf(engine)));
 */
export interface Engine {
  /**
   * Answers one read or dry run.
   * @throws EngineError with the engine's message. Code 3 is a revert, with its payload in `data`.
   */
  request(method: string, params: readonly unknown[]): Promise<unknown>;
  /** Adds a signed transaction to those of the next block. The pool has already checked it. */
  submit(raw: Hex): Promise<void>;
  /** Removes a submitted transaction. Unknown hashes are ignored. */
  drop(hash: Hash): Promise<void>;
  /** Appends blocks. The first includes the submitted transactions by descending gas price, up to the gas limit. */
  mine(count: number): Promise<void>;
  /**
   * Removes the newest blocks with their state and transactions. Blocks mined afterwards have other hashes than the
   * removed ones, even with the same transactions in the same second.
   */
  rollback(depth: number): Promise<void>;
  /** Sets a balance in the state of the head block. A rollback to that block keeps it, a deeper one loses it. */
  setBalance(address: Address, wei: bigint): Promise<void>;
  /** Whether its blocks keep the hashes that it gives them. Default: they get Rootstock's, with roots and proof of work. */
  readonly keepsHashes?: boolean;
  /** Sets an account's nonce in the state of the head block. Without it, contracts keep the nonces of Ethereum's EVM. */
  setNonce?(address: Address, nonce: Hex): Promise<void>;
  /** Adds seconds to the timestamps of all later blocks. */
  increaseTime(seconds: number): Promise<void>;
  /** Saves the chain and returns an id for `restore`. */
  snapshot(): Promise<Hex>;
  /** Restores a snapshot; false when the id is unknown. */
  restore(id: Hex): Promise<boolean>;
  /** Restores the genesis block. */
  reset(): Promise<void>;
  /** Ends the engine. */
  close(): Promise<void>;
}

/** How an engine is started. */
export interface EngineSettings {
  /** As a number, such as 33. */
  readonly chainId: number;
  /** The gas that the transactions of a block may use together. */
  readonly blockGasLimit: number;
  /** Recipient of the fees. */
  readonly miner: Address;
  /** Whether to record every transaction's execution steps for `debug_traceTransaction`. Default false. */
  readonly steps?: boolean | undefined;
  /** Contracts of the genesis block: runtime code by address. Default none. */
  readonly contracts?: Readonly<Record<Address, Hex>> | undefined;
}

/** Starts an engine at block 0. */
export type StartEngine = (settings: EngineSettings) => Promise<Engine>;

/** An error of the engine. The service translates it into the node's. */
export class EngineError extends Error {
  /** The same for all of them. */
  override readonly name = 'EngineError';
  /** As in JSON-RPC; 3 for a revert. */
  readonly code: number;
  /** The payload of a revert, hexadecimal. */
  readonly data: unknown;

  /** For an engine of your own. */
  constructor(code: number, message: string, data?: unknown) {
    super(message);
    this.code = code;
    this.data = data;
  }
}
