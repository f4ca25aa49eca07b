import type { Address, Hash } from '../rpc/schema.js';
import type { Mining, ReorgOptions } from './chain.js';
import type { SyncWord } from './context.js';
import type { Faults } from './faults.js';
import type { RequestLog } from './requests.js';

/** What a test may do to the chain and the node. */
export interface Controls extends Faults {
  /** Blocks at once; the first takes what is pending. */
  mine(count?: number): Promise<void>;
  setMining(mining: Mining): void;
  /** A real reorganisation: the newest `depth` blocks leave, others take their place. */
  reorg(depth: number, options?: ReorgOptions): Promise<void>;
  /** A block beside the head, seen by lossy filters and by its hash; resolves to that hash. */
  sibling(): Promise<Hash>;
  /** Credits wei (one coin unless told), without a transaction; mines a block unless mining is manual. */
  faucet(address: Address, wei?: bigint): Promise<void>;
  /** A restarted node: filters, the pool and account quotas are gone, the chain is kept. */
  restart(): Promise<void>;
  /** The pool forgets pending transactions without a word: all, or the one. */
  evictPending(hash?: Hash): Promise<void>;
  /** The minimum gas price (wei) of every later block; the pool follows the head's. */
  setMinimumGasPrice(wei: bigint): void;
  /** Calls per key and day; null for no limit. */
  setQuota(perDay: number | null): void;
  setSyncing(status: SyncWord): void;
  /** Filters installed now. */
  filterCount(): number;
}

export interface NodeOptions {
  /** Blocks that the node is behind the chain's head. Default 0. */
  readonly lag?: number;
  /** Default 0: any free one. */
  readonly port?: number;
}

/** What a test may do to one node beside the mining one. */
export interface NodeControls extends Faults {
  /**
   * Blocks that the node stays behind the chain's head from now on. It never goes back: more lag holds it where
   * it is until the chain is that far ahead. Resolves when the node has taken in the blocks it now sees.
   */
  setLag(blocks: number): Promise<void>;
  /** Off: it relays no transactions and receives none from other nodes. Default on. */
  setGossip(on: boolean): void;
  /** Its own pool forgets pending transactions without a word: all, or the one. */
  evictPending(hash?: Hash): Promise<void>;
  /** Its filters, its pool and its account quotas are gone. */
  restart(): Promise<void>;
}

/** Another node of the same chain, at its own address, with the service's keys. It mines nothing. */
export interface LocalNode extends AsyncDisposable {
  /** With the first API key. */
  readonly url: string;
  readonly port: number;
  readonly controls: NodeControls;
  /** What this node was asked. */
  readonly requests: RequestLog;
  close(): Promise<void>;
}

export interface LocalService extends AsyncDisposable {
  /** With the first API key: what a wallet is given. */
  readonly url: string;
  readonly baseUrl: string;
  readonly port: number;
  readonly chainId: number;
  readonly apiKeys: readonly string[];
  readonly controls: Controls;
  /** Starts another node of the same chain; the service's end is also its end. */
  addNode(options?: NodeOptions): Promise<LocalNode>;
  /** What was asked, JSON-RPC call by call. */
  readonly requests: RequestLog;
  close(): Promise<void>;
}
