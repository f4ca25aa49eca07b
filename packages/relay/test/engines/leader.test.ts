import { expect, test } from 'vitest';
import { createRelayRig } from '../../../../test/support/relay-rig.js';
import { address, createSimulatedChain, word } from '../../../../test/support/simulated-chain.js';
import type { Engine, RelayStep } from '../../src/engines/engine.js';
import { createInProcessEngine } from '../../src/engines/in-process.js';

const emitted = { address: address(0xa), topics: [word(1)] };

/** An engine whose steps have the logs, as where instances are on several machines. */
function setUp() {
  const chain = createSimulatedChain();
  for (let i = 0; i < 3; i++) chain.mine();
  const inner = createInProcessEngine();
  const published: RelayStep[] = [];
  let failures = 0;
  const engine: Engine = {
    ...inner,
    async publish(step) {
      failures -= 1;
      if (failures >= 0) throw new Error('the database is away');
      const copy = JSON.parse(JSON.stringify(step)) as RelayStep;
      published.push(copy);
      await inner.publish(copy);
    },
    logs: { ...inner.logs, inSteps: true },
  };
  const rig = createRelayRig({ chain, engine });
  const fail = (times: number) => {
    failures = times;
  };
  return { ...rig, published, fail };
}

test('a step is plain JSON, with the logs where somebody wants them', async () => {
  const { chain, connect, tick, published, clock } = setUp();
  const client = connect();
  await client.call('eth_subscribe', 'newHeads');
  chain.mine(emitted);
  await tick();
  expect(published.at(-1)).toEqual({ removed: [], added: [chain.head()], seen: clock.now() });
  await client.call('eth_subscribe', 'logs', {});
  const block = chain.mine(emitted);
  await tick();
  expect(published.at(-1)).toMatchObject({ logs: { [block.hash]: chain.logsOf(block) } });
  chain.mine();
  await tick();
  expect(published.at(-1)?.logs).toEqual({});
  expect(client.logs()).toHaveLength(1);
  expect(chain.sent.eth_getLogs).toBe(1);
});

test('logs that the leader could not read are read by who wants them', async () => {
  const { chain, connect, tick, advance, published } = setUp();
  const client = connect();
  const heads = await client.call('eth_subscribe', 'newHeads');
  await client.call('eth_subscribe', 'logs', {});
  chain.intercept((method) => {
    if (method === 'eth_getLogs') throw new Error('not now');
  });
  const block = chain.mine(emitted);
  await tick();
  expect(published.at(-1)?.logs).toEqual({});
  expect(client.heads(heads)).toEqual([block.hash]);
  chain.intercept();
  await advance(5_000);
  expect(client.logs()).toHaveLength(1);
});

test('a step that could not be published comes again, before newer ones', async () => {
  const { chain, connect, tick, published, fail } = setUp();
  const client = connect();
  await client.call('eth_subscribe', 'newHeads');
  fail(1);
  const first = chain.mine();
  await tick();
  expect(client.heads()).toEqual([]);
  const second = chain.mine();
  await tick();
  expect(client.heads()).toEqual([first.hash, second.hash]);
  expect(published.slice(-2).map(({ added }) => added.map(({ hash }) => hash))).toEqual([
    [first.hash],
    [second.hash],
  ]);
});

test('restored subscriptions get the removals of logs of earlier steps', async () => {
  const { chain, connect, tick } = setUp();
  const first = connect();
  await first.call('eth_subscribe', 'logs', { address: address(0xa) });
  chain.mine(emitted);
  await tick();
  const topics = first.session.topics();
  first.session.close();
  const second = connect();
  second.session.restore(topics);
  chain.reorg(1, [], []);
  await tick();
  expect(second.logs()).toEqual(first.logs().map((log) => ({ ...log, removed: true })));
  expect(second.logs()).toHaveLength(1);
});
