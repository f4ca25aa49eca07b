import { expect, test } from 'vitest';
import type { Hex } from '../../../packages/kit/src/local/index.js';
import { alice, clientOf, nobody, sign, word } from '../../support/local-client.js';
import { missingHash, type Page } from './page.js';
import { failsWith, inBothDialects, type Row, returns, testRows } from './rows.js';

/** Ranges of `eth_getLogs` (docs/notes/node.md#log-ranges). The small chain has one log, in block 2. */

const theLog = ({ chain }: Page) =>
  returns([expect.objectContaining({ blockHash: chain.block, logIndex: '0x0', data: `0x${word(9)}` })]);
const none = returns([]);
const both = (said: Row['seed']) => ({ seed: said, node: said });
const topic = `0x${word(7)}`;
const other = `0x${word(8)}`;

/** Queries with the same result from each dialect and for the page. */
const plain: readonly [title: string, filter: object | ((page: Page) => object), found: Row['page']][] = [
  ['no range is the latest block', {}, theLog],
  ['a range of numbers', { fromBlock: '0x0', toBlock: '0x2' }, theLog],
  ['a range that ends after the head', { fromBlock: '0x0', toBlock: '0xffff' }, theLog],
  ['a range that begins after the head', { fromBlock: '0xff', toBlock: '0xffff' }, none],
  ['from the earliest to the latest', { fromBlock: 'earliest', toBlock: 'latest' }, theLog],
  ['to the pending block', { fromBlock: '0x0', toBlock: 'pending' }, theLog],
  ['from the pending block', { fromBlock: 'pending' }, none],
  ['a block by its hash', ({ chain }) => ({ blockHash: chain.block }), theLog],
  ['a block that nobody knows', { blockHash: missingHash }, none],
  ['its address', ({ chain }) => ({ fromBlock: '0x0', address: chain.emitter }), theLog],
  ['one address of two', ({ chain }) => ({ fromBlock: '0x0', address: [nobody, chain.emitter] }), theLog],
  ['another address', { fromBlock: '0x0', address: nobody }, none],
  ['its topic', { fromBlock: '0x0', topics: [topic] }, theLog],
  ['another topic', { fromBlock: '0x0', topics: [other] }, none],
  ['one topic of two', { fromBlock: '0x0', topics: [[other, topic]] }, theLog],
  ['any topic, as null', { fromBlock: '0x0', topics: [null] }, theLog],
  ['any topic, as an empty list', { fromBlock: '0x0', topics: [[]] }, theLog],
  ['more topics than it has', { fromBlock: '0x0', topics: [topic, topic] }, none],
  ['more positions than it has topics, as null', { fromBlock: '0x0', topics: [topic, null, null] }, theLog],
  [
    'more positions than it has topics, as empty lists',
    { fromBlock: '0x0', topics: [topic, [], []] },
    theLog,
  ],
];

testRows([
  ...plain.map(
    ([title, filter, found]): Row => ({
      section: 'docs/notes/node.md#log-ranges',
      title,
      ask: (page) => ['eth_getLogs', typeof filter === 'function' ? filter(page) : filter],
      ...both(found),
      page: found,
    }),
  ),
  {
    section: 'docs/notes/node.md#log-ranges',
    title: 'a backward range is empty, although the node reads `earliest` as its end as `latest`',
    ask: ['eth_getLogs', { fromBlock: '0x1', toBlock: 'earliest' }],
    seed: none,
    node: theLog,
    page: none,
  },
  {
    section: 'docs/notes/node.md#log-ranges',
    title: 'a range from the latest block to an earlier one is empty',
    ask: ['eth_getLogs', { fromBlock: 'latest', toBlock: '0x1' }],
    ...both(none),
    page: none,
  },
  {
    section: 'docs/notes/node.md#log-ranges',
    title: 'a null among topic alternatives is omitted',
    ask: ['eth_getLogs', { fromBlock: '0x0', topics: [[null, other]] }],
    ...both(none),
    page: none,
  },
  {
    section: 'docs/notes/node.md#log-ranges',
    title: 'a decimal block number is an error',
    ask: ['eth_getLogs', { fromBlock: '1' }],
    ...both(failsWith(-32603, 'Internal server error', { status: 200 })),
    page: failsWith(-32602, /^params\[0\]\.fromBlock/),
  },
  {
    section: 'docs/notes/node.md#filters-lose-and-invent',
    title: 'a log over HTTP has no removed field',
    ask: ['eth_getLogs', {}],
    ...both(returns([expect.not.objectContaining({ removed: expect.anything() })])),
    page: theLog,
  },
]);

/** Low limits, so that the small chain reaches them. Each dialect keeps its own rule. */
const narrow = { seed: 'either', node: 'both' } as const;
inBothDialects(
  (dialect) => ({ service: { switches: { logLimit: { blocks: 3, logs: 2, rule: narrow[dialect] } } } }),
  (page) => {
    test('a range that is rejected as too large is split and read (docs/notes/node.md#log-ranges)', async () => {
      const { service, chain } = page();
      const { call } = clientOf(service);
      await service.controls.mine();
      for (let nonce = 9; nonce < 15; nonce++) {
        const data: Hex = `0x${word(7)}${word(nonce)}`;
        const raw = await sign({ nonce, to: chain.emitter, data, gas: 60_000n, value: 0n }, alice);
        await call('eth_sendRawTransaction', raw);
        await service.controls.mine();
      }
      const whole = ['eth_getLogs', { fromBlock: '0x0', toBlock: 'latest' }] as const;
      expect(await page().wire(...whole)).toEqual(failsWith(-32012, undefined, { status: 200 }));
      const { result } = (await page().ask(...whole)) as { result: { data: string }[] };
      expect(result.map(({ data }) => Number(data))).toEqual([9, 9, 10, 11, 12, 13, 14]);
    });
  },
);
