/**
 * Where the seed and the node behind it differ, and where neither shows what a service does. A dialect is a
 * full set of switches; every switch can be overridden alone.
 */
export interface Switches {
  /** Parameter counts: `optional` as the seed's table marks them, `exact` as the node (docs/notes/node.md#number-of-params). */
  readonly arity: 'optional' | 'exact';
  /** A reverting `eth_estimateGas`: the gas it used (docs/notes/service.md#methods-with-full-parameter-and-result-shape), or -32015 (docs/notes/node.md#gas-estimates). */
  readonly estimateGas: 'number' | 'error';
  /** An `eth_call` out of gas or at INVALID: result `0x` (docs/notes/node.md#reverts), or -32015. */
  readonly failedCall: 'empty' | 'error';
  /** `lossy`: log filters forget what was not polled before the next block, siblings are reported (docs/notes/node.md#filters-lose-and-invent). */
  readonly filters: 'kept' | 'lossy';
  /** `opaque`: 74 characters, `quantity`: `0x1`, `0x2`, … */
  readonly filterIds: 'opaque' | 'quantity';
  /** What a new log filter's first poll holds: nothing older than the filter, or every match so far (docs/notes/node.md#filters-lose-and-invent). */
  readonly firstPoll: 'since' | 'history';
  /** `removed` on the logs of `eth_getFilterChanges`, and reorganised logs reported again with `true`. */
  readonly removedField: boolean;
  /** `either`: within the block range or within the log count (docs/notes/service.md#limits); `both`: within both (docs/notes/node.md#log-ranges). */
  readonly logLimit: { readonly blocks: number; readonly logs: number; readonly rule: 'either' | 'both' };
  /** `node`: a backward range gives the logs of `toBlock`, `toBlock: "earliest"` is the head (docs/notes/node.md#log-ranges). */
  readonly logRange: 'plain' | 'node';
  /** The REMASC transaction at the end of every block (docs/notes/node.md#remasc). */
  readonly remasc: boolean;
  /** The `pending` tag with the five methods of the seed's rule 6. */
  readonly pendingTag: 'refused' | 'answered';
  /** `eth_pendingTransactions`: the pool with an all-zero `blockHash` (docs/notes/service.md#transaction-object), or `[]` (docs/notes/node.md#where-the-node-differs-from-the-description). */
  readonly pendingTransactions: 'pool' | 'none';
  /** Lookups in an unknown block: `null` (docs/notes/service.md#errors), or the node's errors (docs/notes/node.md#unknown-blocks). */
  readonly unknownBlock: 'null' | 'refused';
  /** The block fields that only the node has: `mixHash`, `rskPteEdges`, `baseEvent`. */
  readonly nodeFields: boolean;
  /** The `nonce` of blocks: absent as in the seed's own example, or the node's zeros (docs/notes/node.md#where-the-node-differs-from-the-description). */
  readonly blockNonce: 'absent' | 'zero';
  /** The extra `_id` of the two by-index lookups (docs/notes/service.md#transaction-object). */
  readonly lookupId: boolean;
  /** Receipts carry `root` instead of `status`. */
  readonly receiptRoot: boolean;
  /** Whether an account's virtual gas limits what it may send: `account exceeds quota`. */
  readonly accountQuota: boolean;
  /** `outcome`: a send is answered as by a node that mines each transaction at once, with what became of it. */
  readonly sendReplies: 'hash' | 'outcome';
  /** `node`: connections close after each reply, replies are compressed on request, refusals are bare lines. */
  readonly wire: 'front' | 'node';
  /** `default`: debug, trace, sco and mnr are off, as the node ships; a list names those that are on. */
  readonly modules: 'all' | 'default' | readonly string[];
  /** `eth_getProof`, `eth_getWork`, `eth_submitWork`, `eth_submitHashrate`: the node has none of them (docs/notes/node.md#where-the-node-differs-from-the-description). */
  readonly unlisted: 'answered' | 'absent';
}

export type Dialect = 'seed' | 'node';

export const dialects: { readonly [name in Dialect]: Switches } = {
  seed: {
    arity: 'optional',
    estimateGas: 'number',
    failedCall: 'empty',
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
