import { nobody, word } from '../../support/local-client.js';
import { missingHash, type Page } from './page.js';
import { failsWith, type Row, returns, testRows } from './rows.js';

/** Calls and state reads at known and unknown blocks (docs/notes/node.md#calls, docs/notes/node.md#unknown-blocks). */

const noBlock = (what: string) => failsWith(-32001, `Block ${what} not found`);
const unknownNumber = failsWith(-32600, 'Block 0xff not found', { status: 400 });
const unknownHash = failsWith(-32600, `Block with hash ${missingHash} not found`, { status: 400 });

/** Reads at a block: their params before it, and their result at block 2. */
const reads: readonly { method: string; params: (page: Page) => readonly unknown[]; found: unknown }[] = [
  { method: 'eth_getBalance', params: () => [nobody], found: '0x0' },
  { method: 'eth_getTransactionCount', params: () => [nobody], found: '0x0' },
  { method: 'eth_getStorageAt', params: () => [nobody, '0x0'], found: `0x${word(0)}` },
  { method: 'eth_getCode', params: ({ chain }) => [chain.invalid], found: '0xfe' },
  { method: 'eth_call', params: () => [{ to: nobody }], found: '0x' },
];

const number = (page: Page, read: (typeof reads)[number], block: unknown) =>
  [read.method, ...read.params(page), block] as const;

const atKnownBlocks = reads.flatMap((read): Row[] => [
  {
    section: 'docs/notes/node.md#block-hashes-in-reads',
    title: `${read.method} accepts a block number`,
    ask: (page) => number(page, read, '0x2'),
    seed: returns(read.found),
    node: returns(read.found),
    page: returns(read.found),
  },
  {
    section: 'docs/notes/node.md#block-hashes-in-reads',
    title: `${read.method} accepts a block hash in an object`,
    ask: (page) => number(page, read, { blockHash: page.chain.block }),
    seed: returns(read.found),
    node: returns(read.found),
    page: returns(read.found),
  },
  {
    section: 'docs/notes/node.md#block-hashes-in-reads',
    title: `${read.method} accepts a block number in an object`,
    ask: (page) => number(page, read, { blockNumber: '0x2' }),
    seed: returns(read.found),
    node: returns(read.found),
    page: returns(read.found),
  },
]);

const overflow = failsWith(-32603, 'Internal server error', { status: 200 });
/** The replies of the service to a block hash that is not in an object. */
const bareHash: Record<string, Pick<Row, 'seed' | 'node'>> = {
  eth_getCode: { seed: returns('0xfe'), node: returns(null) },
  eth_call: { seed: overflow, node: overflow },
};
const atBareHashes = reads.map(
  (read): Row => ({
    section:
      read.method === 'eth_call'
        ? 'docs/notes/node.md#block-hashes-in-reads'
        : 'docs/notes/node.md#block-hashes-in-reads',
    title: `${read.method} accepts a block hash`,
    ask: (page) => number(page, read, page.chain.block),
    ...(bareHash[read.method] ?? { seed: returns(read.found), node: returns(read.found) }),
    page: returns(read.found),
  }),
);

const atUnknownBlocks = reads.flatMap((read): Row[] => [
  {
    section: 'docs/notes/node.md#unknown-blocks',
    title: `${read.method} at an unknown number is an error`,
    ask: (page) => number(page, read, '0xff'),
    seed: returns(null),
    node:
      read.method === 'eth_getCode'
        ? returns(null)
        : read.method === 'eth_call'
          ? failsWith(-32602, 'Invalid block number 255', { status: 400 })
          : unknownNumber,
    page: failsWith(
      -32001,
      read.method === 'eth_call' ? /block .*255/i : /Block (with number 255|0xff) not found/,
    ),
  },
  {
    section: 'docs/notes/node.md#unknown-blocks',
    title: `${read.method} at an unknown hash is an error`,
    ask: (page) => number(page, read, { blockHash: missingHash }),
    seed: returns(null),
    node: unknownHash,
    page: noBlock(`with hash ${missingHash}`),
  },
]);

testRows([
  ...atKnownBlocks,
  ...atBareHashes,
  ...atUnknownBlocks,
  {
    section: 'docs/notes/node.md#calls',
    title: 'more gas than the cap is lowered to the cap',
    ask: ['eth_call', { to: nobody, gas: '0xffffffff' }, 'latest'],
    seed: returns('0x'),
    node: returns('0x'),
    page: returns('0x'),
  },
  {
    section: 'docs/notes/node.md#calls',
    title: 'keys of other chains are ignored',
    ask: ['eth_call', { to: nobody, maxFeePerGas: '0x1', type: '0x2', accessList: [] }, 'latest'],
    seed: returns('0x'),
    node: returns('0x'),
    page: returns('0x'),
  },
  {
    section: 'docs/notes/node.md#calls',
    title: 'a state override is one param too many, because the node has it off',
    ask: ['eth_call', { to: nobody }, 'latest', { [nobody]: { balance: '0x1' } }],
    seed: failsWith(-32602, 'State override is not allowed', { status: 400 }),
    node: failsWith(-32602, 'State override is not allowed', { status: 400 }),
    page: failsWith(-32602),
  },
  {
    section: 'docs/notes/node.md#form-of-params',
    title: 'requireCanonical is a boolean, as in EIP-1898',
    ask: (page) => ['eth_getBalance', nobody, { blockHash: page.chain.block, requireCanonical: true }],
    seed: failsWith(-32603, 'Internal server error', { status: 200 }),
    node: failsWith(-32603, 'Internal server error', { status: 200 }),
    page: returns('0x0'),
  },
]);
