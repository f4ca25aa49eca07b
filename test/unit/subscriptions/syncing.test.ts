import { expect, test } from 'vitest';
import { methodNotFound } from '../../../src/rpc/core-errors.js';
import { type SyncingMessage, watchSyncing } from '../../../src/subscriptions/syncing.js';
import { createFakeClock, settled } from '../../support/fake-clock.js';
import { createSimulatedChain } from '../../support/simulated-chain.js';

const status = { startingBlock: '0x0', currentBlock: '0x5', highestBlock: '0x9' } as const;

async function setUp() {
  const chain = createSimulatedChain();
  const time = createFakeClock();
  const heard: SyncingMessage[] = [];
  const stop = watchSyncing({
    service: chain.service,
    clock: time.clock,
    emit: (message) => heard.push(message),
  });
  await settled();
  return { chain, time, heard, stop };
}

test('changes only, in the form of geth', async () => {
  const { chain, time, heard, stop } = await setUp();
  await time.advance(120_000);
  expect(heard).toEqual([]);
  chain.setSyncing(status);
  await time.advance(120_000);
  expect(heard).toEqual([{ syncing: true, status }]);
  chain.setSyncing({ ...status, currentBlock: '0x6' });
  await time.advance(60_000);
  chain.setSyncing(false);
  await time.advance(60_000);
  expect(heard.slice(1)).toEqual([{ syncing: true, status: { ...status, currentBlock: '0x6' } }, false]);
  expect(chain.requests()).toBe(7);
  stop();
  await time.advance(600_000);
  expect(chain.requests()).toBe(7);
});

test('a service that does not know the method is not asked again', async () => {
  const { chain, time, heard, stop } = await setUp();
  chain.intercept(() => {
    throw methodNotFound('eth_syncing');
  });
  await time.advance(60_000);
  const before = chain.requests();
  await time.advance(3_600_000);
  expect(chain.requests()).toBe(before);
  expect(heard).toEqual([]);
  stop();
});

test('nonsense is no change', async () => {
  const { chain, time, heard, stop } = await setUp();
  for (const nonsense of [null, 'yes', {}, true]) {
    chain.setSyncing(nonsense);
    await time.advance(120_000);
  }
  expect(heard).toEqual([]);
  stop();
});
