import { expect, test } from 'vitest';
import type { MinedBlock } from '../../../src/chain/blocks.js';
import { createFollower } from '../../../src/chain/follower.js';
import { createMemoryStorage } from '../../../src/storage/memory.js';
import { createSubscriptions, type Header } from '../../../src/subscriptions/subscriptions.js';
import { createFakeClock, settled } from '../../support/fake-clock.js';
import { logEventsOf } from '../../support/log-events.js';
import { address, createSimulatedChain, type SimulatedChain, word } from '../../support/simulated-chain.js';

/** Blocks whose links to their parents cannot be those of a chain. */

const quantity = (height: number) => `0x${height.toString(16)}` as const;
type Answer = (method: string, params: readonly unknown[]) => unknown;

/** Answers `latest` with the first of these blocks, and each of them by its hash. */
function serve(...blocks: readonly MinedBlock[]): Answer {
  return (method, [selector]) => {
    if (method === 'eth_getBlockByNumber' && selector === 'latest') return blocks[0];
    if (method === 'eth_getBlockByHash') return blocks.find(({ hash }) => hash === selector);
    return undefined;
  };
}

const lies: readonly [what: string, lie: (head: MinedBlock, chain: SimulatedChain) => Answer][] = [
  [
    'a new head that names itself as its parent',
    (head) =>
      serve({ ...head, number: quantity(Number(head.number) + 1), hash: word(7), parentHash: word(7) }),
  ],
  [
    'a far head that names itself as its parent',
    (head) =>
      serve({ ...head, number: quantity(Number(head.number) + 900), hash: word(7), parentHash: word(7) }),
  ],
  [
    'two blocks that name each other',
    (head) => {
      const number = quantity(Number(head.number) + 2);
      return serve(
        { ...head, number, hash: word(7), parentHash: word(8) },
        { ...head, number: quantity(Number(head.number) + 1), hash: word(8), parentHash: word(7) },
      );
    },
  ],
  [
    'a head many blocks above the parent that it names',
    (head) =>
      serve({ ...head, number: quantity(Number(head.number) + 5), hash: word(7), parentHash: head.hash }),
  ],
  [
    'a head as high as the parent that it names',
    (head) => serve({ ...head, hash: word(7), parentHash: head.hash }),
  ],
  [
    'a head below the parent that it names',
    (head) =>
      serve({ ...head, number: quantity(Number(head.number) - 1), hash: word(7), parentHash: head.hash }),
  ],
  [
    'a parent that is not one lower than its child',
    (head) =>
      serve(
        { ...head, number: quantity(Number(head.number) + 2), hash: word(7), parentHash: word(8) },
        { ...head, number: quantity(Number(head.number) + 9), hash: word(8), parentHash: head.hash },
      ),
  ],
  [
    'blocks by height that name themselves as parents',
    (head) => {
      const tip = { ...head, number: quantity(Number(head.number) + 40), hash: word(7), parentHash: word(8) };
      return (method, [selector]) => {
        const height = Number(selector);
        if (method === 'eth_getBlockByNumber' && height > Number(head.number) && height < Number(tip.number))
          return { ...head, number: selector, hash: word(8), parentHash: word(8) };
        return serve(tip)(method, [selector]);
      };
    },
  ],
];

test.each(lies)(
  '%s: nothing is delivered, few requests are made, and the truth is followed again',
  async (_, lie) => {
    const chain = createSimulatedChain();
    const { clock, advance } = createFakeClock();
    for (let i = 0; i < 50; i++) chain.mine();
    const follower = createFollower({ service: chain.service, clock, interval: 8_000 });
    const heard = new Map<unknown, Header[]>();
    const subscriptions = createSubscriptions({
      ...{ service: chain.service, follower, clock, storage: createMemoryStorage() },
      ...logEventsOf({ service: chain.service, follower, clock }),
      emit: (id, header) => heard.set(id, [...(heard.get(id) ?? []), header as Header]),
    });
    const rest = async () => {
      for (let i = 0; i < 50; i++) await settled();
    };
    await subscriptions.subscribe({ kind: 'newHeads' });
    await subscriptions.subscribe({ kind: 'newHeads', resume: 'heads' });
    await subscriptions.subscribe({ kind: 'logs', criteria: {} });
    await subscriptions.subscribe({ kind: 'logs', criteria: {}, resume: 'logs' });
    await advance(1);
    await rest();

    chain.intercept(lie(chain.head(), chain));
    const before = chain.requests();
    const ticks = 10;
    for (let i = 0; i < ticks; i++) {
      await advance(30_000);
      await rest();
    }
    expect([...heard.values()].flat()).toEqual([]);
    // At most what it takes to read the 40 blocks that the lie claims, each time.
    expect(chain.requests() - before).toBeLessThan(ticks * 4 * 50);

    chain.intercept();
    const block = chain.mine({ address: address(1) });
    await advance(60_000);
    await rest();
    expect([...heard.values()].map((each) => each.map((one) => one.hash ?? one.blockHash))).toEqual(
      Array(4).fill([block.hash]),
    );
    subscriptions.clear();
    follower.stop();
  },
);

test('a first head that names itself as its parent is not delivered', async () => {
  const chain = createSimulatedChain();
  const { clock, advance } = createFakeClock();
  chain.mine();
  chain.intercept(serve({ ...chain.head(), hash: word(7), parentHash: word(7) }));
  const follower = createFollower({ service: chain.service, clock, interval: 8_000 });
  const steps: unknown[] = [];
  follower.watch((step) => void steps.push(step));
  await advance(60_000);
  await expect(follower.catchUp()).rejects.toMatchObject({ code: -32603 });
  expect(steps).toEqual([]);
  expect(follower.head()).toBe(null);
  follower.stop();
});
