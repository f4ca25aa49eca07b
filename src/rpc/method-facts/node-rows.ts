import type { MethodFacts } from './row.js';

/** Reads that go to the service, or that the wallet computes from such reads. */
// biome-ignore format: one row, one line
export const nodeRows = {
  // The state at a block. `null` at a block that is named says that the node lacks it.
  eth_call: { block: 1, takesBlockHash: true, effect: 'execute', isVital: true, check: 'any-data', isRelayed: true },
  eth_estimateGas: { block: 1, effect: 'execute', isVital: true, check: 'number', isRelayed: true },
  eth_getBalance: { block: 1, takesBlockHash: true, isVital: true, check: 'number', isRelayed: true },
  eth_getCode: { block: 1, takesBlockHash: true, isVital: true, check: 'code', isRelayed: true },
  eth_getProof: { block: 2, check: 'proof', isRelayed: true },
  eth_getStorageAt: { block: 2, takesBlockHash: true, check: 'word', isRelayed: true },
  eth_getTransactionCount: { block: 1, takesBlockHash: true, isVital: true, check: 'number', isRelayed: true },

  // Blocks and what is in them.
  eth_blockNumber: { block: 'head', isVital: true, check: 'block-number', isRelayed: true },
  eth_getBlockByHash: { block: 0, namesBlockBy: 'hash', shows: 'block', isVital: true, check: 'block-with-hash', isRelayed: true },
  eth_getBlockByNumber: { block: 0, namesBlockBy: 'number', shows: 'block', isVital: true, check: 'block-at', isRelayed: true },
  eth_getBlockReceipts: { namesBlockBy: 'either', shows: 'transactions', isRelayed: true },
  eth_getBlockTransactionCountByHash: { block: 0, namesBlockBy: 'hash', countsTransactions: true, mayBeNull: true, check: 'quantity-or-null', isRelayed: true },
  eth_getBlockTransactionCountByNumber: { block: 0, namesBlockBy: 'number', countsTransactions: true, mayBeNull: true, check: 'quantity-or-null', isRelayed: true },
  eth_getLogs: { block: 'range', ranges: 'logs', shows: 'logs', isVital: true, check: 'logs', isRelayed: true },
  eth_getTransactionByBlockHashAndIndex: { block: 0, namesBlockBy: 'hash', item: 'transaction', shows: 'transactions', isVital: true, check: 'transaction-at', isRelayed: true },
  eth_getTransactionByBlockNumberAndIndex: { block: 0, namesBlockBy: 'number', item: 'transaction', shows: 'transactions', isVital: true, check: 'transaction-at', isRelayed: true },
  eth_getTransactionByHash: { block: 'transaction', shows: 'transactions', isVital: true, check: 'transaction-with-hash', isRelayed: true },
  eth_getTransactionReceipt: { block: 'transaction', shows: 'transactions', isVital: true, check: 'receipt', isRelayed: true },
  eth_getUncleByBlockHashAndIndex: { block: 0, namesBlockBy: 'hash', item: 'uncle', check: 'uncle', isRelayed: true },
  eth_getUncleByBlockNumberAndIndex: { block: 0, namesBlockBy: 'number', item: 'uncle', check: 'uncle', isRelayed: true },
  eth_getUncleCountByBlockHash: { block: 0, namesBlockBy: 'hash', mayBeNull: true, check: 'quantity-or-null', isRelayed: true },
  eth_getUncleCountByBlockNumber: { block: 0, namesBlockBy: 'number', mayBeNull: true, check: 'quantity-or-null', isRelayed: true },
  rsk_getRawBlockHeaderByHash: { block: 0, namesBlockBy: 'hash', mayBeNull: true, check: 'data-or-null', isRelayed: true },
  rsk_getRawBlockHeaderByNumber: { block: 0, namesBlockBy: 'number', mayBeNull: true, check: 'data-or-null', isRelayed: true },
  rsk_getRawTransactionReceiptByHash: { mayBeNull: true, check: 'data-or-null', isRelayed: true },
  rsk_getTransactionReceiptNodesByHash: { mayBeNull: true, check: 'data-list-or-null', isRelayed: true },
  trace_block: { block: 0, mayBeNull: true },
  trace_filter: { ranges: 'traces', mayBeNull: true },
  trace_transaction: { block: 'transaction', mayBeNull: true },

  // Prices.
  eth_feeHistory: { check: 'fee-history', isRelayed: true },
  eth_gasPrice: { block: 'head', isVital: true, check: 'number', isRelayed: true },
  eth_maxPriorityFeePerGas: { check: 'number', isRelayed: true },

  // The node itself.
  debug_traceBlockByHash: {},
  debug_traceTransaction: {},
  debug_wireProtocolQueueSize: { check: 'quantity' },
  eth_bridgeState: {},
  eth_coinbase: { check: 'address', isRelayed: true },
  eth_hashrate: { check: 'quantity', isRelayed: true },
  eth_mining: { check: 'boolean', isRelayed: true },
  eth_netHashrate: {},
  eth_pendingTransactions: { check: 'transactions' },
  eth_protocolVersion: { check: 'quantity', isRelayed: true },
  eth_syncing: { check: 'sync-status', isRelayed: true },
  net_listening: { check: 'boolean', isRelayed: true },
  net_peerCount: { check: 'quantity', isRelayed: true },
  net_peerList: { check: 'texts' },
  rsk_protocolVersion: { mayBeNull: true, check: 'quantity', isRelayed: true },
  txpool_content: {},
  txpool_inspect: {},
  txpool_status: {},
  web3_clientVersion: { check: 'text', isRelayed: true },
  web3_sha3: { isRelayed: true },
} satisfies Readonly<Record<string, MethodFacts>>;
