import { logFilter } from '../rpc/criteria.js';
import { noParams } from '../rpc/no-params.js';
import { boolean, hash, index, optional, positions } from '../rpc/params.js';
import {
  checkBlock,
  isBlockAt,
  isBlockNumber,
  isBlockWithHash,
  isLogs,
  isQuantityOrNull,
  isTransaction,
} from '../rpc/results.js';
import type { Block, BlockSelector, Hash, Hex, Log, LogFilter, Transaction } from '../rpc/schema.js';
import { blockSelector } from '../rpc/selectors.js';
import { forwarded } from './method.js';

export const eth_blockNumber = forwarded<[], Hex>()(noParams, isBlockNumber);

export const eth_getBlockByNumber = forwarded<[block: BlockSelector, full?: boolean], Block | null>()(
  positions(blockSelector, optional(boolean, false)),
  isBlockAt,
);

export const eth_getBlockByHash = forwarded<[hash: Hash, full?: boolean], Block | null>()(
  positions(hash, optional(boolean, false)),
  isBlockWithHash,
);

export const eth_getBlockTransactionCountByHash = forwarded<[hash: Hash], Hex | null>()(
  positions(hash),
  isQuantityOrNull,
);

export const eth_getBlockTransactionCountByNumber = forwarded<[block: BlockSelector], Hex | null>()(
  positions(blockSelector),
  isQuantityOrNull,
);

export const eth_getUncleCountByBlockHash = forwarded<[hash: Hash], Hex | null>()(
  positions(hash),
  isQuantityOrNull,
);

export const eth_getUncleCountByBlockNumber = forwarded<[block: BlockSelector], Hex | null>()(
  positions(blockSelector),
  isQuantityOrNull,
);

/** Block-shaped, without transactions. */
export const eth_getUncleByBlockHashAndIndex = forwarded<[hash: Hash, index: Hex], Block | null>()(
  positions(hash, index),
  (result) => checkBlock(result),
);

/** Block-shaped, without transactions. */
export const eth_getUncleByBlockNumberAndIndex = forwarded<
  [block: BlockSelector, index: Hex],
  Block | null
>()(positions(blockSelector, index), (result) => checkBlock(result));

/** May carry the service's own `_id` (seed, "Transaction object"): passed on as received. */
export const eth_getTransactionByBlockHashAndIndex = forwarded<
  [hash: Hash, index: Hex],
  Transaction | null
>()(positions(hash, index), isTransaction);

export const eth_getTransactionByBlockNumberAndIndex = forwarded<
  [block: BlockSelector, index: Hex],
  Transaction | null
>()(positions(blockSelector, index), isTransaction);

/** The latest block's logs where no range is given (seed, Endpoints rule 3). */
export const eth_getLogs = forwarded<[filter: LogFilter], readonly Log[]>()(positions(logFilter), isLogs);
