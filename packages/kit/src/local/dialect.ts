import type { HeaderVersion } from '../../../../src/proof/header.js';

/**
 * The behaviours in which a hosted service as its description (the "seed", docs/notes/service.md) has it differs from
 * the open-source node (docs/notes/node.md), and some in which either may vary. A dialect is a full set of switches, of
 * which `createLocalService` can override each.
 */
export interface Switches {
  /** Number of parameters: `optional` allows the seed's optional ones to be absent, `exact` requires the node's number (docs/notes/node.md#number-of-params). */
  readonly arity: 'optional' | 'exact';
  /** The reply to an `eth_estimateGas` that reverts: the gas used (docs/notes/service.md#methods-with-full-parameter-and-result-shape), or error -32015 (docs/notes/node.md#gas-estimates). */
  readonly estimateGas: 'number' | 'error';
  /** The reply to an `eth_call` that runs out of gas or reaches INVALID: the result `0x` (docs/notes/node.md#reverts), or error -32015. */
  readonly failedCall: 'empty' | 'error';
  /** `rootstock`: dry runs, traces and nonces of new contracts are corrected where Rootstock's EVM differs from the engine's (docs/notes/node.md#the-evm). */
  readonly evm: 'ethereum' | 'rootstock';
  /** `lossy`: log filters lose what was not polled before the next block, and report competing blocks (docs/notes/node.md#filters-lose-and-invent). */
  readonly filters: 'kept' | 'lossy';
  /** `opaque`: 74 characters. `quantity`: `0x1`, `0x2`, … */
  readonly filterIds: 'opaque' | 'quantity';
  /** The first poll of a log filter: only logs since its creation, or all matching logs so far (docs/notes/node.md#filters-lose-and-invent). */
  readonly firstPoll: 'since' | 'history';
  /** Whether logs of `eth_getFilterChanges` have a `removed` field, and orphaned logs are reported again with `removed: true`. */
  readonly removedField: boolean;
  /**
   * Limits of `eth_getLogs`. `either`: a query may exceed one of them (docs/notes/service.md#limits). `both`: it may
   * exceed neither (docs/notes/node.md#log-ranges).
   */
  readonly logLimit: { readonly blocks: number; readonly logs: number; readonly rule: 'either' | 'both' };
  /** `node`: a backward range returns the logs of `toBlock`, and `toBlock: "earliest"` means the head (docs/notes/node.md#log-ranges). */
  readonly logRange: 'plain' | 'node';
  /** Whether every block ends with a REMASC transaction (docs/notes/node.md#remasc). */
  readonly remasc: boolean;
  /** The `pending` tag in the five methods of the seed's rule 6: error -32201, or a result. */
  readonly pendingTag: 'refused' | 'answered';
  /** `eth_pendingTransactions`: the pool, with an all-zero `blockHash` (docs/notes/service.md#transaction-object), or `[]` (docs/notes/node.md#where-the-node-differs-from-the-description). */
  readonly pendingTransactions: 'pool' | 'none';
  /** The reply to a lookup in an unknown block: `null` (docs/notes/service.md#errors), or the node's errors (docs/notes/node.md#unknown-blocks). */
  readonly unknownBlock: 'null' | 'refused';
  /** The version of block headers (RSKIP-351): 0 on mainnet, 1 and 2 on testnet in turn. A block's hash depends on it. */
  readonly headerVersion: HeaderVersion;
  /** Whether blocks have the node's additional fields `mixHash`, `rskPteEdges` and `baseEvent`. */
  readonly nodeFields: boolean;
  /** The `nonce` of blocks: absent, as in the seed's example, or zeros, as in the node (docs/notes/node.md#where-the-node-differs-from-the-description). */
  readonly blockNonce: 'absent' | 'zero';
  /** Whether the two by-index lookups add a field `_id` (docs/notes/service.md#transaction-object). */
  readonly lookupId: boolean;
  /** Whether receipts have `root` instead of `status`. */
  readonly receiptRoot: boolean;
  /** Whether senders are rate-limited by virtual gas, with the error `account exceeds quota`. */
  readonly accountQuota: boolean;
  /** `outcome`: the reply to a send is the outcome of execution, as by a development node that mines each transaction at once. */
  readonly sendReplies: 'hash' | 'outcome';
  /** `node`: connections close after each reply, replies may be compressed, and rejections are bare status lines. */
  readonly wire: 'front' | 'node';
  /** `default`: the modules debug, trace, sco and mnr are off, as in the node's default configuration. A list names those that are on. */
  readonly modules: 'all' | 'default' | readonly string[];
  /** Whether `eth_getProof`, `eth_getWork`, `eth_submitWork` and `eth_submitHashrate` exist. The node lacks them (docs/notes/node.md#where-the-node-differs-from-the-description). */
  readonly unlisted: 'answered' | 'absent';
}

/** `seed`: the hosted service as described. `node`: the open-source node, RSKj. */
export type Dialect = 'seed' | 'node';

/** The switches of each dialect. */
export const dialects: { readonly [name in Dialect]: Switches } = {
  seed: {
    arity: 'optional',
    estimateGas: 'number',
    failedCall: 'empty',
    evm: 'ethereum',
    filters: 'kept',
    filterIds: 'opaque',
    firstPoll: 'since',
    removedField: true,
    logLimit: { blocks: 2000, logs: 10_000, rule: 'either' },
    logRange: 'plain',
    remasc: false,
    pendingTag: 'refused',
    pendingTransactions: 'pool',
    unknownBlock: 'null',
    headerVersion: 0,
    nodeFields: false,
    blockNonce: 'absent',
    lookupId: true,
    receiptRoot: false,
    wire: 'front',
    accountQuota: false,
    sendReplies: 'hash',
    modules: 'all',
    unlisted: 'answered',
  },
  node: {
    arity: 'exact',
    estimateGas: 'error',
    failedCall: 'empty',
    evm: 'rootstock',
    filters: 'lossy',
    filterIds: 'opaque',
    firstPoll: 'history',
    removedField: false,
    logLimit: { blocks: 5001, logs: 20_000, rule: 'both' },
    logRange: 'node',
    remasc: true,
    pendingTag: 'answered',
    pendingTransactions: 'none',
    unknownBlock: 'refused',
    headerVersion: 2,
    nodeFields: true,
    blockNonce: 'zero',
    lookupId: false,
    receiptRoot: false,
    wire: 'node',
    accountQuota: true,
    sendReplies: 'hash',
    modules: 'default',
    unlisted: 'absent',
  },
};

/** Modules that the node has off by default (docs/notes/node.md#modules). */
export const optionalModules: readonly string[] = ['debug', 'trace', 'sco', 'mnr'];

/** The optional modules that are on. */
export const modulesOn = ({ modules }: Switches): readonly string[] => {
  if (modules === 'default') return [];
  return modules === 'all' ? optionalModules : modules;
};
