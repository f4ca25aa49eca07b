import { expect, test } from 'vitest';
import type { Log } from '../../../src/rpc/schema.js';
import { createDeliveredBlocks, removed, sizeOf } from '../../../src/subscriptions/delivered-blocks.js';
import type { DeliveredBlock } from '../../../src/subscriptions/durable/cursor-store.js';
import { address, createSimulatedChain } from '../../support/simulated-chain.js';

const emitted = { address: address(1) };
const chain = createSimulatedChain();
/** Blocks 1 to 6, each with two logs. */
const blocks = Array.from({ length: 6 }, (): DeliveredBlock => {
  const { number, hash, ...block } = chain.mine(emitted, emitted);
  return { number, hash, logs: chain.logsOf({ ...block, hash }) };
});
const [first, second, third, fourth, fifth, sixth] = blocks as [
  ...[DeliveredBlock, DeliveredBlock, DeliveredBlock, DeliveredBlock, DeliveredBlock, DeliveredBlock],
];
/** Another block of the same height. */
const instead = (block: DeliveredBlock): DeliveredBlock => ({
  ...block,
  hash: `${block.hash.slice(0, -4)}ffff` as DeliveredBlock['hash'],
});
const told = (...blocks: readonly DeliveredBlock[]) => createDeliveredBlocks({ most: 512, told: blocks });

test('what was told is taken back newest first, once', () => {
  const all = told(first, second);
  all.add([third]);
  expect(all.above(1)).toEqual([second, third]);
  expect(all.takeBack(1)).toEqual([...second.logs, ...third.logs].reverse().map(removed));
  expect(all.takeBack(1)).toEqual([]);
  expect([all.blocks(), all.find(first.hash), all.find(second.hash)]).toEqual([[first], first, undefined]);
});

test('blocks without logs are not kept', () => {
  const all = told(first);
  all.add([{ ...second, logs: [] }]);
  expect(all.blocks()).toEqual([first]);
});

test('compared with what is true, only what is new is told', () => {
  const all = told(first, second);
  expect(all.compare(0, 4, [first, second, fourth])).toEqual({ news: [fourth], leaves: null });
  expect(all.compare(1, 4, [second])).toEqual({ news: [], leaves: null });
  expect(all.compare(2, 4, [fourth])).toEqual({ news: [fourth], leaves: null });
});

test('from the first block that is another one, or is there no more, all is taken back and told anew', () => {
  const all = told(first, third, fifth);
  const { hash } = instead(third);
  expect(all.compare(0, 6, [first, instead(third), fifth])).toMatchObject({
    news: [{ hash }, fifth],
    leaves: 2,
  });
  expect(all.compare(0, 6, [first, third])).toEqual({ news: [], leaves: 4 });
  expect(all.compare(0, 6, [first, second, third, fifth])).toEqual({
    news: [second, third, fifth],
    leaves: 2,
  });
});

test('what is told of higher blocks than are compared leaves with what is below it, else stays', () => {
  const all = told(first, third, fifth);
  expect(all.compare(0, 4, [first, third])).toEqual({ news: [], leaves: null });
  expect(all.compare(0, 4, [first, third, fourth])).toEqual({ news: [fourth], leaves: 4 });
});

test('most, heights and size say what is kept; what is forgotten is neither taken back nor told again', () => {
  for (const [options, kept] of [
    [{ most: 2 }, [fifth, sixth]],
    [{ most: 512, heights: 3 }, [fourth, fifth, sixth]],
    [{ most: 512, size: sizeOf(first) * 3 }, [fourth, fifth, sixth]],
    [{ most: 512, size: 1 }, [sixth]],
  ] as const) {
    const all = createDeliveredBlocks(options);
    expect(all.forgotten()).toBe(-1);
    for (const block of blocks) all.add([block]);
    const at = 6 - kept.length;
    expect([all.blocks(), all.forgotten()]).toEqual([kept, at]);
    expect(all.compare(0, 6, blocks)).toEqual({ news: [], leaves: null });
    expect(all.compare(0, 6, [instead(first), ...blocks.slice(1, -1)])).toEqual({ news: [], leaves: 5 });
    expect(all.takeBack(0)).toHaveLength(kept.flatMap(({ logs }): readonly Log[] => logs).length);
  }
});
