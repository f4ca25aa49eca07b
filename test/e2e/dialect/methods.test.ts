import { expect, test } from 'vitest';
import { alice, nobody, word } from '../../support/local-client.js';
import { failsWith, inBothDialects, type Row, returns, testRows } from './rows.js';

/** docs/notes/node.md#methods: what each method takes and returns, and which of them a page has not. */

const both = (said: Row['seed']) => ({ seed: said, node: said });
const off = (method: string) => failsWith(-32601, `the method ${method} does not exist/is not available`);
const quantity = expect.stringMatching(/^0x(0|[1-9a-f][0-9a-f]*)$/);
const data = expect.stringMatching(/^0x([0-9a-f]{2})*$/);

/** A result that is forwarded. */
const passed = (method: string, result: unknown, ...params: unknown[]): Row => ({
  section: 'docs/notes/node.md#modules',
  title: `${method} is forwarded`,
  ask: [method, ...params],
  ...both(returns(result)),
  page: returns(result),
});

/** A result that is forwarded and depends on the dialect: a hosted node, or a development node. */
const byDialect = (method: string, seed: unknown, node: unknown): Row => ({
  section: 'docs/notes/node.md#modules',
  title: `${method} is forwarded`,
  ask: [method],
  seed: returns(seed),
  node: returns(node),
  page: ({ dialect }) => returns(dialect === 'seed' ? seed : node),
});

const waiting = {
  blockHash: `0x${word(0)}`,
  blockNumber: null,
  transactionIndex: null,
  nonce: '0x8',
  to: nobody,
};
const sender = alice.address.slice(2).toLowerCase();

testRows([
  passed('web3_clientVersion', expect.stringMatching(/^RskJ\//)),
  passed('net_version', '33'),
  passed('net_listening', true),
  byDialect('net_peerCount', '0x2', '0x0'),
  byDialect('net_peerList', [expect.stringContaining(' | '), expect.stringContaining(' | ')], []),
  passed('eth_chainId', '0x21'),
  passed('eth_protocolVersion', '0x3e'),
  passed('eth_syncing', false),
  byDialect('eth_coinbase', `0x${'0'.repeat(40)}`, '0x1fab9a0e24ffc209b01faa5a61ad4366982d0b7f'),
  passed('eth_mining', false),
  passed('eth_hashrate', '0x0'),
  passed('eth_accounts', []),
  passed('eth_blockNumber', '0x2'),
  passed('eth_bridgeState', { rskTxsWaitingForSignatures: [], btcBlockchainBestChainHeight: 0 }),
  passed('eth_netHashrate', 0),
  passed('rsk_protocolVersion', '0x3e'),
  passed('rsk_getRawBlockHeaderByNumber', data, 'latest'),
  passed('rsk_getRawTransactionReceiptByHash', null, `0x${word(1)}`),
  passed('txpool_status', { pending: 1, queued: 0 }),
  passed('txpool_inspect', {
    pending: { [sender]: { 8: [expect.stringMatching(/^9+: 1 wei \+ 21000 x 65000000 gas$/)] } },
    queued: {},
  }),
  passed('txpool_content', { pending: { [sender]: { 8: [expect.objectContaining(waiting)] } }, queued: {} }),
  ...['debug_traceTransaction', 'trace_transaction'].map(
    (method): Row => ({
      section: 'docs/notes/node.md#modules',
      title: `${method}, of a module that the node has off, is forwarded`,
      ask: ({ chain }) => [method, chain.logging],
      seed: returns(expect.anything()),
      node: off(method),
      page: ({ dialect }) =>
        dialect === 'seed' ? returns(expect.anything()) : failsWith(-32601, /does not exist/),
    }),
  ),
  ...['sco_peerList', 'mnr_getWork'].map(
    (method): Row => ({
      section: 'docs/notes/node.md#methods-listed-by-name-only',
      title: `${method} is not available to pages`,
      ask: [method],
      seed: returns(expect.anything()),
      node: off(method),
      page: failsWith(4200, /does not exist/),
    }),
  ),
  {
    section: 'docs/notes/node.md#methods-listed-by-name-only',
    title: 'personal_listAccounts is not available to pages',
    ask: ['personal_listAccounts'],
    ...both(failsWith(-32604, 'The local wallet feature is disabled', { status: 200 })),
    page: failsWith(4200),
  },
  {
    section: 'docs/notes/node.md#undocumented-methods',
    title: 'rpc_modules, which the seed does not list, is not available',
    ask: ['rpc_modules'],
    ...both(returns(expect.objectContaining({ eth: '1.0' }))),
    page: failsWith(-32601, /does not exist/),
  },
  {
    section: 'docs/notes/node.md#protocol-errors',
    title: 'an unknown method is an error',
    ask: ['eth_nothing'],
    ...both(failsWith(-32601, 'method not found', { status: 200 })),
    page: failsWith(-32601, /does not exist/),
  },
]);

/** Each method with the fewest params that a page may send, and the node's number (docs/notes/node.md#number-of-params). */
const arity: readonly [method: string, params: readonly unknown[], takes: number][] = [
  ['web3_clientVersion', [], 0],
  ['net_listening', [], 0],
  ['net_peerCount', [], 0],
  ['net_peerList', [], 0],
  ['eth_protocolVersion', [], 0],
  ['eth_syncing', [], 0],
  ['eth_coinbase', [], 0],
  ['eth_mining', [], 0],
  ['eth_hashrate', [], 0],
  ['eth_gasPrice', [], 0],
  ['eth_blockNumber', [], 0],
  ['eth_pendingTransactions', [], 0],
  ['eth_getBalance', [nobody], 2],
  ['eth_getTransactionCount', [nobody], 2],
  ['eth_getStorageAt', [nobody, '0x0'], 3],
  ['eth_getCode', [nobody], 2],
  ['eth_call', [{ to: nobody }], 2],
  ['eth_estimateGas', [{ to: nobody }], 2],
  ['eth_getBlockByHash', [`0x${word(1)}`], 2],
  ['eth_getBlockByNumber', ['latest'], 2],
  ['eth_getBlockTransactionCountByHash', [`0x${word(1)}`], 1],
  ['eth_getBlockTransactionCountByNumber', ['latest'], 1],
  ['eth_getUncleCountByBlockHash', [`0x${word(1)}`], 1],
  ['eth_getUncleCountByBlockNumber', ['latest'], 1],
  ['eth_getTransactionByHash', [`0x${word(1)}`], 1],
  ['eth_getTransactionByBlockHashAndIndex', [`0x${word(1)}`, '0x0'], 2],
  ['eth_getTransactionByBlockNumberAndIndex', ['latest', '0x0'], 2],
  ['eth_getTransactionReceipt', [`0x${word(1)}`], 1],
  ['eth_getUncleByBlockHashAndIndex', [`0x${word(1)}`, '0x0'], 2],
  ['eth_getUncleByBlockNumberAndIndex', ['latest', '0x0'], 2],
  ['eth_getLogs', [{}], 1],
];

inBothDialects({}, (page) => {
  test.each(arity)(
    '%s is forwarded with as many params as the node requires (docs/notes/node.md#number-of-params)',
    async (method, params, takes) => {
      const said = await page().ask(method, ...params);
      expect('code' in said && said.code).not.toBe(-32602);
      expect(page().sent(method).at(-1)).toHaveLength(takes);
    },
  );

  test('eth_syncing reports the progress of a syncing node (docs/notes/node.md#sync-status)', async () => {
    const status = { startingBlock: '0x0', currentBlock: '0x1', highestBlock: '0x2' } as const;
    page().service.controls.setSyncing(status);
    expect(await page().ask('eth_syncing')).toEqual(returns(status));
    page().service.controls.setSyncing(false);
  });

  test('eth_netHashrate is a JSON number, exact up to 2^53 and the nearest double above (docs/notes/node.md#methods-listed-by-name-only)', async () => {
    for (const [sent, read] of [
      ['9007199254740991', 9_007_199_254_740_991],
      ['123456789012345678901', 123_456_789_012_345_680_000],
    ] as const) {
      const undo = page().replace('eth_netHashrate', `{"jsonrpc":"2.0","id":$ID,"result":${sent}}`);
      expect(await page().ask('eth_netHashrate')).toEqual(returns(read));
      undo();
    }
  });

  test('the bridge’s hashes have no 0x, and keep none (docs/notes/node.md#methods-listed-by-name-only)', async () => {
    const state = { rskTxsWaitingForSignatures: ['ab'.repeat(32)], btcBlockchainBestChainHeight: 812_345 };
    const undo = page().distort('eth_bridgeState', () => state);
    expect(await page().ask('eth_bridgeState')).toEqual(returns(state));
    undo();
  });

  test.each(['eth_gasPrice', 'eth_hashrate', 'eth_protocolVersion', 'net_peerCount'])(
    'a node that writes the result of %s as a number',
    async (method) => {
      const undo = page().distort(method, () => 62);
      expect(await page().ask(method)).toEqual(returns('0x3e'));
      undo();
    },
  );

  test('a QUANTITY of the node itself is read in its longest form', async () => {
    const undo = page().distort('eth_gasPrice', () => '0x00ABCD');
    expect(await page().ask('eth_gasPrice')).toEqual(returns('0xabcd'));
    undo();
    expect(await page().ask('eth_gasPrice')).toEqual(returns(quantity));
  });
});
