import type { Address, Block, Hash, Hex, Log, Transaction } from '../rpc/schema.js';
import type { Chain, StoredBlock } from './chain.js';
import type { Switches } from './dialect.js';
import type { Engine } from './engine.js';
import type { Filters } from './filters.js';
import type { Pool } from './pool.js';

/** What a method of the service may use. */
export interface Context {
  readonly chainId: number;
  /** Whom blocks are mined for. */
  readonly miner: Address;
  readonly switches: Switches;
  readonly engine: Engine;
  readonly chain: Chain;
  readonly pool: Pool;
  readonly filters: Filters;
  readonly blocks: Blocks;
  readonly minimumGasPrice: (atBlock?: number) => bigint;
  readonly syncing: () => SyncWord;
  /** The next replies to `eth_sendRawTransaction` are asked for here; undefined is the true hash. */
  readonly hashReply: () => Hash | undefined;
  /** What `eth_getTransactionCount` says of the true count. */
  readonly transactionCount: (truth: bigint, address: Address, block: unknown) => bigint;
}

export type SyncWord = false | { startingBlock: Hex; currentBlock: Hex; highestBlock: Hex };

/** Reads of blocks in the seed's shape. */
export interface Blocks {
  byNumber(number: number, full: boolean): Promise<Block | null>;
  byHash(hash: Hash, full: boolean): Promise<Block | null>;
  pending(full: boolean): Promise<Block>;
  /** A transaction of the pool with its place in the candidate block. */
  waiting(index: number): Promise<Transaction | null>;
  /** As the engine has it, or beside the chain; null when unknown. */
  find(at: number | Hash): Promise<StoredBlock['block'] | null>;
  logs(hash: Hash): Promise<readonly Log[]>;
  /** The block of the chain whose REMASC transaction has this hash. */
  ofRemasc(hash: Hash): Promise<StoredBlock['block'] | null>;
  transactionAt(block: Block, index: number): Transaction | null;
}

/** One JSON-RPC method: how many parameters it takes in each dialect, and its answer. */
export interface Method {
  /** Fewest and most, with the seed's optional parameters optional. */
  readonly optional: readonly [number, number];
  /** Fewest and most for the node (docs/notes/node.md#number-of-params). */
  readonly exact: readonly [number, number];
  /** The node's module that is off by default. */
  readonly offByDefault?: true;
  readonly disabled?: true;
  readonly answer: (params: readonly unknown[], context: Context) => unknown;
}

export type Methods = { readonly [method: string]: Method };

/** A method whose parameter count is the same in both dialects. */
export const takes = (count: number | readonly [number, number], answer: Method['answer']): Method => {
  const range = typeof count === 'number' ? ([count, count] as const) : count;
  return { optional: range, exact: range, answer };
};

/** A method whose last parameters are optional in the seed and required by the node. */
export const takesOptionally = (
  optional: readonly [number, number],
  exact: number | readonly [number, number],
  answer: Method['answer'],
): Method => ({ optional, exact: typeof exact === 'number' ? [exact, exact] : exact, answer });

/** A method of a module that the node ships switched off (docs/notes/node.md#modules). */
export const off = (method: Method): Method => ({ ...method, offByDefault: true });

/** A single method that the node ships switched off; nothing switches it on here. */
export const disabled = (count: number): Method => ({ ...takes(count, () => null), disabled: true });
