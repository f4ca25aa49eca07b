import { expect, test } from 'vitest';
import { createRecentBlocks } from '../../../src/chain/recent-blocks.js';
import { address, createSimulatedChain, type Emitted } from '../../support/simulated-chain.js';

const [token, other] = [address(0x70), address(0x71)];

/** Recent blocks to which each mined block is added. */
function setup() {
  const chain = createSimulatedChain();
  const recent = createRecentBlocks();
  const mine = (...emitted: readonly Emitted[]) => recent.add(chain.mine(...emitted));
  return { chain, recent, mine };
}

test('excludes logs that no bloom in the range may contain', () => {
  const { recent, mine } = setup();
  mine();
  mine({ address: other });
  mine();
  expect(recent.excludes({ address: token }, 1, 3)).toBe(true);
  expect(recent.excludes({ address: other }, 1, 3)).toBe(false);
  expect(recent.excludes({ address: other }, 3, 3)).toBe(true);
  expect(recent.excludes({ address: [token, other] }, 1, 2)).toBe(false);
  // Without criteria every log is wanted, and a bloom cannot exclude that there is one.
  expect(recent.excludes({}, 3, 3)).toBe(false);
});

test('excludes nothing for a range with blocks that were not added', () => {
  const { chain, recent, mine } = setup();
  mine();
  chain.mine();
  expect(recent.add(chain.mine())).toBe(false);
  expect(mine()).toBe(true);
  expect(recent.excludes({ address: token }, 3, 4)).toBe(true);
  expect(recent.excludes({ address: token }, 2, 4)).toBe(false);
  expect(recent.excludes({ address: token }, 1, 1)).toBe(false);
  expect(recent.excludes({ address: token }, 4, 5)).toBe(false);
  expect(recent.excludes({ address: token }, 4, 3)).toBe(false);
});

test('excludes nothing for removed blocks', () => {
  const { chain, recent, mine } = setup();
  mine();
  mine();
  chain.reorg(1, [{ address: token }], []);
  recent.add(chain.head());
  expect(recent.excludes({ address: token }, 3, 3)).toBe(true);
  expect(recent.excludes({ address: token }, 2, 3)).toBe(false);
});

test('a block without a bloom excludes nothing', () => {
  const { chain, recent } = setup();
  const { logsBloom: _, ...block } = chain.mine();
  recent.add(block);
  expect(recent.excludes({ address: token }, 1, 1)).toBe(false);
});

test('the last 32 blocks are kept', () => {
  const { recent, mine } = setup();
  for (let i = 0; i < 40; i++) mine();
  expect(recent.excludes({ address: token }, 9, 40)).toBe(true);
  expect(recent.excludes({ address: token }, 8, 40)).toBe(false);
  expect(recent.blocks).toHaveLength(32);
});
