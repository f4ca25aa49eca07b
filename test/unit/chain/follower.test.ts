import { expect, test } from 'vitest';
import type { MinedBlock } from '../../../src/chain/blocks.js';
import { createFollower, type Follower } from '../../../src/chain/follower.js';
import { errorCode, ProviderRpcError } from '../../../src/rpc/errors.js';
import { createFakeClock, settled } from '../../support/fake-clock.js';
import { createFakeVisibility } from '../../support/fake-visibility.js';
import { createSimulatedChain, word } from '../../support/simulated-chain.js';

const hashes = (blocks: readonly Pick<MinedBlock, 'hash'>[]) => blocks.map(({ hash }) => hash);

function setUp(options: createSimulatedChain.Options & Partial<createFollower.Options> = {}) {
  const chain = createSimulatedChain(options);
  const time = createFakeClock();
  const page = createFakeVisibility();
  for (let i = 0; i < 10; i++) chain.mine();
  const follower = createFollower({
    interval: 8_000,
    ...options,
    service: chain.service,
    clock: time.clock,
    visibility: page.visibility,
  });
  const steps: Follower.Step[] = [];
  const listen = (options?: Follower.WatchOptions) =>
    follower.watch((step) => void steps.push(step), options);
  /** Everything said since the last time, as hashes. */
  const heard = () =>
    steps
      .splice(0)
      .map(({ removed, added, ...rest }) => ({ removed: hashes(removed), added: hashes(added), ...rest }));
  const tick = async () => {
    await time.advance(8_000);
    await settled();
  };
  return { chain, time, page, follower, steps, listen, heard, tick };
}

const nothing: unknown[] = [];

test('says which blocks joined, and nothing of those before it watched', async () => {
  const { chain, follower, listen, heard, tick } = setUp();
  expect(follower.head()).toBe(null);
  listen();
  await settled();
  expect(follower.head()).toEqual(chain.head());
  expect(heard()).toEqual(nothing);
  const added = [chain.mine(), chain.mine(), chain.mine()];
  await tick();
  expect(heard()).toEqual([{ removed: [], added: hashes(added) }]);
  expect(follower.head()).toEqual(chain.head());
  follower.stop();
});

test('a tick is one request, whether nothing or one block happened', async () => {
  const { chain, follower, listen, tick } = setUp();
  listen();
  await settled();
  for (let i = 0; i < 20; i++) {
    if (i % 3 === 0) chain.mine();
    await tick();
  }
  expect(chain.sent).toEqual({ eth_getBlockByNumber: 21 });
  follower.stop();
});

test('the follower stops with its last watcher and forgets; the next one starts at the current head', async () => {
  const { chain, follower, listen, heard, tick, time } = setUp();
  const [first, second] = [listen(), listen()];
  await settled();
  first();
  chain.mine();
  await tick();
  expect(heard()).toHaveLength(1);
  second();
  second();
  const before = chain.requests();
  for (let i = 0; i < 10; i++) await tick();
  expect([chain.requests() - before, time.next(), follower.head()]).toEqual([0, undefined, null]);
  chain.mine();
  listen();
  await settled();
  expect(heard()).toEqual(nothing);
  expect(follower.head()).toEqual(chain.head());
  follower.stop();
});

test('unwatched during a walk, it asks no further', async () => {
  const { chain, listen, heard, time } = setUp();
  const unwatch = listen();
  await settled();
  for (let i = 0; i < 20; i++) chain.mine();
  const before = chain.requests();
  chain.intercept(async () => {
    if (chain.requests() - before >= 3) unwatch();
    return undefined;
  });
  await time.advance(8_000);
  expect(chain.requests() - before).toBeLessThanOrEqual(4);
  expect(heard()).toEqual(nothing);
});

test('unwatched while a reply is on its way, it stays forgotten', async () => {
  const { chain, follower, listen } = setUp();
  const unwatch = listen();
  chain.intercept(() => {
    unwatch();
    return chain.head();
  });
  await settled();
  expect([chain.requests(), follower.head()]).toEqual([1, null]);
});

test('watched again in the same turn, it still finds its beginning at once', async () => {
  const { chain, follower, listen } = setUp();
  listen()();
  listen();
  await settled();
  expect(follower.head()).toEqual(chain.head());
  follower.stop();
});

test('a later watcher gets only the steps after the poll that it caused', async () => {
  const { chain, follower, listen, heard } = setUp();
  follower.watch(() => {});
  await settled();
  chain.mine();
  listen();
  await settled();
  expect(heard()).toEqual(nothing);
  const { hash } = chain.mine();
  await follower.catchUp();
  expect(heard()).toEqual([{ removed: [], added: [hash] }]);
  follower.stop();
});

test('a subscriber that comes while the service is down begins where the others are', async () => {
  const { chain, follower, listen, heard } = setUp();
  follower.watch(() => {});
  await settled();
  chain.faults.errors = 1;
  listen();
  await settled();
  const { hash } = chain.mine();
  chain.faults.errors = 0;
  await follower.catchUp();
  expect(heard()).toEqual([{ removed: [], added: [hash] }]);
  follower.stop();
});

test('a reorganisation is undone newest first, then replayed oldest first', async () => {
  for (let depth = 1; depth <= 10; depth++) {
    const { chain, follower, listen, heard, tick } = setUp();
    listen();
    await settled();
    for (let i = 0; i < depth; i++) chain.mine();
    await tick();
    heard();
    const left = chain.canonical().slice(-depth).reverse();
    chain.reorg(depth, ...Array.from({ length: depth + 1 }, () => []));
    await tick();
    expect(heard()).toEqual([{ removed: hashes(left), added: hashes(chain.canonical().slice(-depth - 1)) }]);
    follower.stop();
  }
});

test('a block replaced by another of the same height is noticed at the next tick', async () => {
  const { chain, follower, listen, heard, tick } = setUp();
  listen();
  await settled();
  const before = chain.mine();
  await tick();
  heard();
  chain.reorg(1, []);
  await tick();
  expect(heard()).toEqual([{ removed: [before.hash], added: [chain.head().hash] }]);
  follower.stop();
});

test('a heavier fork is followed although it is lower', async () => {
  const { chain, follower, listen, heard, tick } = setUp({ difficulty: 10 });
  listen();
  await settled();
  chain.mine();
  chain.mine();
  await tick();
  heard();
  chain.reorg(2, []);
  chain.intercept((_method, [selector]) =>
    selector === 'latest' ? { ...chain.head(), totalDifficulty: '0xffff' } : undefined,
  );
  await tick();
  expect(heard()).toMatchObject([{ removed: [{}, {}], added: [chain.head().hash] }]);
  expect(chain.sent.eth_getBlockByNumber).toBe(3);
  follower.stop();
});

test('a lighter sibling becomes the head only after three polls in a row', async () => {
  const { chain, follower, listen, heard, tick } = setUp({ difficulty: 10 });
  listen();
  await settled();
  const ours = chain.mine();
  await tick();
  heard();
  chain.reorg(1, []);
  const sibling = { ...chain.head(), totalDifficulty: '0x1' };
  let sees = sibling;
  chain.intercept((_method, [selector]) =>
    selector === 'latest' || selector === ours.number ? sees : undefined,
  );
  await tick();
  await tick();
  sees = { ...ours, totalDifficulty: '0x2' };
  await tick();
  sees = sibling;
  await tick();
  await tick();
  expect(heard()).toEqual(nothing);
  await tick();
  expect(heard()).toEqual([{ removed: [ours.hash], added: [sibling.hash] }]);
  follower.stop();
});

test('nodes that lag behind the balancer never move the head back (10,000 looks)', async () => {
  const { chain, follower, heard, listen } = setUp();
  listen();
  await settled();
  const [baseline, told] = [chain.head(), [] as string[]];
  chain.faults.lag = 5;
  for (let i = 0; i < 10_000; i++) {
    if (i % 10 === 0) chain.mine();
    await follower.catchUp().catch(() => {});
    for (const { removed, added } of heard()) {
      expect(removed).toEqual([]);
      told.push(...added);
    }
  }
  expect(told).toEqual(hashes(chain.canonical().slice(Number(baseline.number) + 1)).slice(0, told.length));
  expect(told.length).toBeGreaterThanOrEqual(995);
  follower.stop();
});

test('a node lagging on a side chain, and one that cannot tell, are not believed at once', async () => {
  const { chain, follower, listen, heard, tick } = setUp();
  listen();
  await settled();
  chain.mine();
  chain.mine();
  await tick();
  heard();
  // A sibling of our head's parent, from a node that has nothing at our height.
  chain.reorg(2, []);
  await tick();
  await tick();
  expect(heard()).toEqual(nothing);
  await tick();
  expect(heard()).toMatchObject([{ removed: [{}, {}], added: [chain.head().hash] }]);
  follower.stop();
});

test('a head below every emitted block proves no reorg', async () => {
  const { chain, follower, listen, heard, tick } = setUp();
  listen();
  await settled();
  const before = follower.head();
  chain.reorg(3, []);
  for (let i = 0; i < 10; i++) await tick();
  expect(heard()).toEqual(nothing);
  expect(follower.head()).toEqual(before);
  for (let i = 0; i < 3; i++) chain.mine();
  await tick();
  expect(follower.head()).toEqual(chain.head());
  follower.stop();
});

test.each([
  ['a fork from below the ring is undone from where it begins', false, 9, 10],
  ['where the node has forgotten what left, all that is in the ring is taken back', true, 5, 6],
])('%s', async (_, forgotten, removed, added) => {
  const { chain, follower, listen, heard, tick } = setUp({ ringSize: 5 });
  listen();
  await settled();
  for (let i = 0; i < 12; i++) chain.mine();
  await tick();
  heard();
  const left = chain.canonical().slice(-9).reverse();
  chain.reorg(9, ...Array.from({ length: 10 }, () => []));
  const gone: readonly unknown[] = hashes(left);
  if (forgotten) chain.intercept((_method, [selector]) => (gone.includes(selector) ? null : undefined));
  // One node that does not have it is no proof that all have forgotten it.
  for (let i = 0; i < (forgotten ? 3 : 1); i++) {
    expect(heard()).toEqual(nothing);
    await follower.catchUp().catch(() => {});
  }
  expect(heard()).toEqual([
    { removed: hashes(left.slice(0, removed)), added: hashes(chain.canonical().slice(-added)) },
  ]);
  const next = chain.mine();
  await tick();
  expect(heard()).toEqual([{ removed: [], added: [next.hash] }]);
  follower.stop();
});

test('after a long sleep the newest blocks are emitted and the skipped range is reported as missed', async () => {
  const { chain, follower, listen, heard, tick } = setUp({ walked: 20 });
  listen();
  await settled();
  const last = chain.mine();
  await tick();
  heard();
  const orphan = chain.head();
  chain.reorg(1, []);
  for (let i = 0; i < 100; i++) chain.mine();
  const before = chain.requests();
  await tick();
  const from = Number(last.number);
  expect(heard()).toEqual([
    { removed: [orphan.hash], missed: { from, to: from + 80 }, added: hashes(chain.canonical().slice(-20)) },
  ]);
  expect(chain.requests() - before).toBe(20 + 2);
  chain.mine();
  await tick();
  expect(heard()).toEqual([{ removed: [], added: [chain.head().hash] }]);
  follower.stop();
});

test('after a day asleep two dozen blocks are asked for, however many watch', async () => {
  const { chain, follower, listen, heard, tick } = setUp();
  for (let i = 0; i < 5; i++) listen();
  await settled();
  for (let i = 0; i < 2_900; i++) chain.mine();
  const before = chain.requests();
  await tick();
  expect(heard()).toEqual(
    Array(5).fill({
      removed: [],
      missed: { from: 11, to: 2_910 - 24 },
      added: hashes(chain.canonical().slice(-24)),
    }),
  );
  // The newest, its parents, and where it still stands.
  expect(chain.requests() - before).toBe(1 + 23 + 1);
  follower.stop();
});

test('headers are as many as one needs that was there before; the rest is missed', async () => {
  const { chain, follower, listen, heard, tick } = setUp();
  const sleep = async () => {
    for (let i = 0; i < 300; i++) chain.mine();
    await tick();
    const [step] = heard();
    const head = Number(chain.head().number);
    const walked = step?.added.length ?? 0;
    expect(step?.added).toEqual(hashes(chain.canonical().slice(-walked)));
    expect(step?.missed).toEqual({ from: head - 299, to: head - walked });
    return walked;
  };
  listen();
  await settled();
  expect(await sleep()).toBe(24);
  const stops = [listen({ headers: 60 }), listen({ headers: 40, passive: true })];
  await settled();
  expect(await sleep()).toBe(60);
  stops[0]?.();
  expect(await sleep()).toBe(40);
  stops[1]?.();
  // What comes with the look that it joins with it has not missed.
  for (let i = 0; i < 300; i++) chain.mine();
  listen({ headers: 100 });
  await settled();
  expect(heard()[0]?.added).toHaveLength(24);
  expect(await sleep()).toBe(100);
  follower.stop();
});

test('a fork from among what was missed is undone as far as it is known, the rest is named again', async () => {
  for (const forgotten of [false, true]) {
    const { chain, follower, listen, heard } = setUp({ walked: 20 });
    listen();
    await settled();
    for (let i = 0; i < 100; i++) chain.mine();
    await follower.catchUp();
    heard();
    const left = chain.canonical().slice(-50).reverse();
    const gone: readonly unknown[] = hashes(left);
    chain.reorg(50, ...Array.from({ length: 51 }, () => []));
    if (forgotten) chain.intercept((_method, [selector]) => (gone.includes(selector) ? null : undefined));
    for (let i = 0; i < (forgotten ? 3 : 1); i++) {
      expect(heard()).toEqual(nothing);
      await follower.catchUp().catch(() => {});
    }
    expect(heard()).toEqual([
      forgotten
        ? {
            removed: hashes(left.slice(0, 20)),
            missed: { from: 11, to: 90 },
            added: hashes(chain.canonical().slice(-21)),
          }
        : { removed: hashes(left), added: hashes(chain.canonical().slice(-51)) },
    ]);
    const next = chain.mine();
    await follower.catchUp();
    expect(heard()).toEqual([{ removed: [], added: [next.hash] }]);
    follower.stop();
  }
});

test('a fork from below all that is known, before a long sleep, is found by parent hash', async () => {
  const { chain, follower, listen, heard, tick } = setUp({ walked: 20 });
  listen();
  await settled();
  const left = chain.canonical().slice(-4).reverse();
  chain.reorg(4, ...Array.from({ length: 100 }, () => []));
  await tick();
  expect(heard()).toEqual([
    { removed: hashes(left), missed: { from: 7, to: 86 }, added: hashes(chain.canonical().slice(-20)) },
  ]);
  follower.stop();
});

test('where it still stands is asked of a node that can tell', async () => {
  const { chain, follower, listen, heard, tick } = setUp({ walked: 20 });
  listen();
  await settled();
  const { number } = chain.head();
  for (let i = 0; i < 100; i++) chain.mine();
  chain.intercept((_method, [selector]) => (selector === number ? null : undefined));
  await tick();
  expect(heard()).toEqual(nothing);
  chain.intercept();
  await tick();
  expect(heard()).toMatchObject([{ removed: [], missed: { from: Number(number) + 1 } }]);
  follower.stop();
});

test('a parent that the answering node does not have is asked for again, without those it had', async () => {
  const { chain, follower, listen, heard, tick } = setUp();
  listen();
  await settled();
  for (let i = 0; i < 6; i++) chain.mine();
  const [missing] = chain.canonical().slice(-3);
  const named = [missing?.hash, missing?.number];
  chain.intercept((_method, [selector]) => (named.some((each) => each === selector) ? null : undefined));
  await tick();
  expect(heard()).toEqual(nothing);
  chain.intercept();
  const before = chain.requests();
  await tick();
  expect(heard()).toEqual([{ removed: [], added: hashes(chain.canonical().slice(-6)) }]);
  expect(chain.requests() - before).toBe(1 + 4);
  follower.stop();
});

test('a reply that is no such block is a failure of that tick, and of no more', async () => {
  const { chain, follower, listen, heard } = setUp();
  listen();
  await settled();
  const [first, next] = [chain.mine(), chain.mine()];
  const nonsense: ((method: string) => unknown)[] = [
    () => null,
    () => ({}),
    () => 'block',
    () => ({ ...next, hash: null }),
    () => ({ ...next, number: null }),
    () => ({ ...next, number: 'twelve' }),
    () => ({ ...next, parentHash: '0x12' }),
    () => ({ ...next, transactions: undefined }),
    // Another block than the one whose hash was asked for; a parent that is not one lower.
    (method) => (method === 'eth_getBlockByHash' ? { ...first, hash: word(5) } : undefined),
    (method) => (method === 'eth_getBlockByHash' ? { ...next, hash: next.parentHash } : undefined),
    (method) =>
      method === 'eth_getBlockByNumber'
        ? { ...next, number: '0xfffff', parentHash: follower.head()?.hash }
        : undefined,
  ];
  for (const reply of nonsense) {
    chain.intercept(reply);
    await expect(follower.catchUp()).rejects.toMatchObject({ code: -32603 });
  }
  expect(heard()).toEqual(nothing);
  chain.intercept();
  await follower.catchUp();
  expect(heard()).toEqual([{ removed: [], added: hashes(chain.canonical().slice(-2)) }]);
  follower.stop();
});

test('failures stretch the ticks and never end them', async () => {
  const { chain, follower, listen, heard, time } = setUp();
  listen();
  await settled();
  chain.faults.errors = 1;
  await time.advance(10 * 60_000);
  expect(chain.requests()).toBeLessThan(25);
  chain.faults.errors = 0;
  const { hash } = chain.mine();
  await time.advance(30_000);
  expect(heard()).toEqual([{ removed: [], added: [hash] }]);
  follower.stop();
});

test('hidden it asks nothing, in view again it catches up', async () => {
  const { chain, follower, listen, heard, time, page } = setUp();
  listen();
  await settled();
  page.set(false);
  const before = chain.requests();
  for (let i = 0; i < 3; i++) chain.mine();
  await time.advance(3_600_000);
  expect(chain.requests() - before).toBe(0);
  page.set(true);
  await time.advance(0);
  expect(heard()).toEqual([{ removed: [], added: hashes(chain.canonical().slice(-3)) }]);
  follower.stop();
});

test('poke() polls at once, and sends nothing without a watcher', async () => {
  const { chain, follower, listen, heard } = setUp();
  follower.poke();
  await settled();
  expect(chain.requests()).toBe(0);
  listen();
  await settled();
  const { hash } = chain.mine();
  follower.poke();
  await settled();
  expect(heard()).toEqual([{ removed: [], added: [hash] }]);
  follower.stop();
});

test('a passive watcher starts no polls, and gets what catchUp() finds', async () => {
  const { chain, follower, listen, heard, tick, time } = setUp();
  const unwatch = listen({ passive: true });
  await follower.catchUp();
  for (let i = 0; i < 3; i++) chain.mine();
  for (let i = 0; i < 5; i++) await tick();
  expect(chain.requests()).toBe(1);
  await follower.catchUp();
  expect(heard()).toEqual([{ removed: [], added: hashes(chain.canonical().slice(-3)) }]);
  const active = follower.watch(() => {});
  await settled();
  chain.mine();
  await tick();
  expect(heard()).toHaveLength(1);
  active();
  expect(time.next()).toBe(undefined);
  chain.mine();
  await follower.catchUp();
  expect(heard()).toHaveLength(1);
  unwatch();
  expect(follower.head()).toBe(null);
});

test('catchUp() of many at once is one request, and sees what was mined before the call', async () => {
  const { chain, follower, listen, heard } = setUp();
  listen();
  await settled();
  chain.mine();
  const slow = follower.catchUp();
  await Promise.resolve();
  const { hash } = chain.mine();
  await Promise.all([slow, ...Array.from({ length: 10 }, () => follower.catchUp())]);
  expect(heard().flatMap(({ added }) => added)).toContain(hash);
  expect(chain.sent.eth_getBlockByNumber).toBe(3);
  follower.stop();
});

test('catchUp() rejects with the failure of the service', async () => {
  const { chain, follower, listen } = setUp();
  listen();
  await settled();
  chain.faults.errors = 1;
  await expect(follower.catchUp()).rejects.toMatchObject({ code: -32002 });
  follower.stop();
});

test('one step at a time per listener, the next when the last has settled; others do not wait', async () => {
  const { chain, follower, listen, heard } = setUp();
  const slow: string[][] = [];
  const releases: (() => void)[] = [];
  follower.watch(({ added }) => {
    slow.push(hashes(added));
    return new Promise((resolve) => void releases.push(resolve));
  });
  listen();
  await settled();
  const blocks: MinedBlock[] = [];
  for (let i = 0; i < 3; i++) {
    blocks.push(chain.mine());
    await follower.catchUp();
    await settled();
  }
  expect(heard()).toHaveLength(3);
  for (let i = 0; i < 3; i++) {
    expect(slow).toEqual(blocks.slice(0, i + 1).map(({ hash }) => [hash]));
    releases[i]?.();
    await settled();
  }
  follower.stop();
});

test('a listener that fails gets the same step again, with the next tick, and harms no other', async () => {
  const { chain, follower, listen, heard, tick } = setUp();
  const tries: Follower.Step[] = [];
  const told: Follower.Step[] = [];
  let broken = true;
  follower.watch((step) => {
    tries.push(step);
    if (broken) throw new Error('thrown');
    told.push(step);
  });
  follower.watch(async () => {
    if (broken) throw new Error('rejected');
  });
  listen();
  await settled();
  for (let i = 0; i < 3; i++) {
    chain.mine();
    await tick();
  }
  expect(heard()).toHaveLength(3);
  expect(new Set(tries).size).toBe(1);
  expect(tries).toHaveLength(3);
  broken = false;
  await tick();
  expect(told.flatMap(({ added }) => hashes(added))).toEqual(hashes(chain.canonical().slice(-3)));
  expect(told[0]).toBe(tries[0]);
  follower.stop();
});

test('a listener can tell that a block it struggles with is already gone', async () => {
  const { chain, follower, tick } = setUp();
  const said: boolean[] = [];
  follower.watch(({ added }, leaves) => {
    said.push(leaves(added[0] as MinedBlock));
    if (said.length < 2) throw new Error('not yet');
  });
  await settled();
  chain.mine();
  await tick();
  chain.reorg(1, [], []);
  await tick();
  expect(said).toEqual([false, true, false]);
  follower.stop();
});

test('stop() ends it for all', async () => {
  const { chain, follower, listen, heard, tick } = setUp();
  listen();
  await settled();
  follower.stop();
  chain.mine();
  await tick();
  expect(heard()).toEqual(nothing);
  expect(chain.requests()).toBe(1);
});

test('a follower created with the links of an earlier one continues where that one ended', async () => {
  const { chain, follower, listen, tick } = setUp();
  listen();
  await settled();
  chain.mine();
  await tick();
  const from = JSON.parse(JSON.stringify(follower.links()));
  expect(hashes(from).at(-1)).toBe(chain.head().hash);
  follower.stop();
  expect(follower.links()).toEqual([]);

  const replaced = chain.head();
  chain.reorg(1, [], []);
  const next = createFollower({ service: chain.service, interval: 8_000, from });
  const steps: Follower.Step[] = [];
  next.watch((step) => void steps.push(step), { passive: true });
  await next.catchUp();
  expect(steps.map(({ removed, added }) => [hashes(removed), hashes(added)])).toEqual([
    [[replaced.hash], hashes(chain.canonical().slice(-2))],
  ]);
  expect(hashes(next.links()).at(-1)).toBe(chain.head().hash);
  next.stop();
});

test('where no block was mined since the links of an earlier follower, nothing is delivered and the head is known', async () => {
  const { chain, follower, listen } = setUp();
  listen();
  await settled();
  const next = createFollower({ service: chain.service, interval: 8_000, from: follower.links() });
  follower.stop();
  const steps: Follower.Step[] = [];
  next.watch((step) => void steps.push(step), { passive: true });
  chain.intercept(() => {
    throw new Error('unreachable');
  });
  await expect(next.catchUp()).rejects.toThrow();
  chain.intercept();
  await next.catchUp();
  expect([steps.length, next.head()]).toEqual([0, chain.head()]);
  // After the first successful poll a new listener begins at the head, as with any follower.
  next.watch((step) => void steps.push(step), { passive: true });
  chain.mine();
  await next.catchUp();
  expect(steps).toHaveLength(1);
  chain.mine();
  await next.catchUp();
  expect(steps).toHaveLength(3);
  next.stop();
});

test('a follower continues from the links after a gap', async () => {
  const { chain } = setUp();
  const all = chain.canonical();
  const next = createFollower({ service: chain.service, from: [...all.slice(0, 3), ...all.slice(6, 9)] });
  expect(hashes(next.links())).toEqual(hashes(all.slice(6, 9)));
  next.stop();
});

test('nodes behind what was shown have nothing new: no poll fails, and none becomes rarer', async () => {
  const { chain, follower, listen, heard, tick } = setUp();
  listen();
  await settled();
  const behind = new ProviderRpcError(errorCode.internal, 'behind', { reason: 'behind' });
  let polls = 0;
  chain.intercept(() => {
    polls += 1;
    throw behind;
  });
  for (let i = 0; i < 5; i++) await tick();
  expect(polls).toBe(5);
  await expect(follower.catchUp()).resolves.toBeUndefined();
  expect(heard()).toEqual(nothing);
  chain.intercept();
  const block = chain.mine();
  await tick();
  expect(heard()).toEqual([{ removed: [], added: [block.hash] }]);
  follower.stop();
  // Without a block that it could go on from it is a failure.
  const fresh = setUp();
  fresh.chain.intercept(() => {
    throw behind;
  });
  fresh.listen();
  await expect(fresh.follower.catchUp()).rejects.toBe(behind);
  fresh.follower.stop();
});
