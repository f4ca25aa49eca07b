import { expect, test } from 'vitest';
import { createHead } from '../../../../src/chain/head-tracker.js';
import { retell } from '../../../../src/chain/tabs/retelling.js';
import type { SharedService } from '../../../../src/chain/tabs/shared-service.js';
import { createFakeClock, settled } from '../../../support/fake-clock.js';
import { createSimulatedChain } from '../../../support/simulated-chain.js';

const look = ['eth_getBlockByNumber', ['latest', false]] as const;

function setup() {
  const chain = createSimulatedChain({ urls: ['https://service.example'] });
  const { clock, advance } = createFakeClock();
  const observed: SharedService = createHeadService();
  const head = createHead({ service: () => reader, interval: 4_000, now: clock.now });
  /** What the page reads through. */
  const reader = head.observe(chain.service);
  let news = 0;
  const retold = retell(
    head.observe(observed),
    head,
    () => {
      news += 1;
    },
    clock.now,
  );
  const follow = (maxAge?: number) => retold.request(...look, maxAge === undefined ? {} : { maxAge });
  return { chain, head, advance, follow, retold, news: () => news };

  function createHeadService(): SharedService {
    return { ...chain.service, rest() {}, stop() {} };
  }
}

test('a look that the page has just had is told, and not asked for again', async () => {
  const { chain, head, advance, follow } = setup();
  await head.look();
  await advance(1_000);
  expect(await follow(4_000)).toEqual(chain.head());
  expect(chain.requests()).toBe(1);
});

test('each is told once', async () => {
  const { chain, head, follow } = setup();
  await head.look();
  await follow(4_000);
  await follow(4_000);
  expect(chain.requests()).toBe(2);
  await follow(4_000);
  expect(chain.requests()).toBe(3);
});

test('maxAge, none and an older look are asked anew', async () => {
  const { chain, head, advance, follow } = setup();
  await head.look();
  await follow();
  expect(chain.requests()).toBe(2);
  await head.look();
  await advance(501);
  await follow(500);
  expect(chain.requests()).toBe(4);
});

test('a look that does not count any more is not told', async () => {
  const { chain, head, advance, follow } = setup();
  await head.look();
  await advance(3_600);
  await follow(10_000);
  expect(chain.requests()).toBe(2);
});

test('says when a look of the page shows another head than was told', async () => {
  const { chain, head, advance, follow, news } = setup();
  await follow(4_000);
  expect(news()).toBe(0);
  await advance(4_000);
  await head.look();
  expect(news()).toBe(0);
  chain.mine();
  await advance(4_000);
  await head.look();
  expect(news()).toBe(1);
  expect(await follow(4_000)).toEqual(chain.head());
  expect(news()).toBe(1);
});

test('news that come while the follower asks wait for its own answer, and come with the next', async () => {
  const { chain, head, advance, follow, news } = setup();
  await follow(4_000);
  const old = chain.head();
  let answer = (_block: unknown) => {};
  const slow = new Promise((resolve) => {
    answer = resolve;
  });
  chain.intercept(() => slow);
  const own = follow(4_000);
  await settled();
  chain.intercept();
  chain.mine();
  await advance(3_600);
  await head.look();
  expect(news()).toBe(0);
  answer(old);
  await own;
  // Two nodes disagree: neither is taken for the head before another look.
  expect(news()).toBe(0);
  expect(await follow(4_000)).toEqual(chain.head());
});

test('what is told may be written into', async () => {
  const { head, follow } = setup();
  await head.look();
  ((await follow(4_000)) as { number: string }).number = '0xbad';
  expect(head.state().number).not.toBe('0xbad');
});

test('what the follower does not accept is asked for anew', async () => {
  const { chain, head, retold } = setup();
  await head.look();
  const check = () => {
    throw new Error('not this one');
  };
  await expect(retold.request(...look, { maxAge: 4_000, check })).rejects.toThrow();
  expect(chain.requests()).toBe(2);
});
