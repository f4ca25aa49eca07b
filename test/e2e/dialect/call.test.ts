import { nobody, word } from '../../support/local-client.js';
import { missingHash, type Page } from './page.js';
import { gives, type Row, refuses, rowsHold } from './rows.js';

/** docs/notes/node.md#calls, and docs/notes/node.md#unknown-blocks: calls and reads of the state, at known blocks and unknown ones. */

const noBlock = (what: string) => refuses(-32001, `Block ${what} not found`);
const unknownNumber = refuses(-32600, 'Block 0xff not found', { status: 400 });
const unknownHash = refuses(-32600, `Block with hash ${missingHash} not found`, { status: 400 });

/** Reads at a block: with their params before it, and what they give at block 2. */
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
    what: `${read.method} at a number`,
    ask: (page) => number(page, read, '0x2'),
    seed: gives(read.found),
    node: gives(read.found),
    page: gives(read.found),
  },
  {
    section: 'docs/notes/node.md#block-hashes-in-reads',
    what: `${read.method} at a block hash in a map`,
    ask: (page) => number(page, read, { blockHash: page.chain.block }),
    seed: gives(read.found),
    node: gives(read.found),
    page: gives(read.found),
  },
  {
    section: 'docs/notes/node.md#block-hashes-in-reads',
    what: `${read.method} at a number in a map`,
    ask: (page) => number(page, read, { blockNumber: '0x2' }),
    seed: gives(read.found),
    node: gives(read.found),
    page: gives(read.found),
  },
]);

const overflow = refuses(-32603, 'Internal server error', { status: 200 });
/** What the node makes of a hash that is a string. */
const bareHash: Record<string, Pick<Row, 'seed' | 'node'>> = {
  eth_getCode: { seed: gives('0xfe'), node: gives(null) },
  eth_call: { seed: overflow, node: overflow },
};
const atBareHashes = reads.map(
  (read): Row => ({
    section:
      read.method === 'eth_call'
        ? 'docs/notes/node.md#block-hashes-in-reads'
        : 'docs/notes/node.md#block-hashes-in-reads',
    what: `${read.method} at a block hash`,
    ask: (page) => number(page, read, page.chain.block),
    ...(bareHash[read.method] ?? { seed: gives(read.found), node: gives(read.found) }),
    page: gives(read.found),
  }),
);

const atUnknownBlocks = reads.flatMap((read): Row[] => [
  {
    section: 'docs/notes/node.md#unknown-blocks',
    what: `${read.method} at an unknown number`,
    ask: (page) => number(page, read, '0xff'),
    seed: gives(null),
    node:
      read.method === 'eth_getCode'
        ? gives(null)
        : read.method === 'eth_call'
          ? refuses(-32602, 'Invalid block number 255', { status: 400 })
          : unknownNumber,
    page: refuses(
      -32001,
      read.method === 'eth_call' ? /block .*255/i : /Block (with number 255|0xff) not found/,
    ),
  },
  {
    section: 'docs/notes/node.md#unknown-blocks',
    what: `${read.method} at an unknown hash`,
    ask: (page) => number(page, read, { blockHash: missingHash }),
    seed: gives(null),
    node: unknownHash,
    page: noBlock(`with hash ${missingHash}`),
  },
]);

rowsHold([
  ...atKnownBlocks,
  ...atBareHashes,
  ...atUnknownBlocks,
  {
    section: 'docs/notes/node.md#calls',
    what: 'more gas than the cap is lowered without a word',
    ask: ['eth_call', { to: nobody, gas: '0xffffffff' }, 'latest'],
    seed: gives('0x'),
    node: gives('0x'),
    page: gives('0x'),
  },
  {
    section: 'docs/notes/node.md#calls',
    what: 'keys of other chains are ignored',
    ask: ['eth_call', { to: nobody, maxFeePerGas: '0x1', type: '0x2', accessList: [] }, 'latest'],
    seed: gives('0x'),
    node: gives('0x'),
    page: gives('0x'),
  },
  {
    section: 'docs/notes/node.md#calls',
    what: 'a state override, which the node has switched off, is one param too many',
    ask: ['eth_call', { to: nobody }, 'latest', { [nobody]: { balance: '0x1' } }],
    seed: refuses(-32602, 'State override is not allowed', { status: 400 }),
    node: refuses(-32602, 'State override is not allowed', { status: 400 }),
    page: refuses(-32602),
  },
  {
    section: 'docs/notes/node.md#form-of-params',
    what: 'requireCanonical as EIP-1898 has it, a boolean',
    ask: (page) => ['eth_getBalance', nobody, { blockHash: page.chain.block, requireCanonical: true }],
    seed: refuses(-32603, 'Internal server error', { status: 200 }),
    node: refuses(-32603, 'Internal server error', { status: 200 }),
    page: gives('0x0'),
  },
]);
