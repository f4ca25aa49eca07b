import { expect } from 'vitest';
import { alice, nobody, word } from '../../support/local-client.js';
import { failsWith, type Row, returns, testRows } from './rows.js';

/** The meaning of each block tag, method by method (docs/notes/node.md#block-tags and the seed's rule 6). */

const both = (said: Row['seed']) => ({ seed: said, node: said });
const unsupported = failsWith(-32201, "The method don't support 'pending' as a parameter yet", {
  status: 200,
});
/** The wallet reports the service's error, because it cannot construct a candidate block. */
const refusedBySeed = failsWith(-32601, /not available/);

/** The five methods of the seed's rule 6. The node supports the tag in them. */
const partly: readonly (Pick<Row, 'ask'> & { found: unknown; seen?: unknown })[] = [
  { ask: ['eth_getUncleCountByBlockNumber', 'pending'], found: '0x0' },
  { ask: ({ chain }) => ['eth_getCode', chain.invalid, 'pending'], found: '0xfe' },
  {
    ask: ['eth_getBlockByNumber', 'pending', false],
    found: expect.objectContaining({ number: null, hash: null, logsBloom: null, miner: null }),
  },
  {
    ask: ['eth_getTransactionByBlockNumberAndIndex', 'pending', '0x0'],
    found: expect.objectContaining({
      nonce: '0x8',
      blockHash: expect.stringMatching(/^0x/),
      blockNumber: '0x3',
      transactionIndex: '0x0',
    }),
    // Libraries treat a transaction with a block hash as mined.
    seen: expect.objectContaining({
      nonce: '0x8',
      blockHash: null,
      blockNumber: null,
      transactionIndex: null,
    }),
  },
  { ask: ['eth_getUncleByBlockNumberAndIndex', 'pending', '0x0'], found: null },
];

const tagged = (tag: string): readonly Row['ask'][] => [
  ['eth_getBalance', nobody, tag],
  ['eth_getTransactionCount', nobody, tag],
  ['eth_getStorageAt', nobody, '0x0', tag],
  ['eth_getCode', nobody, tag],
  ['eth_call', { to: nobody }, tag],
  ['eth_estimateGas', { to: nobody }, tag],
  ['eth_getBlockByNumber', tag, false],
  ['eth_getBlockTransactionCountByNumber', tag],
  ['eth_getTransactionByBlockNumberAndIndex', tag, '0x0'],
  ['eth_getUncleCountByBlockNumber', tag],
  ['eth_getUncleByBlockNumberAndIndex', tag, '0x0'],
];

testRows([
  ...partly.map(
    ({ ask, found, seen = found }, i): Row => ({
      section: 'docs/notes/node.md#block-tags',
      title: `pending works in method ${i + 1} of the five`,
      ask,
      seed: unsupported,
      node: returns(found),
      page: ({ dialect }) => (dialect === 'seed' ? refusedBySeed : returns(seen)),
    }),
  ),
  {
    section: 'docs/notes/node.md#block-tags',
    title: 'pending: a balance includes the pool',
    ask: ['eth_getBalance', nobody, 'pending'],
    ...both(returns('0x1')),
    page: returns('0x1'),
  },
  {
    section: 'docs/notes/node.md#block-tags',
    title: 'pending: the nonce includes the pool',
    ask: ['eth_getTransactionCount', alice.address, 'pending'],
    ...both(returns('0x9')),
    page: returns('0x9'),
  },
  {
    section: 'docs/notes/node.md#block-tags',
    title: 'pending: storage can be read',
    ask: ['eth_getStorageAt', nobody, '0x0', 'pending'],
    ...both(returns(`0x${word(0)}`)),
    page: returns(`0x${word(0)}`),
  },
  {
    section: 'docs/notes/node.md#block-tags',
    title: 'pending: a call is executed',
    ask: ['eth_call', { to: nobody }, 'pending'],
    ...both(returns('0x')),
    page: returns('0x'),
  },
  {
    section: 'docs/notes/node.md#block-tags',
    title: 'pending: an estimate is made',
    ask: ['eth_estimateGas', { to: nobody }, 'pending'],
    ...both(returns('0x5208')),
    page: returns('0x5208'),
  },
  {
    section: 'docs/notes/node.md#block-tags',
    title: 'pending: the transaction count excludes REMASC',
    ask: ['eth_getBlockTransactionCountByNumber', 'pending'],
    ...both(returns('0x1')),
    page: returns('0x1'),
  },
  ...['safe', 'finalized'].flatMap((tag) =>
    tagged(tag).map((ask): Row => {
      const [method] = ask as [string];
      return {
        section: 'docs/notes/node.md#block-tags',
        title: `${tag}: ${method}`,
        ask,
        // The node has three error texts; each reader of the page's params must reject the tag.
        ...both(failsWith(-32602, new RegExp(tag), { status: 400 })),
        page: failsWith(-32602, new RegExp(tag)),
      };
    }),
  ),
  ...['safe', 'finalized'].map(
    (tag): Row => ({
      section: 'docs/notes/node.md#log-ranges',
      title: `${tag}: eth_getLogs`,
      ask: ['eth_getLogs', { fromBlock: tag }],
      ...both(failsWith(-32603, 'Internal server error', { status: 200 })),
      page: failsWith(-32602, /fromBlock/),
    }),
  ),
]);
