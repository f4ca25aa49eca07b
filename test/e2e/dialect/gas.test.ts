import { expect, test } from 'vitest';
import { nobody } from '../../support/local-client.js';
import { payloads } from './page.js';
import { failsWith, inBothDialects, type Row, returns, testRows } from './rows.js';

/**
 * An estimate is forwarded, whether it is a number (docs/notes/service.md#methods-with-full-parameter-and-result-shape)
 * or a revert (docs/notes/node.md#gas-estimates). Only `eth_call` shows reliably whether a call reverts; the wallet runs
 * one before the dialog.
 */

const budget = '0x67c280';
const someGas = returns(expect.stringMatching(/^0x[1-9a-f][0-9a-f]*$/));
const both = (said: Row['seed']) => ({ seed: said, node: said });

const reverting: readonly Row[] = (['string', 'panic', 'custom', 'empty'] as const).map((kind) => ({
  section: 'docs/notes/node.md#gas-estimates',
  title: `a revert is reported with its payload: ${kind}`,
  ask: ({ chain }) => ['eth_estimateGas', { to: chain.reverting[kind] }, 'latest'],
  seed: someGas,
  node: failsWith(-32015, undefined, { data: payloads[kind], status: 200 }),
  page: ({ dialect }) =>
    dialect === 'seed' ? someGas : failsWith(3, /^execution reverted/, { data: payloads[kind] }),
}));

testRows([
  ...reverting,
  {
    section: 'docs/notes/node.md#gas-estimates',
    title: 'an estimate of a call that runs out of gas is the gas limit',
    ask: ({ chain }) => ['eth_estimateGas', { to: chain.looping }, 'latest'],
    ...both(returns(budget)),
    page: returns(budget),
  },
  {
    section: 'docs/notes/node.md#gas-estimates',
    title: 'an estimate of a call that reaches INVALID is the gas limit',
    ask: ({ chain }) => ['eth_estimateGas', { to: chain.invalid }, 'latest'],
    ...both(returns(budget)),
    page: returns(budget),
  },
  {
    section: 'docs/notes/node.md#gas-estimates',
    title: 'a gas field that is too small, which the node echoes, is not forwarded',
    ask: ({ chain }) => ['eth_estimateGas', { to: chain.emitter, gas: '0x5300' }, 'latest'],
    ...both(returns('0x5300')),
    page: returns(expect.stringMatching(/^0x(?!5300$)[5-9a-f][0-9a-f]{3}$/)),
  },
  {
    section: 'docs/notes/node.md#gas-estimates',
    title: 'an estimate works for a sender without coins',
    ask: ['eth_estimateGas', { from: nobody, to: nobody, value: '0xffffffff' }],
    ...both(returns('0x5208')),
    page: returns('0x5208'),
  },
  {
    section: 'docs/notes/node.md#gas-estimates',
    title: 'an estimate works for a creation, without to',
    ask: ['eth_estimateGas', { data: '0x00' }],
    ...both(someGas),
    page: someGas,
  },
  {
    section: 'docs/notes/node.md#unknown-blocks',
    title: 'an unknown block is an error',
    ask: ['eth_estimateGas', { to: nobody }, '0xff'],
    seed: returns(null),
    node: failsWith(-32602, 'Invalid block number 255', { status: 400 }),
    page: failsWith(-32001, /block .*255/i),
  },
  {
    section: 'docs/notes/node.md#block-hashes-in-reads',
    title: 'a block hash is rejected, because the node reads it as a number',
    ask: ({ chain }) => ['eth_estimateGas', { to: nobody }, chain.block],
    ...both(failsWith(-32603, 'Internal server error', { status: 200 })),
    page: failsWith(-32602, /^params\[1\]/),
  },
  {
    section: 'docs/notes/node.md#gas-estimates',
    title: 'a block object is rejected, because the node does not read it here',
    ask: ({ chain }) => ['eth_estimateGas', { to: nobody }, { blockHash: chain.block }],
    ...both(failsWith(-32602, "Invalid block identifier '{'", { status: 400 })),
    page: failsWith(-32602, /^params\[1\]/),
  },
]);

inBothDialects({}, (page) => {
  test('an estimate that reverts is requested once (docs/notes/node.md#gas-estimates)', async () => {
    const before = page().sent('eth_estimateGas').length;
    await page().ask('eth_estimateGas', { to: page().chain.reverting.string });
    expect(page().sent('eth_estimateGas').length).toBe(before + 1);
  });
});
