import { expect, test } from 'vitest';
import type { MinedBlock } from '../../../../src/chain/blocks.js';
import type { HeadSource } from '../../../../src/chain/heads/head-source.js';
import { createPushedHeads } from '../../../../src/chain/heads/pushed-heads.js';
import { createFakeClock, settled } from '../../../support/fake-clock.js';
import { createFakeVisibility } from '../../../support/fake-visibility.js';
import { createSimulatedChain, word } from '../../../support/simulated-chain.js';

const latest = ['eth_getBlockByNumber', ['latest', false]] as const;

/** Pushed heads without a follower: what is known is what the last poll has shown. */
async function setUp(options: Partial<createPushedHeads.Options> = {}) {
  const chain = createSimulatedChain({ urls: ['https://relay.example/31'] });
  for (let i = 0; i < 5; i++) chain.mine();
  const time = createFakeClock();
  const page = createFakeVisibility();
  let listener: HeadSource.Listener | undefined;
  const calls: string[] = [];
  let polls = 0;
  let lost = 0;
  const answered: unknown[] = [];
  const pushed = createPushedHeads({
    service: chain.service,
    source: {
      open(opened) {
        calls.push('open');
        listener = opened;
        return { close: () => void calls.push('close'), fail: () => void calls.push('fail') };
      },
      maxDelay: () => 10_000,
    },
    poll() {
      polls += 1;
      return pushed.service.request(...latest);
    },
    isKnown: () => false,
    isFollowing: () => false,
    interval: () => 12_000,
    onLost() {
      lost += 1;
    },
    onAnswer: (_method, _params, block) => void answered.push(block),
    clock: time.clock,
    visibility: page.visibility,
    ...options,
  });
  const source = () => listener as HeadSource.Listener;
  const hint = (block: MinedBlock, blocks?: readonly MinedBlock[]) =>
    source().head({ hash: block.hash, height: Number(block.number), blocks });
  const wait = async (ms: number) => {
    await settled();
    await time.advance(ms);
    await settled();
  };
  const confirm = async () => {
    pushed.setActive(true);
    source().state('live');
    await wait(2_000);
  };
  /** Live, and trusted for a first head. */
  const live = async () => {
    await confirm();
    hint(chain.mine());
    await wait(2_000);
  };
  const read = async () => (await pushed.service.request(...latest)) as MinedBlock;
  return {
    ...{ chain, time, page, pushed, calls, answered, source, hint, wait, confirm, live, read },
    polls: () => polls,
    lost: () => lost,
  };
}

test('it is open only while this tab sends requests and the page is visible', async () => {
  const { pushed, page, calls } = await setUp();
  expect(calls).toEqual([]);
  pushed.setActive(true);
  page.set(false);
  page.set(true);
  pushed.setActive(false);
  page.set(true);
  expect(calls).toEqual(['open', 'close', 'open', 'close']);
  pushed.setActive(true);
  pushed.close();
  pushed.setActive(true);
  expect(calls.slice(4)).toEqual(['open', 'close']);
  expect(page.listeners()).toBe(0);
});

test('a source that becomes live makes one poll, and so does a head, once', async () => {
  const { chain, hint, wait, confirm, polls } = await setUp();
  await confirm();
  expect(polls()).toBe(1);
  const block = chain.mine();
  hint(block);
  hint(block);
  await wait(5_000);
  hint(block);
  await wait(5_000);
  expect(polls()).toBe(2);
});

test('two heads in one turn make a poll that shows the newest', async () => {
  const { chain, hint, wait, confirm, polls, read } = await setUp();
  await confirm();
  const [first, second] = [chain.mine(), chain.mine()];
  hint(first, [first]);
  hint(second, [second]);
  await wait(500);
  expect(polls()).toBe(2);
  const before = chain.requests();
  expect(await read()).toEqual(second);
  expect(chain.requests() - before).toBe(0);
});

test('a flood of heads makes one poll a second', async () => {
  const { chain, hint, wait, live, polls } = await setUp();
  await live();
  const before = polls();
  for (let i = 0; i < 100; i++) {
    hint(chain.mine());
    await wait(100);
  }
  expect(polls() - before).toBeLessThanOrEqual(11);
});

test('a head that arrives during a poll gets a poll of its own', async () => {
  const { chain, hint, wait, live, read } = await setUp();
  await live();
  const first = chain.mine();
  let late = false;
  chain.intercept((_method, [selector]) => {
    if (selector !== 'latest' || late) return undefined;
    late = true;
    hint(chain.mine());
    return first;
  });
  hint(first);
  await wait(1_500);
  expect((await read()).hash).toBe(chain.head().hash);
  expect(chain.asked.filter(({ params }) => params[0] === 'latest').length).toBeGreaterThanOrEqual(3);
});

test('a pushed block answers one poll, and further ones within a second', async () => {
  const { chain, hint, wait, live, read, answered } = await setUp();
  await live();
  const block = chain.mine();
  hint(block, [block]);
  await wait(0);
  const before = chain.requests();
  await read();
  await wait(500);
  await read();
  expect(chain.requests() - before).toBe(0);
  expect(answered).toEqual([block, block, block]);
  await wait(600);
  await read();
  expect(chain.requests() - before).toBe(1);
});

test('pushed blocks answer reads by their hash, as copies', async () => {
  const { chain, hint, live, pushed } = await setUp();
  await live();
  const blocks = [chain.mine(), chain.mine()];
  hint(blocks[1] as MinedBlock, blocks);
  const request = () => pushed.service.request('eth_getBlockByHash', [blocks[0]?.hash, false]);
  const [one, other] = [await request(), await request()];
  expect(one).toEqual(blocks[0]);
  expect(one).not.toBe(other);
  expect(chain.sent.eth_getBlockByHash).toBe(undefined);
  await pushed.service.request('eth_getBlockByHash', [blocks[0]?.hash, true]);
  expect(chain.sent.eth_getBlockByHash).toBe(1);
});

test('a pushed block that the request’s own check refuses is read from the service', async () => {
  const { chain, hint, live, pushed } = await setUp();
  await live();
  const block = { ...chain.mine(), gasLimit: '0x1' } as MinedBlock;
  hint(block, [block]);
  const check = (result: unknown) => {
    if ((result as MinedBlock).gasLimit === '0x1') throw new Error('not this one');
  };
  expect(await pushed.service.request(...latest, { check })).toEqual(chain.head());
});

test('a block that is late, or of a lower fork, does not answer a poll', async () => {
  const { chain, hint, wait, live, read } = await setUp();
  await live();
  const old = chain.mine();
  chain.mine();
  await read();
  await wait(1_000);
  const lower = { ...old, hash: word(0xf0) };
  hint(lower, [lower]);
  expect((await read()).hash).toBe(chain.head().hash);
});

test('a source is trusted once a head of it has arrived that no poll had shown', async () => {
  const { chain, hint, wait, confirm, read, pushed } = await setUp();
  await confirm();
  expect(pushed.isLive()).toBe(false);
  const shown = chain.mine();
  await read();
  hint(shown);
  await wait(2_000);
  expect(pushed.isLive()).toBe(false);
  const earned = chain.mine();
  hint(earned);
  expect(pushed.isLive()).toBe(false);
  await wait(2_000);
  expect(pushed.isLive()).toBe(true);
});

test('false, old and repeated heads earn no trust', async () => {
  const { chain, source, hint, wait, confirm, pushed } = await setUp();
  const old = chain.canonical().at(-2) as MinedBlock;
  await confirm();
  source().head({ hash: word(0xf0), height: 900 });
  await wait(2_000);
  hint(old);
  source().head({});
  await wait(2_000);
  hint(chain.head());
  await wait(2_000);
  expect(pushed.isLive()).toBe(false);
});

test('a connection that is lost takes the trust with it', async () => {
  const { source, wait, live, pushed } = await setUp();
  await live();
  expect(pushed.isLive()).toBe(true);
  source().state('lost');
  source().state('live');
  await wait(2_000);
  expect(pushed.isLive()).toBe(false);
});

test('a head that a poll shows first takes the trust, and must be reported within ten seconds', async () => {
  const { chain, hint, wait, live, read, calls, pushed, lost } = await setUp();
  await live();
  await read();
  const reported = chain.mine();
  await read();
  expect(pushed.isLive()).toBe(false);
  await wait(9_000);
  hint(reported);
  await wait(5_000);
  expect(calls.at(-1)).toBe('open');
  hint(chain.mine());
  await wait(2_000);
  expect(pushed.isLive()).toBe(true);
  chain.mine();
  await read();
  await wait(9_900);
  expect(calls.at(-1)).toBe('open');
  await wait(200);
  expect([pushed.isLive(), calls.at(-1)]).toEqual([false, 'fail']);
  // Nobody follows here, so that nothing has to be polled.
  expect(lost()).toBe(0);
});

test('a lagging node, which shows an older block, does not count against the source', async () => {
  const { chain, wait, live, read, pushed } = await setUp();
  await live();
  const older = chain.canonical().at(-3);
  chain.intercept(() => older);
  await read();
  await wait(30_000);
  expect(pushed.isLive()).toBe(true);
});

test('a source is closed after 150 s without a poll, and opened by the next one', async () => {
  const { wait, live, read, calls } = await setUp();
  await live();
  await wait(150_000);
  await wait(150_000);
  expect(calls).toEqual(['open', 'close']);
  await read();
  expect(calls).toEqual(['open', 'close', 'open']);
});

test('a source that was closed changes nothing, whatever it says', async () => {
  const { chain, source, live, wait, pushed, polls } = await setUp();
  await live();
  const closed = source();
  pushed.setActive(false);
  const before = polls();
  closed.state('live');
  closed.head({ hash: chain.mine().hash });
  await wait(5_000);
  expect([pushed.isLive(), polls() - before]).toEqual([false, 0]);
});
