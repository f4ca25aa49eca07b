import { expect } from 'vitest';
import { alice, nobody, word } from '../../support/local-client.js';
import { missingHash, type Page } from './page.js';
import { failsWith, type Row, returns, testRows } from './rows.js';

/** Params are forwarded in the one form that the node accepts (docs/notes/node.md#params). */

const wrongCount = failsWith(-32602, 'method parameters invalid', { status: 400 });
const wrong = (message: string | RegExp) => failsWith(-32602, message, { status: 400 });
const crash = failsWith(-32603, 'Internal server error', { status: 200 });
const blockTwo = (page: Page) => returns(expect.objectContaining({ hash: page.chain.block, number: '0x2' }));
const oneLog = (page: Page) => returns([expect.objectContaining({ blockHash: page.chain.block })]);

/** Params that both dialects reject, although libraries send them. */
const both = (said: Row['seed']) => ({ seed: said, node: said });

const arity: readonly Row[] = [
  {
    section: 'docs/notes/node.md#number-of-params',
    title: 'eth_getTransactionCount works without a block',
    ask: ['eth_getTransactionCount', alice.address],
    seed: returns('0x8'),
    node: wrongCount,
    page: returns('0x8'),
  },
  {
    section: 'docs/notes/node.md#number-of-params',
    title: 'eth_getBlockByNumber works without the boolean',
    ask: ['eth_getBlockByNumber', '0x2'],
    seed: blockTwo,
    node: wrongCount,
    page: blockTwo,
  },
  {
    section: 'docs/notes/node.md#number-of-params',
    title: 'eth_getBlockByHash works without the boolean',
    ask: ({ chain }) => ['eth_getBlockByHash', chain.block],
    seed: blockTwo,
    node: wrongCount,
    page: blockTwo,
  },
  {
    section: 'docs/notes/node.md#number-of-params',
    title: 'eth_getBalance works without a block',
    ask: ['eth_getBalance', nobody],
    ...both(returns('0x0')),
    page: returns('0x0'),
  },
  {
    section: 'docs/notes/node.md#number-of-params',
    title: 'eth_getCode works without a block',
    ask: ({ chain }) => ['eth_getCode', chain.invalid],
    ...both(wrongCount),
    page: returns('0xfe'),
  },
  {
    section: 'docs/notes/node.md#number-of-params',
    title: 'eth_getStorageAt works without a block',
    ask: ['eth_getStorageAt', nobody, '0x0'],
    ...both(wrongCount),
    page: returns(`0x${word(0)}`),
  },
  {
    section: 'docs/notes/node.md#number-of-params',
    title: 'eth_call works without a block',
    ask: ['eth_call', { to: nobody }],
    ...both(wrongCount),
    page: returns('0x'),
  },
  {
    section: 'docs/notes/node.md#number-of-params',
    title: 'one param too many is an error',
    ask: ['eth_getBalance', nobody, 'latest', 'x'],
    ...both(wrongCount),
    page: failsWith(-32602, 'params: at most 2'),
  },
];

const addresses: readonly Row[] = [
  {
    section: 'docs/notes/node.md#form-of-params',
    title: 'an address of the wrong length is an error',
    ask: ['eth_getBalance', '0x12', 'latest'],
    ...both(wrong('Invalid address: null, empty or invalid hex value.')),
    page: failsWith(-32602, /^params\[0\]: expected an address/),
  },
  {
    section: 'docs/notes/node.md#form-of-params',
    title: 'an address with 0X is an error',
    ask: ['eth_getBalance', nobody.replace('0x', '0X'), 'latest'],
    ...both(wrong('Invalid address format: invalid hex value.')),
    page: failsWith(-32602, /^params\[0\]/),
  },
  {
    section: 'docs/notes/node.md#addresses-and-checksums',
    title: "an address may have this chain's checksum (EIP-1191) or none",
    ask: ['eth_getTransactionCount', alice.address, 'latest'],
    ...both(returns('0x8')),
    page: returns('0x8'),
  },
  {
    section: 'docs/notes/node.md#addresses-and-checksums',
    title: 'an address with a wrong checksum, which the node does not check, is an error',
    ask: ['eth_getBalance', '0x5aAEB6053f3e94c9b9A09f33669435E7EF1BEaED', 'latest'],
    ...both(returns('0x0')),
    page: failsWith(-32602, /checksum/),
  },
];

const values: readonly Row[] = [
  {
    section: 'docs/notes/node.md#form-of-params',
    title: 'a block hash of the wrong length is an error',
    ask: ['eth_getBlockByHash', '0x12', false],
    ...both(wrong('Invalid block hash: incorrect length.')),
    page: failsWith(-32602, /^params\[0\]: expected DATA of 32 bytes/),
  },
  {
    section: 'docs/notes/node.md#form-of-params',
    title: 'a transaction hash that is not hexadecimal is an error',
    ask: ['eth_getTransactionByHash', `0x${'g'.repeat(64)}`],
    ...both(wrong('Invalid transaction hash format: invalid hex value')),
    page: failsWith(-32602, /^params\[0\]/),
  },
  {
    section: 'docs/notes/node.md#form-of-params',
    title: 'a topic of the wrong length is an error',
    ask: ['eth_getLogs', { topics: ['0x12'] }],
    ...both(wrong('Invalid topic: incorrect length.')),
    page: failsWith(-32602, /^params\[0\]\.topics\[0\]/),
  },
  {
    section: 'docs/notes/node.md#form-of-params',
    title: 'DATA of an odd length, which the node pads, is an error',
    ask: ['eth_call', { to: nobody, data: '0x123' }, 'latest'],
    ...both(returns('0x')),
    page: failsWith(-32602, /^params\[0\]\.data/),
  },
  {
    section: 'docs/notes/node.md#form-of-params',
    title: 'a decimal QUANTITY, which the node accepts, is an error',
    ask: ['eth_getStorageAt', nobody, '10', 'latest'],
    ...both(returns(`0x${word(0)}`)),
    page: failsWith(-32602, /^params\[1\]/),
  },
  {
    section: 'docs/notes/node.md#form-of-params',
    title: 'a QUANTITY over 256 bits is an error',
    ask: ['eth_getStorageAt', nobody, `0x1${'0'.repeat(64)}`, 'latest'],
    ...both(wrong('Invalid param: 0x1')),
    page: failsWith(-32602, /^params\[1\]/),
  },
  {
    section: 'docs/notes/node.md#form-of-params',
    title: 'an index in upper case is accepted',
    ask: ({ chain }) => ['eth_getTransactionByBlockHashAndIndex', chain.block, '0xA'],
    ...both(wrong('Invalid argument "0xA": param should be a hex value string.')),
    page: returns(null),
  },
  {
    section: 'docs/notes/node.md#form-of-params',
    title: 'an index over 31 bits is an error',
    ask: ({ chain }) => ['eth_getTransactionByBlockHashAndIndex', chain.block, '0x80000000'],
    ...both(wrong('Invalid index param: value must be a valid hex number.')),
    page: failsWith(-32602, /^params\[1\]/),
  },
  {
    section: 'docs/notes/node.md#form-of-params',
    title: 'null for an optional boolean is omitted',
    ask: ['eth_getBlockByNumber', '0x2', null],
    ...both(crash),
    page: blockTwo,
  },
  {
    section: 'docs/notes/node.md#form-of-params',
    title: 'web3_sha3 of no bytes is computed in the page',
    ask: ['web3_sha3', '0x'],
    ...both(wrong("Parameter must be hexadecimal encoded with the '0x' prefix.")),
    page: returns('0xc5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470'),
  },
];

const selectors: readonly Row[] = [
  {
    section: 'docs/notes/node.md#form-of-params',
    title: 'an empty block selector is an error',
    ask: ['eth_getBlockByNumber', '', false],
    ...both(wrong('Invalid block identifier: empty or null.')),
    page: failsWith(-32602, /^params\[0\]/),
  },
  {
    section: 'docs/notes/node.md#block-tags',
    title: 'a tag in upper case is an error',
    ask: ['eth_getBlockByNumber', 'LATEST', false],
    ...both(wrong('invalid blocknumber LATEST')),
    page: failsWith(-32602, /^params\[0\]/),
  },
  {
    section: 'docs/notes/node.md#form-of-params',
    title: 'a block number that is a JSON number is an error',
    ask: ['eth_getBalance', nobody, 2],
    ...both(wrong('Invalid input')),
    page: failsWith(-32602, /^params\[1\]/),
  },
  {
    section: 'docs/notes/node.md#form-of-params',
    title: 'a block object with neither key is an error',
    ask: ['eth_getBalance', nobody, {}],
    ...both(wrong('Invalid block input')),
    page: failsWith(-32602, /^params\[1\]/),
  },
  {
    section: 'docs/notes/node.md#form-of-params',
    title: 'a block object may have requireCanonical as a string, as the node requires',
    ask: ({ chain }) => ['eth_getBalance', nobody, { blockHash: chain.block, requireCanonical: 'true' }],
    ...both(returns('0x0')),
    page: returns('0x0'),
  },
  {
    section: 'docs/notes/node.md#unknown-blocks',
    title: 'a state read at an unknown block is an error',
    ask: ['eth_getBalance', nobody, { blockHash: missingHash, requireCanonical: 'true' }],
    seed: returns(null),
    node: failsWith(-32600, `Block with hash ${missingHash} not found`, { status: 400 }),
    page: failsWith(-32001, `Block with hash ${missingHash} not found`),
  },
];

const filters: readonly Row[] = [
  ...['fromBlock', 'toBlock'].map(
    (key): Row => ({
      section: 'docs/notes/node.md#log-ranges',
      title: `${key}: null is omitted`,
      ask: ['eth_getLogs', { [key]: null }],
      ...both(wrong("Invalid block identifier 'null'")),
      page: oneLog,
    }),
  ),
  {
    section: 'docs/notes/node.md#log-ranges',
    title: 'blockHash: null is omitted',
    ask: ['eth_getLogs', { blockHash: null }],
    ...both(wrong('Invalid block hash: incorrect length.')),
    page: oneLog,
  },
  {
    section: 'docs/notes/node.md#log-ranges',
    title: 'address: null and topics: null match anything',
    ask: ['eth_getLogs', { address: null, topics: null }],
    ...both(oneLog),
    page: oneLog,
  },
  {
    section: 'docs/notes/node.md#form-of-params',
    title: 'blockHash with fromBlock is an error',
    ask: ({ chain }) => ['eth_getLogs', { blockHash: chain.block, fromBlock: '0x1' }],
    ...both(wrong('Cannot specify both blockHash and fromBlock/toBlock')),
    page: failsWith(-32602, /blockHash excludes fromBlock and toBlock/),
  },
];

testRows([...arity, ...addresses, ...values, ...selectors, ...filters]);
