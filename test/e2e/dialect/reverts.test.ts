import { expect, test } from 'vitest';
import { payloads } from './page.js';
import { gives, inBothDialects, type Row, refuses, rowsHold } from './rows.js';

/** docs/notes/node.md#reverts: a revert is code 3 with its payload; what fails without reverting answers `0x`. */

const node = 'VM Exception while processing transaction: ';
const rows: readonly { kind: keyof typeof payloads; text: string; reads: RegExp }[] = [
  { kind: 'string', text: 'revert no', reads: /^execution reverted: no$/ },
  { kind: 'panic', text: 'transaction reverted', reads: /^execution reverted: .*(0x11|17)/i },
  { kind: 'custom', text: 'transaction reverted', reads: /^execution reverted/ },
  { kind: 'empty', text: 'transaction reverted', reads: /^execution reverted$/ },
];

rowsHold([
  ...rows.map(({ kind, text, reads }): Row => {
    const data = payloads[kind];
    const said = refuses(-32015, `^${node}${text}$`, { data, status: 200 });
    return {
      section: 'docs/notes/node.md#reverts',
      what: `a revert: ${kind}`,
      ask: ({ chain }) => ['eth_call', { to: chain.reverting[kind] }, 'latest'],
      seed: said,
      node: said,
      page: refuses(3, reads, { data }),
    };
  }),
  {
    section: 'docs/notes/node.md#reverts',
    what: 'a call that runs out of gas',
    ask: ({ chain }) => ['eth_call', { to: chain.looping, gas: '0xffff' }, 'latest'],
    seed: gives('0x'),
    node: gives('0x'),
    page: gives('0x'),
  },
  {
    section: 'docs/notes/node.md#reverts',
    what: 'a call that ends at INVALID',
    ask: ({ chain }) => ['eth_call', { to: chain.invalid }, 'latest'],
    seed: gives('0x'),
    node: gives('0x'),
    page: gives('0x'),
  },
  {
    section: 'docs/notes/node.md#reverts',
    what: 'value that the sender does not have',
    ask: ({ chain }) => [
      'eth_call',
      { from: chain.emitter, to: chain.emitter, value: '0xffffffff' },
      'latest',
    ],
    seed: gives('0x'),
    node: gives('0x'),
    page: gives('0x'),
  },
]);

inBothDialects({}, (page) => {
  test('docs/notes/node.md#reverts a revert is asked for once', async () => {
    const before = page().sent('eth_call').length;
    await page().ask('eth_call', { to: page().chain.reverting.string, data: '0x01' }, 'latest');
    expect(page().sent('eth_call').length).toBe(before + 1);
  });
});
