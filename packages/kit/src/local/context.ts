import type { Address, Block, Hash, Hex, Log, Transaction } from '../../../../src/rpc/schema.js';
import type { Chain, StoredBlock } from './chain.js';
import type { Switches } from './dialect.js';
import type { Engine } from './engine.js';
import type { Filters } from './filters.js';
import type { Pool } from './pool.js';

/** The parts of a node that its methods use. */
export interface Context {
  readonly chainId: number;
  /** The miner's address in blocks. */
  readonly miner: Address;
  readonly switches: Switches;
  readonly engine: Engine;
  readonly chain: Chain;
  readonly pool: Pool;
  readonly filters: Filters;
  readonly blocks: Blocks;
  readonly minimumGasPrice: (atBlock?: number) => bigint;
  readonly syncing: () => SyncStatus;
  /** A fake hash for the next reply to `eth_sendRawTransaction`; undefined for the true one. */
  readonly nextFakeHash: () => Hash | undefined;
  /** The reply to `eth_getTransactionCount`: the true count unless a fault overrides it. */
  readonly transactionCount: (truth: bigint, address: Address, block: unknown) => bigint;
}

/** The result of `eth_syncing`. */
export type SyncStatus = false | { startingBlock: Hex; currentBlock: Hex; highestBlock: Hex };

/** Reads of blocks in the seed's shape. */
export interface Blocks {
  byNumber(number: number, full: boolean): Promise<Block | null>;
  byHash(hash: Hash, full: boolean): Promise<Block | null>;
  pending(full: boolean): Promise<Block>;
  /** The pending transaction at an index of the candidate block. */
  pooled(index: number): Promise<Transaction | null>;
  /** The block as the engine has it, or a non-canonical one; null when unknown. */
  find(at: number | Hash): Promise<StoredBlock['block'] | null>;
  logs(hash: Hash): Promise<readonly Log[]>;
  /** The canonical block whose REMASC transaction has this hash. */
  byRemascHash(hash: Hash): Promise<StoredBlock['block'] | null>;
  transactionAt(block: Block, index: number): Transaction | null;
}

/** A JSON-RPC method: its number of parameters in each dialect, and its handler. */
export interface Method {
  /** Minimum and maximum number of parameters in the seed. */
  readonly optional: readonly [number, number];
  /** Minimum and maximum number of parameters in the node (docs/notes/node.md#number-of-params). */
  readonly exact: readonly [number, number];
  /** Set for a method of a module that the node has off by default. */
  readonly offByDefault?: true | undefined;
  /** Set for a single method that is always off. */
  readonly disabled?: true | undefined;
  readonly handle: (params: readonly unknown[], context: Context) => unknown;
}

export type Methods = { readonly [method: string]: Method };

/** A method with the same number of parameters in both dialects: a count, or minimum and maximum. */
export const takes = (count: number | readonly [number, number], handle: Method['handle']): Method => {
  const range = typeof count === 'number' ? ([count, count] as const) : count;
  return { optional: range, exact: range, handle };
};

/** A method with parameters that are optional in the seed and required by the node. */
export const takesOptionally = (
  optional: readonly [number, number],
  exact: number | readonly [number, number],
  handle: Method['handle'],
): Method => ({ optional, exact: typeof exact === 'number' ? [exact, exact] : exact, handle });

/** Marks a method of a module that is off by default (docs/notes/node.md#modules). */
export const off = (method: Method): Method => ({ ...method, offByDefault: true });

/** A method that the node has off, which no switch turns on here. */
export const disabled = (count: number): Method => ({ ...takes(count, () => null), disabled: true });
