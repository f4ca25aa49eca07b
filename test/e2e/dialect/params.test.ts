import { expect } from 'vitest';
import { alice, nobody, word } from '../../support/local-client.js';
import { missingHash, type Page } from './page.js';
import { gives, type Row, refuses, rowsHold } from './rows.js';

/** docs/notes/node.md#params: what the node refuses in a param reaches it in the one form that it takes. */

const wrongCount = refuses(-32602, 'method parameters invalid', { status: 400 });
const wrong = (message: string | RegExp) => refuses(-32602, message, { status: 400 });
const crash = refuses(-32603, 'Internal server error', { status: 200 });
const blockTwo = (page: Page) => gives(expect.objectContaining({ hash: page.chain.block, number: '0x2' }));
const oneLog = (page: Page) => gives([expect.objectContaining({ blockHash: page.chain.block })]);

/** Both dialects refuse what the caller of a library may well write. */
const both = (said: Row['seed']) => ({ seed: said, node: said });

const arity: readonly Row[] = [
  {
    section: 'docs/notes/node.md#number-of-params',
    what: 'eth_getTransactionCount without a block',
    ask: ['eth_getTransactionCount', alice.address],
    seed: gives('0x8'),
    node: wrongCount,
    page: gives('0x8'),
  },
  {
    section: 'docs/notes/node.md#number-of-params',
    what: 'eth_getBlockByNumber without the boolean',
    ask: ['eth_getBlockByNumber', '0x2'],
    seed: blockTwo,
    node: wrongCount,
    page: blockTwo,
  },
  {
    section: 'docs/notes/node.md#number-of-params',
    what: 'eth_getBlockByHash without the boolean',
    ask: ({ chain }) => ['eth_getBlockByHash', chain.block],
    seed: blockTwo,
    node: wrongCount,
    page: blockTwo,
  },
  {
    section: 'docs/notes/node.md#number-of-params',
    what: 'eth_getBalance without a block',
    ask: ['eth_getBalance', nobody],
    ...both(gives('0x0')),
    page: gives('0x0'),
  },
  {
    section: 'docs/notes/node.md#number-of-params',
    what: 'eth_getCode without a block',
    ask: ({ chain }) => ['eth_getCode', chain.invalid],
    ...both(wrongCount),
    page: gives('0xfe'),
  },
  {
    section: 'docs/notes/node.md#number-of-params',
    what: 'eth_getStorageAt without a block',
    ask: ['eth_getStorageAt', nobody, '0x0'],
    ...both(wrongCount),
    page: gives(`0x${word(0)}`),
  },
  {
    section: 'docs/notes/node.md#number-of-params',
    what: 'eth_call without a block',
    ask: ['eth_call', { to: nobody }],
    ...both(wrongCount),
    page: gives('0x'),
  },
  {
    section: 'docs/notes/node.md#number-of-params',
    what: 'a param too many',
    ask: ['eth_getBalance', nobody, 'latest', 'x'],
    ...both(wrongCount),
    page: refuses(-32602, 'params: at most 2'),
  },
];

const addresses: readonly Row[] = [
  {
    section: 'docs/notes/node.md#form-of-params',
    what: 'an address of the wrong length',
    ask: ['eth_getBalance', '0x12', 'latest'],
    ...both(wrong('Invalid address: null, empty or invalid hex value.')),
    page: refuses(-32602, /^params\[0\]: expected an address/),
  },
  {
    section: 'docs/notes/node.md#form-of-params',
    what: 'an address with 0X',
    ask: ['eth_getBalance', nobody.replace('0x', '0X'), 'latest'],
    ...both(wrong('Invalid address format: invalid hex value.')),
    page: refuses(-32602, /^params\[0\]/),
  },
  {
    section: 'docs/notes/node.md#addresses-and-checksums',
    what: 'an address with a checksum of this chain (EIP-1191) or of none',
    ask: ['eth_getTransactionCount', alice.address, 'latest'],
    ...both(gives('0x8')),
    page: gives('0x8'),
  },
  {
    section: 'docs/notes/node.md#addresses-and-checksums',
    what: 'an address with a wrong checksum, which the node never looks at',
    ask: ['eth_getBalance', '0x5aAEB6053f3e94c9b9A09f33669435E7EF1BEaED', 'latest'],
    ...both(gives('0x0')),
    page: refuses(-32602, /checksum/),
  },
];

const values: readonly Row[] = [
  {
    section: 'docs/notes/node.md#form-of-params',
    what: 'a block hash of the wrong length',
    ask: ['eth_getBlockByHash', '0x12', false],
    ...both(wrong('Invalid block hash: incorrect length.')),
    page: refuses(-32602, /^params\[0\]: expected DATA of 32 bytes/),
  },
  {
    section: 'docs/notes/node.md#form-of-params',
    what: 'a transaction hash that is not hexadecimal',
    ask: ['eth_getTransactionByHash', `0x${'g'.repeat(64)}`],
    ...both(wrong('Invalid transaction hash format: invalid hex value')),
    page: refuses(-32602, /^params\[0\]/),
  },
  {
    section: 'docs/notes/node.md#form-of-params',
    what: 'a topic of the wrong length',
    ask: ['eth_getLogs', { topics: ['0x12'] }],
    ...both(wrong('Invalid topic: incorrect length.')),
    page: refuses(-32602, /^params\[0\]\.topics\[0\]/),
  },
  {
    section: 'docs/notes/node.md#form-of-params',
    what: 'DATA of an odd length, which the node pads',
    ask: ['eth_call', { to: nobody, data: '0x123' }, 'latest'],
    ...both(gives('0x')),
    page: refuses(-32602, /^params\[0\]\.data/),
  },
  {
    section: 'docs/notes/node.md#form-of-params',
    what: 'a decimal QUANTITY, which the node takes',
    ask: ['eth_getStorageAt', nobody, '10', 'latest'],
    ...both(gives(`0x${word(0)}`)),
    page: refuses(-32602, /^params\[1\]/),
  },
  {
    section: 'docs/notes/node.md#form-of-params',
    what: 'a QUANTITY over 256 bits',
    ask: ['eth_getStorageAt', nobody, `0x1${'0'.repeat(64)}`, 'latest'],
    ...both(wrong('Invalid param: 0x1')),
    page: refuses(-32602, /^params\[1\]/),
  },
  {
    section: 'docs/notes/node.md#form-of-params',
    what: 'an index in upper case',
    ask: ({ chain }) => ['eth_getTransactionByBlockHashAndIndex', chain.block, '0xA'],
    ...both(wrong('Invalid argument "0xA": param should be a hex value string.')),
    page: gives(null),
  },
  {
    section: 'docs/notes/node.md#form-of-params',
    what: 'an index over 31 bits',
    ask: ({ chain }) => ['eth_getTransactionByBlockHashAndIndex', chain.block, '0x80000000'],
    ...both(wrong('Invalid index param: value must be a valid hex number.')),
    page: refuses(-32602, /^params\[1\]/),
  },
  {
    section: 'docs/notes/node.md#form-of-params',
    what: 'null where a boolean may be left out',
    ask: ['eth_getBlockByNumber', '0x2', null],
    ...both(crash),
    page: blockTwo,
  },
  {
    section: 'docs/notes/node.md#form-of-params',
    what: 'web3_sha3 of nothing, computed in the page',
    ask: ['web3_sha3', '0x'],
    ...both(wrong("Parameter must be hexadecimal encoded with the '0x' prefix.")),
    page: gives('0xc5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470'),
  },
];

const selectors: readonly Row[] = [
  {
    section: 'docs/notes/node.md#form-of-params',
    what: 'an empty block selector',
    ask: ['eth_getBlockByNumber', '', false],
    ...both(wrong('Invalid block identifier: empty or null.')),
    page: refuses(-32602, /^params\[0\]/),
  },
  {
    section: 'docs/notes/node.md#block-tags',
    what: 'a tag in upper case',
    ask: ['eth_getBlockByNumber', 'LATEST', false],
    ...both(wrong('invalid blocknumber LATEST')),
    page: refuses(-32602, /^params\[0\]/),
  },
  {
    section: 'docs/notes/node.md#form-of-params',
    what: 'a block number that is a JSON number',
    ask: ['eth_getBalance', nobody, 2],
    ...both(wrong('Invalid input')),
    page: refuses(-32602, /^params\[1\]/),
  },
  {
    section: 'docs/notes/node.md#form-of-params',
    what: 'a block map with neither key',
    ask: ['eth_getBalance', nobody, {}],
    ...both(wrong('Invalid block input')),
    page: refuses(-32602, /^params\[1\]/),
  },
  {
    section: 'docs/notes/node.md#form-of-params',
    what: 'a block map with requireCanonical as a string, as the node wants it',
    ask: ({ chain }) => ['eth_getBalance', nobody, { blockHash: chain.block, requireCanonical: 'true' }],
    ...both(gives('0x0')),
    page: gives('0x0'),
  },
  {
    section: 'docs/notes/node.md#unknown-blocks',
    what: 'a state that is asked for at a block that nobody knows',
    ask: ['eth_getBalance', nobody, { blockHash: missingHash, requireCanonical: 'true' }],
    seed: gives(null),
    node: refuses(-32600, `Block with hash ${missingHash} not found`, { status: 400 }),
    page: refuses(-32001, `Block with hash ${missingHash} not found`),
  },
];

const filters: readonly Row[] = [
  ...['fromBlock', 'toBlock'].map(
    (key): Row => ({
      section: 'docs/notes/node.md#log-ranges',
      what: `${key}: null is left out`,
      ask: ['eth_getLogs', { [key]: null }],
      ...both(wrong("Invalid block identifier 'null'")),
      page: oneLog,
    }),
  ),
  {
    section: 'docs/notes/node.md#log-ranges',
    what: 'blockHash: null is left out',
    ask: ['eth_getLogs', { blockHash: null }],
    ...both(wrong('Invalid block hash: incorrect length.')),
    page: oneLog,
  },
  {
    section: 'docs/notes/node.md#log-ranges',
    what: 'address: null and topics: null match anything',
    ask: ['eth_getLogs', { address: null, topics: null }],
    ...both(oneLog),
    page: oneLog,
  },
  {
    section: 'docs/notes/node.md#form-of-params',
    what: 'blockHash beside fromBlock',
    ask: ({ chain }) => ['eth_getLogs', { blockHash: chain.block, fromBlock: '0x1' }],
    ...both(wrong('Cannot specify both blockHash and fromBlock/toBlock')),
    page: refuses(-32602, /blockHash excludes fromBlock and toBlock/),
  },
];

rowsHold([...arity, ...addresses, ...values, ...selectors, ...filters]);
