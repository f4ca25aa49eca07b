import { expect, test } from 'vitest';
import { createLineage } from '../../../src/chain/recent-blocks.js';
import { address, createSimulatedChain, type Emitted } from '../../support/simulated-chain.js';

const [token, other] = [address(0x70), address(0x71)];

/** A lineage that was shown each block as it came. */
function setup() {
  const chain = createSimulatedChain();
  const lineage = createLineage();
  const mine = (...emitted: readonly Emitted[]) => lineage.add(chain.mine(...emitted));
  return { chain, lineage, mine };
}

test('denies what no bloom of the blocks in between may hold', () => {
  const { lineage, mine } = setup();
  mine();
  mine({ address: other });
  mine();
  expect(lineage.denies({ address: token }, 1, 3)).toBe(true);
  expect(lineage.denies({ address: other }, 1, 3)).toBe(false);
  expect(lineage.denies({ address: other }, 3, 3)).toBe(true);
  expect(lineage.denies({ address: [token, other] }, 1, 2)).toBe(false);
  // Without a wish every log is wanted, and a bloom cannot deny that there is one.
  expect(lineage.denies({}, 3, 3)).toBe(false);
});

test('knows nothing of blocks that it was not shown', () => {
  const { chain, lineage, mine } = setup();
  mine();
  chain.mine();
  expect(lineage.add(chain.mine())).toBe(false);
  expect(mine()).toBe(true);
  expect(lineage.denies({ address: token }, 3, 4)).toBe(true);
  expect(lineage.denies({ address: token }, 2, 4)).toBe(false);
  expect(lineage.denies({ address: token }, 1, 1)).toBe(false);
  expect(lineage.denies({ address: token }, 4, 5)).toBe(false);
  expect(lineage.denies({ address: token }, 4, 3)).toBe(false);
});

test('nothing of a branch that was left', () => {
  const { chain, lineage, mine } = setup();
  mine();
  mine();
  chain.reorg(1, [{ address: token }], []);
  lineage.add(chain.head());
  expect(lineage.denies({ address: token }, 3, 3)).toBe(true);
  expect(lineage.denies({ address: token }, 2, 3)).toBe(false);
});

test('a block without a bloom denies nothing', () => {
  const { chain, lineage } = setup();
  const { logsBloom: _, ...block } = chain.mine();
  lineage.add(block);
  expect(lineage.denies({ address: token }, 1, 1)).toBe(false);
});

test('the last 32 are remembered', () => {
  const { lineage, mine } = setup();
  for (let i = 0; i < 40; i++) mine();
  expect(lineage.denies({ address: token }, 9, 40)).toBe(true);
  expect(lineage.denies({ address: token }, 8, 40)).toBe(false);
  expect(lineage.tips).toHaveLength(32);
});
