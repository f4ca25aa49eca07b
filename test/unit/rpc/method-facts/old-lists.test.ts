import { expect, test } from 'vitest';
import { methodFacts, methodNames, mustNotRepeat } from '../../../../src/rpc/method-facts/method-facts.js';
import { nodeRows } from '../../../../src/rpc/method-facts/node-rows.js';
import { unsupportedRows } from '../../../../src/rpc/method-facts/unsupported-rows.js';
import { asksPerson, isSend, personMethods } from '../../../../src/rpc/method-facts/wallet-facts.js';
import { walletRows } from '../../../../src/rpc/method-facts/wallet-rows.js';

const all = [
  ...methodNames,
  ...Object.keys(unsupportedRows),
  'eth_sendBundle',
  'evm_setTime',
  'wallet_addFoo',
  'eth_foo',
];
const facts = methodFacts;
const columns: Record<string, [RegExp | ((n: string) => boolean), (name: string) => unknown, string[]?]> = {
  once: [
    /^(eth_(send|submit|new|uninstall|getFilterChanges)|evm_|mnr_submit|personal_|sco_(un)?ban)/,
    mustNotRepeat,
  ],
  vital: [
    /^eth_(blockNumber|call|chainId|estimateGas|gasPrice|getB(alance|lockBy)|getCode|getLogs|getT|send)/,
    (n) => facts(n).isVital,
    [
      'eth_callMany',
      'eth_getTransactionBySenderAndNonce',
      'eth_sendRawTransactionSync',
      'eth_sendTransactionSync',
      'eth_sendBundle',
    ],
  ],
  executes: [/^eth_(call|estimateGas)$/, (n) => facts(n).effect === 'execute'],
  develops: [/^evm_/, (n) => facts(n).effect === 'develop'],
  sends: [/^eth_send/, isSend, ['wallet_sendCalls']],
  bridgeSends: [/^(eth_send|wallet_sendCalls)/, isSend],
  asks: [
    /^(eth_(sign|requestA|selectA)|personal_sign|wallet_(request|switch|add|watch|show))/,
    (n) => asksPerson(n),
    ['eth_sendTransaction', 'wallet_sendCalls', 'wallet_sendTransaction'],
  ],
  session: [
    /^(eth_accounts|eth_chainId|net_version|wallet_(getPermissions|revokePermissions|getCapabilities|getCallsStatus))$/,
    (n) => facts(n).isOfSession,
  ],
  subscription: [/^eth_(un)?subscribe$/, (n) => facts(n).follows === 'subscription'],
  following: [/^eth_(subscribe|new.*Filter)$/, (n) => facts(n).effect === 'follow'],
  afterClose: [/^eth_(sendRawTransaction|uninstallFilter)$/, (n) => facts(n).isSentAfterClose],
  transaction: [
    /^(eth_getTransaction(ByHash|Receipt)|trace_transaction)$/,
    (n) => facts(n).block === 'transaction',
  ],
  head: [/^eth_(blockNumber|gasPrice)$/, (n) => facts(n).block === 'head'],
  byTransaction: [
    /^eth_getTransaction(ByHash|Receipt)$/,
    (n) => facts(n).block === 'transaction' && facts(n).shows,
  ],
  item: [
    /AndIndex$/,
    (n) => facts(n).item,
    ['eth_getRawTransactionByBlockHashAndIndex', 'eth_getRawTransactionByBlockNumberAndIndex'],
  ],
  itemTransaction: [/^eth_getTransactionBy.*AndIndex$/, (n) => facts(n).item === 'transaction'],
  mayBeNull: [/CountBy|^rsk_|^trace_/, (n) => facts(n).mayBeNull],
  takesBlockHash: [
    /^eth_(call|get(Balance|Code|StorageAt|TransactionCount))$/,
    (n) => facts(n).takesBlockHash,
  ],
  shows: [
    /^eth_get(BlockBy(Number|Hash)|BlockReceipts|Transaction(By\w+|Receipt)|Logs)$/,
    (n) => facts(n).shows,
    ['eth_getTransactionBySenderAndNonce'],
  ],
  logs: [/Logs$/, (n) => facts(n).ranges === 'logs'],
  ranges: [
    /Logs$|Filter$/,
    (n) => facts(n).ranges || facts(n).follows === 'filter',
    ['eth_getFilterChanges', 'trace_filter', 'shh_newFilter', 'shh_uninstallFilter'],
  ],
};
test.each(Object.entries(columns))('%s', (_, [old, now, apart = []]) => {
  const was = (n: string) => (old instanceof RegExp ? old.test(n) : old(n));
  expect(all.filter((n) => was(n) !== Boolean(now(n))).sort()).toEqual([...apart].sort());
});
test('number', () => {
  const blocks = {
    eth_getBlockByNumber: 0,
    eth_getBlockByHash: 0,
    eth_getBlockTransactionCountByNumber: 0,
    eth_getBlockTransactionCountByHash: 0,
    eth_getUncleCountByBlockNumber: 0,
    eth_getUncleCountByBlockHash: 0,
    eth_getUncleByBlockNumberAndIndex: 0,
    eth_getUncleByBlockHashAndIndex: 0,
    eth_getTransactionByBlockNumberAndIndex: 0,
    eth_getTransactionByBlockHashAndIndex: 0,
    rsk_getRawBlockHeaderByNumber: 0,
    rsk_getRawBlockHeaderByHash: 0,
    trace_block: 0,
    eth_call: 1,
    eth_estimateGas: 1,
    eth_getBalance: 1,
    eth_getCode: 1,
    eth_getTransactionCount: 1,
    eth_getStorageAt: 2,
    eth_getProof: 2,
  };
  expect(
    Object.fromEntries(
      methodNames.filter((n) => typeof facts(n).block === 'number').map((n) => [n, facts(n).block]),
    ),
  ).toEqual(blocks);
  const withBlock = Object.keys(blocks);
  expect(withBlock.filter((n) => /Number/.test(n))).toEqual(
    withBlock.filter((n) => facts(n).namesBlockBy === 'number'),
  );
  expect(
    methodNames.filter((n) => /^eth_get(BlockByHash|BlockReceipts|TransactionByBlockHash)/.test(n)),
  ).toEqual(methodNames.filter((n) => facts(n).shows && /hash|either/.test(`${facts(n).namesBlockBy}`)));
});
test('lists', () => {
  expect([...personMethods].sort()).toEqual(
    [
      'eth_requestAccounts',
      'eth_selectAccounts',
      'eth_sendTransaction',
      'eth_signTransaction',
      'eth_sign',
      'personal_sign',
      'eth_signTypedData',
      'eth_signTypedData_v1',
      'eth_signTypedData_v3',
      'eth_signTypedData_v4',
      'wallet_requestPermissions',
      'wallet_switchEthereumChain',
      'wallet_addEthereumChain',
      'wallet_watchAsset',
      'wallet_sendCalls',
      'wallet_showCallsStatus',
    ].sort(),
  );
  const reads = [
    'eth_accounts',
    'eth_blockNumber',
    'eth_call',
    'eth_chainId',
    'eth_coinbase',
    'eth_estimateGas',
    'eth_feeHistory',
    'eth_gasPrice',
    'eth_getBalance',
    'eth_getBlockByHash',
    'eth_getBlockByNumber',
    'eth_getBlockReceipts',
    'eth_getBlockTransactionCountByHash',
    'eth_getBlockTransactionCountByNumber',
    'eth_getCode',
    'eth_getLogs',
    'eth_getProof',
    'eth_getStorageAt',
    'eth_getTransactionByBlockHashAndIndex',
    'eth_getTransactionByBlockNumberAndIndex',
    'eth_getTransactionByHash',
    'eth_getTransactionCount',
    'eth_getTransactionReceipt',
    'eth_getUncleByBlockHashAndIndex',
    'eth_getUncleByBlockNumberAndIndex',
    'eth_getUncleCountByBlockHash',
    'eth_getUncleCountByBlockNumber',
    'eth_hashrate',
    'eth_maxPriorityFeePerGas',
    'eth_mining',
    'eth_protocolVersion',
    'eth_syncing',
    'net_listening',
    'net_peerCount',
    'net_version',
    'rsk_getRawBlockHeaderByHash',
    'rsk_getRawBlockHeaderByNumber',
    'rsk_getRawTransactionReceiptByHash',
    'rsk_getTransactionReceiptNodesByHash',
    'rsk_protocolVersion',
    'web3_clientVersion',
    'web3_sha3',
  ];
  expect(methodNames.filter((n) => facts(n).isRelayed).sort()).toEqual(
    [...reads, 'eth_sendRawTransaction', 'eth_subscribe', 'eth_unsubscribe'].sort(),
  );
  const never = [
    'eth_getFilterChanges',
    'eth_getFilterLogs',
    'eth_newBlockFilter',
    'eth_newFilter',
    'eth_newPendingTransactionFilter',
    'eth_uninstallFilter',
  ];
  expect(methodNames.filter((n) => facts(n).follows === 'filter').sort()).toEqual(never.sort());
});
test('one row each', () => {
  const names = [...Object.keys(walletRows), ...Object.keys(nodeRows), ...Object.keys(unsupportedRows)];
  expect(names.filter((n, i) => names.indexOf(n) !== i)).toEqual([]);
});
