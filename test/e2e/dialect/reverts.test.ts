import { expect, test } from 'vitest';
import { payloads } from './page.js';
import { failsWith, inBothDialects, type Row, returns, testRows } from './rows.js';

/** A revert is code 3 with its payload; a call that fails without a revert returns `0x` (docs/notes/node.md#reverts). */

const node = 'VM Exception while processing transaction: ';
const rows: readonly { kind: keyof typeof payloads; text: string; reads: RegExp }[] = [
  { kind: 'string', text: 'revert no', reads: /^execution reverted: no$/ },
  { kind: 'panic', text: 'transaction reverted', reads: /^execution reverted: .*(0x11|17)/i },
  { kind: 'custom', text: 'transaction reverted', reads: /^execution reverted/ },
  { kind: 'empty', text: 'transaction reverted', reads: /^execution reverted$/ },
];

testRows([
  ...rows.map(({ kind, text, reads }): Row => {
    const data = payloads[kind];
    const said = failsWith(-32015, `^${node}${text}$`, { data, status: 200 });
    return {
      section: 'docs/notes/node.md#reverts',
      title: `a revert is reported with its payload: ${kind}`,
      ask: ({ chain }) => ['eth_call', { to: chain.reverting[kind] }, 'latest'],
      seed: said,
      node: said,
      page: failsWith(3, reads, { data }),
    };
  }),
  {
    section: 'docs/notes/node.md#reverts',
    title: 'a call that runs out of gas returns 0x',
    ask: ({ chain }) => ['eth_call', { to: chain.looping, gas: '0xffff' }, 'latest'],
    seed: returns('0x'),
    node: returns('0x'),
    page: returns('0x'),
  },
  {
    section: 'docs/notes/node.md#reverts',
    title: 'a call that reaches INVALID returns 0x',
    ask: ({ chain }) => ['eth_call', { to: chain.invalid }, 'latest'],
    seed: returns('0x'),
    node: returns('0x'),
    page: returns('0x'),
  },
  {
    section: 'docs/notes/node.md#reverts',
    title: "a call may have more value than the sender's balance",
    ask: ({ chain }) => [
      'eth_call',
      { from: chain.emitter, to: chain.emitter, value: '0xffffffff' },
      'latest',
    ],
    seed: returns('0x'),
    node: returns('0x'),
    page: returns('0x'),
  },
]);

inBothDialects({}, (page) => {
  test('a call that reverts is requested once (docs/notes/node.md#reverts)', async () => {
    const before = page().sent('eth_call').length;
    await page().ask('eth_call', { to: page().chain.reverting.string, data: '0x01' }, 'latest');
    expect(page().sent('eth_call').length).toBe(before + 1);
  });
});
