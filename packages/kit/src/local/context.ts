import type { Address, Hash, Hex } from '../../../../src/rpc/schema.js';
import type { Blocks } from './blocks.js';
import type { Chain } from './chain.js';
import type { Switches } from './dialect.js';
import type { Engine } from './engine.js';
import type { Failure } from './failure.js';
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
  /** The difficulty of every block. */
  readonly difficulty: bigint;
  readonly syncing: () => SyncStatus;
  /** A fake hash for the next reply to `eth_sendRawTransaction`; undefined for the true one. */
  readonly nextFakeHash: () => Hash | undefined;
  /** The reply to `eth_getTransactionCount`: the true count unless a fault overrides it. */
  readonly transactionCount: (truth: bigint, address: Address, block: unknown) => bigint;
}

/** The result of `eth_syncing`. */
export type SyncStatus = false | { startingBlock: Hex; currentBlock: Hex; highestBlock: Hex };

/** A JSON-RPC method: its number of parameters (docs/notes/node.md#number-of-params), and its handler. */
export interface Method {
  readonly min: number;
  readonly max: number;
  /** Whether the seed lets the last parameter be absent, which the node requires. */
  readonly isLastOptional: boolean;
  readonly handle: (params: readonly unknown[], context: Context) => unknown;
}

export type Methods = { readonly [method: string]: Method };

/** A method with the same number of parameters in both dialects: a count, or minimum and maximum. */
export const takes = (count: number | readonly [number, number], handle: Method['handle']): Method => {
  const [min, max] = typeof count === 'number' ? [count, count] : count;
  return { min, max, isLastOptional: false, handle };
};

/** A method whose last parameter is optional in the seed and required by the node. */
export const takesOptionally = (count: number, handle: Method['handle']): Method => ({
  ...takes(count, handle),
  isLastOptional: true,
});

/** A method that the node lists and refuses. */
export const refuses = (count: number, failure: () => Failure): Method =>
  takes(count, () => {
    throw failure();
  });
