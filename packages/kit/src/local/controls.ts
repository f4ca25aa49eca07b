/// <reference lib="esnext.disposable" preserve="true" />
import type { Address, Hash } from '../../../../src/rpc/schema.js';
import type { Mining, ReorgOptions } from './chain.js';
import type { SyncStatus } from './context.js';
import type { Faults } from './faults.js';
import type { RequestLog } from './requests.js';

/**
 * Controls of the chain and of the mining node, for tests.
 *
 * @example
 * await service.controls.faucet(account, 10n ** 18n);
 * await service.controls.mine(3);
 * await service.controls.reorg(2, { transactions: 'dropped' });
 */
export interface Controls extends Faults {
  /** Mines `count` blocks (default 1). The first includes the pending transactions. */
  mine(count?: number): Promise<void>;
  /** Changes when blocks are mined. */
  setMining(mining: Mining): void;
  /** Reorganises the chain: orphans the newest `depth` blocks and mines a new branch. */
  reorg(depth: number, options?: ReorgOptions): Promise<void>;
  /** Announces a competing block at the head's height and resolves to its hash. Lossy filters report it. */
  sibling(): Promise<Hash>;
  /** Credits wei (default 10^18) without a transaction. Mines a block unless mining is manual. */
  faucet(address: Address, wei?: bigint): Promise<void>;
  /** Restarts the node: filters, pool and account quotas are lost, the chain is kept. */
  restart(): Promise<void>;
  /** Evicts pending transactions from the pool without any notice: all, or the one with this hash. */
  evictPending(hash?: Hash): Promise<void>;
  /** Sets the minimum gas price (wei) of all later blocks. The pool applies the head's. */
  setMinimumGasPrice(wei: bigint): void;
  /** Sets the daily quota, in calls per API key; null for no limit. */
  setQuota(perDay: number | null): void;
  /** Sets the result of `eth_syncing`. */
  setSyncing(status: SyncStatus): void;
  /** The number of installed filters. */
  filterCount(): number;
}

/** Options of `LocalService.addNode`. */
export interface NodeOptions {
  /** How many blocks the node is behind the chain's head. Default 0. */
  readonly lag?: number | undefined;
  /** TCP port on 127.0.0.1. Default 0, any free port. */
  readonly port?: number | undefined;
}

/**
 * Controls of an additional node, for tests.
 *
 * @example
 * const node = await service.addNode({ lag: 2 });
 * await node.controls.setLag(0);
 */
export interface NodeControls extends Faults {
  /**
   * Sets how many blocks the node is behind the chain's head. The node never moves back: with more lag it stays at its
   * block until the chain is that far ahead. Resolves when the node has processed the blocks it now sees.
   */
  setLag(blocks: number): Promise<void>;
  /** Turns the exchange of transactions with other nodes on (default) or off. */
  setGossip(on: boolean): void;
  /** Evicts pending transactions from this node's pool without any notice: all, or the one with this hash. */
  evictPending(hash?: Hash): Promise<void>;
  /** Restarts the node: its filters, pool and account quotas are lost. */
  restart(): Promise<void>;
}

/**
 * An additional node of the same chain with its own URL and the service's API keys. It does not mine.
 *
 * @example
 * const node = await service.addNode({ lag: 2 });
 * const networks = [{ chainId: 33, url: [service.url, node.url] }];
 */
export interface LocalNode extends AsyncDisposable {
  /** The URL with the first API key. */
  readonly url: string;
  /** On 127.0.0.1. */
  readonly port: number;
  /** The faults of this node. */
  readonly controls: NodeControls;
  /** The requests that this node received. */
  readonly requests: RequestLog;
  /** Stops this node. */
  close(): Promise<void>;
}

/**
 * A running local service.
 *
 * @example
 * const service = await createLocalService({ chainId: 31 });
 * const wallet = createWallet({ networks: [{ chainId: 31, url: service.url }] });
 * await service.close();
 */
export interface LocalService extends AsyncDisposable {
  /** The URL with the first API key, as a wallet's network option takes it. */
  readonly url: string;
  /** The URL without a key. */
  readonly baseUrl: string;
  /** On 127.0.0.1. */
  readonly port: number;
  /** As a number, such as 33. */
  readonly chainId: number;
  /** All keys that are accepted. */
  readonly apiKeys: readonly string[];
  /** The chain, and the faults of the mining node. */
  readonly controls: Controls;
  /** Starts an additional node of the same chain. Closing the service closes it too. */
  addNode(options?: NodeOptions): Promise<LocalNode>;
  /** The JSON-RPC calls that the mining node received. */
  readonly requests: RequestLog;
  /** Stops the service, its nodes and its EVM. */
  close(): Promise<void>;
}
