import { expect, test } from 'vitest';
import type { Log } from '../../../src/rpc/schema.js';
import { createDeliveredBlocks, markRemoved, sizeOf } from '../../../src/subscriptions/delivered-blocks.js';
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
const delivered = (...blocks: readonly DeliveredBlock[]) =>
  createDeliveredBlocks({ maxBlocks: 512, delivered: blocks });

test('delivered blocks are taken back newest first, once', () => {
  const all = delivered(first, second);
  all.add([third]);
  expect(all.above(1)).toEqual([second, third]);
  expect(all.remove(1)).toEqual([...second.logs, ...third.logs].reverse().map(markRemoved));
  expect(all.remove(1)).toEqual([]);
  expect([all.blocks(), all.find(first.hash), all.find(second.hash)]).toEqual([[first], first, undefined]);
});

test('blocks without logs are not kept', () => {
  const all = delivered(first);
  all.add([{ ...second, logs: [] }]);
  expect(all.blocks()).toEqual([first]);
});

test('compared with what is true, only what is new is delivered', () => {
  const all = delivered(first, second);
  expect(all.compare(0, 4, [first, second, fourth])).toEqual({ added: [fourth], rollbackTo: null });
  expect(all.compare(1, 4, [second])).toEqual({ added: [], rollbackTo: null });
  expect(all.compare(2, 4, [fourth])).toEqual({ added: [fourth], rollbackTo: null });
});

test('everything from the first block that differs or is gone is rolled back and delivered again', () => {
  const all = delivered(first, third, fifth);
  const { hash } = instead(third);
  expect(all.compare(0, 6, [first, instead(third), fifth])).toMatchObject({
    added: [{ hash }, fifth],
    rollbackTo: 2,
  });
  expect(all.compare(0, 6, [first, third])).toEqual({ added: [], rollbackTo: 4 });
  expect(all.compare(0, 6, [first, second, third, fifth])).toEqual({
    added: [second, third, fifth],
    rollbackTo: 2,
  });
});

test('higher blocks than are compared roll back to the common block below them, else stay', () => {
  const all = delivered(first, third, fifth);
  expect(all.compare(0, 4, [first, third])).toEqual({ added: [], rollbackTo: null });
  expect(all.compare(0, 4, [first, third, fourth])).toEqual({ added: [fourth], rollbackTo: 4 });
});

test('most, heights and size say what is kept; what is forgotten is neither taken back nor delivered again', () => {
  for (const [options, kept] of [
    [{ maxBlocks: 2 }, [fifth, sixth]],
    [{ maxBlocks: 512, heights: 3 }, [fourth, fifth, sixth]],
    [{ maxBlocks: 512, size: sizeOf(first) * 3 }, [fourth, fifth, sixth]],
    [{ maxBlocks: 512, size: 1 }, [sixth]],
  ] as const) {
    const all = createDeliveredBlocks(options);
    expect(all.forgotten()).toBe(-1);
    for (const block of blocks) all.add([block]);
    const at = 6 - kept.length;
    expect([all.blocks(), all.forgotten()]).toEqual([kept, at]);
    expect(all.compare(0, 6, blocks)).toEqual({ added: [], rollbackTo: null });
    expect(all.compare(0, 6, [instead(first), ...blocks.slice(1, -1)])).toEqual({ added: [], rollbackTo: 5 });
    expect(all.remove(0)).toHaveLength(kept.flatMap(({ logs }): readonly Log[] => logs).length);
  }
});
