import { expect } from 'vitest';
import { alice, nobody, word } from '../../support/local-client.js';
import { gives, type Row, refuses, rowsHold } from './rows.js';

/** docs/notes/node.md#block-tags and seed rule 6: what each block tag means, method by method. */

const both = (said: Row['seed']) => ({ seed: said, node: said });
const unsupported = refuses(-32201, "The method don't support 'pending' as a parameter yet", { status: 200 });
/** Who cannot answer says so: there is no candidate block that the wallet could make up. */
const refusedBySeed = refuses(-32601, /not available/);

/** The five methods of the seed's rule 6, which the node answers all the same. */
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
    // Libraries take a transaction with a block hash as mined.
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

rowsHold([
  ...partly.map(
    ({ ask, found, seen = found }, i): Row => ({
      section: 'docs/notes/node.md#block-tags',
      what: `pending, method ${i + 1} of the five`,
      ask,
      seed: unsupported,
      node: gives(found),
      page: ({ dialect }) => (dialect === 'seed' ? refusedBySeed : gives(seen)),
    }),
  ),
  {
    section: 'docs/notes/node.md#block-tags',
    what: 'pending: a balance after the pool',
    ask: ['eth_getBalance', nobody, 'pending'],
    ...both(gives('0x1')),
    page: gives('0x1'),
  },
  {
    section: 'docs/notes/node.md#block-tags',
    what: 'pending: the nonce after the pool',
    ask: ['eth_getTransactionCount', alice.address, 'pending'],
    ...both(gives('0x9')),
    page: gives('0x9'),
  },
  {
    section: 'docs/notes/node.md#block-tags',
    what: 'pending: storage',
    ask: ['eth_getStorageAt', nobody, '0x0', 'pending'],
    ...both(gives(`0x${word(0)}`)),
    page: gives(`0x${word(0)}`),
  },
  {
    section: 'docs/notes/node.md#block-tags',
    what: 'pending: a call',
    ask: ['eth_call', { to: nobody }, 'pending'],
    ...both(gives('0x')),
    page: gives('0x'),
  },
  {
    section: 'docs/notes/node.md#block-tags',
    what: 'pending: an estimate',
    ask: ['eth_estimateGas', { to: nobody }, 'pending'],
    ...both(gives('0x5208')),
    page: gives('0x5208'),
  },
  {
    section: 'docs/notes/node.md#block-tags',
    what: 'pending: how many wait, REMASC not among them',
    ask: ['eth_getBlockTransactionCountByNumber', 'pending'],
    ...both(gives('0x1')),
    page: gives('0x1'),
  },
  ...['safe', 'finalized'].flatMap((tag) =>
    tagged(tag).map((ask): Row => {
      const [method] = ask as [string];
      return {
        section: 'docs/notes/node.md#block-tags',
        what: `${tag}: ${method}`,
        ask,
        // Three texts in the node; what matters is that no reader of the page's params lets it through.
        ...both(refuses(-32602, new RegExp(tag), { status: 400 })),
        page: refuses(-32602, new RegExp(tag)),
      };
    }),
  ),
  ...['safe', 'finalized'].map(
    (tag): Row => ({
      section: 'docs/notes/node.md#log-ranges',
      what: `${tag}: eth_getLogs`,
      ask: ['eth_getLogs', { fromBlock: tag }],
      ...both(refuses(-32603, 'Internal server error', { status: 200 })),
      page: refuses(-32602, /fromBlock/),
    }),
  ),
]);
