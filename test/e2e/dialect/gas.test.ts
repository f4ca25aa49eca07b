import { expect, test } from 'vitest';
import { nobody } from '../../support/local-client.js';
import { payloads } from './page.js';
import { gives, inBothDialects, type Row, refuses, rowsHold } from './rows.js';

/**
 * docs/notes/node.md#gas-estimates. An estimate is a number where the service gives one (docs/notes/service.md#methods-with-full-parameter-and-result-shape), and a revert
 * where it says so: a page that must know runs `eth_call`, as the wallet does before a person is asked.
 */

const budget = '0x67c280';
const someGas = gives(expect.stringMatching(/^0x[1-9a-f][0-9a-f]*$/));
const both = (said: Row['seed']) => ({ seed: said, node: said });

const reverting: readonly Row[] = (['string', 'panic', 'custom', 'empty'] as const).map((kind) => ({
  section: 'docs/notes/node.md#gas-estimates',
  what: `a revert: ${kind}`,
  ask: ({ chain }) => ['eth_estimateGas', { to: chain.reverting[kind] }, 'latest'],
  seed: someGas,
  node: refuses(-32015, undefined, { data: payloads[kind], status: 200 }),
  page: ({ dialect }) =>
    dialect === 'seed' ? someGas : refuses(3, /^execution reverted/, { data: payloads[kind] }),
}));

rowsHold([
  ...reverting,
  {
    section: 'docs/notes/node.md#gas-estimates',
    what: 'a run out of gas gives the whole budget, a number like any other',
    ask: ({ chain }) => ['eth_estimateGas', { to: chain.looping }, 'latest'],
    ...both(gives(budget)),
    page: gives(budget),
  },
  {
    section: 'docs/notes/node.md#gas-estimates',
    what: 'INVALID gives it too',
    ask: ({ chain }) => ['eth_estimateGas', { to: chain.invalid }, 'latest'],
    ...both(gives(budget)),
    page: gives(budget),
  },
  {
    section: 'docs/notes/node.md#gas-estimates',
    what: 'a gas hint that is too small, which the node echoes, is not sent',
    ask: ({ chain }) => ['eth_estimateGas', { to: chain.emitter, gas: '0x5300' }, 'latest'],
    ...both(gives('0x5300')),
    page: gives(expect.stringMatching(/^0x(?!5300$)[5-9a-f][0-9a-f]{3}$/)),
  },
  {
    section: 'docs/notes/node.md#gas-estimates',
    what: 'a sender without coins',
    ask: ['eth_estimateGas', { from: nobody, to: nobody, value: '0xffffffff' }],
    ...both(gives('0x5208')),
    page: gives('0x5208'),
  },
  {
    section: 'docs/notes/node.md#gas-estimates',
    what: 'a creation, without to',
    ask: ['eth_estimateGas', { data: '0x00' }],
    ...both(someGas),
    page: someGas,
  },
  {
    section: 'docs/notes/node.md#unknown-blocks',
    what: 'an unknown block',
    ask: ['eth_estimateGas', { to: nobody }, '0xff'],
    seed: gives(null),
    node: refuses(-32602, 'Invalid block number 255', { status: 400 }),
    page: refuses(-32001, /block .*255/i),
  },
  {
    section: 'docs/notes/node.md#block-hashes-in-reads',
    what: 'a block hash, which the node reads as a number',
    ask: ({ chain }) => ['eth_estimateGas', { to: nobody }, chain.block],
    ...both(refuses(-32603, 'Internal server error', { status: 200 })),
    page: refuses(-32602, /^params\[1\]/),
  },
  {
    section: 'docs/notes/node.md#gas-estimates',
    what: 'a block map, of which the node reads the first character here',
    ask: ({ chain }) => ['eth_estimateGas', { to: nobody }, { blockHash: chain.block }],
    ...both(refuses(-32602, "Invalid block identifier '{'", { status: 400 })),
    page: refuses(-32602, /^params\[1\]/),
  },
]);

inBothDialects({}, (page) => {
  test('docs/notes/node.md#gas-estimates the estimate of what reverts is asked for once', async () => {
    const before = page().sent('eth_estimateGas').length;
    await page().ask('eth_estimateGas', { to: page().chain.reverting.string });
    expect(page().sent('eth_estimateGas').length).toBe(before + 1);
  });
});
