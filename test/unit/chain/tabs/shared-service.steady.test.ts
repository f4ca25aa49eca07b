import { expect, test } from 'vitest';
import { createSharedService } from '../../../../src/chain/tabs/shared-service.js';
import { createSettling } from '../../../../src/service/steady/settling.js';
import { createSteadyService } from '../../../../src/service/steady/steady-service.js';
import { createBalancedNodes, type NodeBlock } from '../../../support/balanced-nodes.js';
import { createFakeClock } from '../../../support/fake-clock.js';
import { createFakeOrigin } from '../../../support/fake-origin.js';

/** Two tabs with a memory each; the first one leads, and reaches the second node. */
async function setUp() {
  const nodes = createBalancedNodes();
  nodes.grow(5);
  const time = createFakeClock();
  const origin = createFakeOrigin(time.clock);
  const openTab = (node: number) => {
    const tab = origin.createTab();
    const { request } = nodes.service;
    const own = {
      ...nodes.service,
      request: (...call: Parameters<typeof request>) => {
        nodes.route([node]);
        return request(...call);
      },
    };
    const steady = createSteadyService({ service: tab.reach(own), clock: tab.clock, createSettling });
    const shared = createSharedService(steady, {
      name: 'graft:wallet',
      clock: tab.clock,
      locks: tab.locks,
      open: tab.open,
      visibility: tab.page.visibility,
      onAnswer: steady.note,
      accepts: steady.accepts,
    });
    return { steady, shared };
  };
  const leader = openTab(1);
  const poll = ({ shared }: typeof leader) =>
    time.until(
      shared.request('eth_getBlockByNumber', ['latest', false], { maxAge: 0 }),
    ) as Promise<NodeBlock>;
  await poll(leader);
  const other = openTab(0);
  await poll(other);
  return { nodes, time, leader, other, poll };
}

test('a tab that has seen more than the leader asks itself, and takes nothing back', async () => {
  const { nodes, time, other, poll } = await setUp();
  const block = nodes.mine(nodes.tips[0]);
  nodes.tips[0] = block;
  await time.until(other.steady.request('eth_blockNumber', []));
  expect(await poll(other)).toMatchObject({ hash: block.hash });
});

test('a tab takes note of what the leader sends', async () => {
  const { nodes, time, other, poll } = await setUp();
  const block = nodes.mine(nodes.tips[1]);
  nodes.tips[1] = block;
  expect(await poll(other)).toMatchObject({ hash: block.hash });
  // Its own node is behind.
  expect(await time.until(other.steady.request('eth_blockNumber', []))).toBe(block.number);
});
