import { describe, expect, onTestFinished, test } from 'vitest';
import { createPushedTabs, period } from '../../support/pushed-tabs.js';
import { createRandom } from '../../support/random.js';

const kinds = ['relay', 'node', 'filter'] as const;
const sockets = ['relay', 'node'] as const;

function setUp(kind: 'relay' | 'node' | 'filter' | 'none') {
  const world = createPushedTabs(kind);
  const opened: ReturnType<typeof world.openTab>[] = [];
  onTestFinished(() => {
    for (const { following } of opened) following.close();
  });
  const keep = <T extends (typeof opened)[number]>(tab: T): T => {
    opened.push(tab);
    return tab;
  };
  return {
    ...world,
    openTab: (...args: Parameters<typeof world.openTab>) => keep(world.openTab(...args)),
    openLive: async (...args: Parameters<typeof world.openLive>) => keep(await world.openLive(...args)),
  };
}

describe.each(sockets)('heads pushed by a %s', (kind) => {
  test('reach the page within two seconds, and the head is polled once a minute otherwise', async () => {
    const { chain, time, server, openLive, settle, headPolls } = setUp(kind);
    const tab = await openLive();
    expect(tab.following.service.isLive()).toBe(true);
    const before = { all: chain.requests(), heads: headPolls() };
    const mined: string[] = [];
    const delays: number[] = [];
    for (let block = 0; block < 60; block++) {
      await time.advance(23_000);
      mined.push(chain.mine().hash);
      const at = time.clock.now();
      server.push();
      await settle();
      await time.advance(1_000);
      delays.push((tab.received.at(-1)?.at ?? Number.POSITIVE_INFINITY) - at);
    }
    expect(tab.hashes()).toEqual(mined);
    expect(Math.max(...delays)).toBeLessThanOrEqual(1_000);
    // 60 blocks in 24 minutes. Of a relay each poll after a block is answered by the block itself.
    const polls = headPolls() - before.heads;
    expect(chain.requests() - before.all).toBe(polls);
    expect(polls).toBeLessThanOrEqual(kind === 'relay' ? 26 : 86);
  });

  test('several blocks at once, and a reorg, are delivered without a request by hash where the blocks are pushed', async () => {
    const { chain, time, server, openLive, settle } = setUp(kind);
    const tab = await openLive();
    for (let i = 0; i < 6; i++) chain.mine();
    server.push();
    await settle();
    await time.advance(2_000);
    const old = tab.hashes();
    chain.reorg(2, [], [], []);
    server.push();
    await settle();
    await time.advance(2_000);
    const chainNow = chain.canonical().map(({ hash }) => hash);
    expect(old).toHaveLength(6);
    expect(tab.hashes()).toEqual([...old, ...chainNow.slice(-3)]);
    if (kind === 'relay') expect(chain.sent.eth_getBlockByHash).toBe(undefined);
  });

  test('when the socket ends, the head is polled at once, and again at the usual interval', async () => {
    const { chain, time, sockets, openLive, settle, headPolls } = setUp(kind);
    const tab = await openLive();
    await time.advance(20_000);
    chain.mine();
    sockets.setDown(true);
    await settle();
    expect(tab.hashes()).toEqual([chain.head().hash]);
    const before = headPolls();
    await time.advance(10 * period);
    expect(headPolls() - before).toBe(10);
    expect(tab.following.service.isLive()).toBe(false);
  });

  test('when the socket is back, nothing is lost and polling rests again', async () => {
    const { chain, time, sockets, server, openLive, settle, headPolls } = setUp(kind);
    const tab = await openLive();
    sockets.setDown(true);
    await time.advance(60_000);
    sockets.setDown(false);
    const missed = chain.mine().hash;
    await time.advance(70_000);
    await settle();
    const next = chain.mine().hash;
    server.push();
    await settle();
    await time.advance(2_000);
    expect(tab.hashes()).toEqual([missed, next]);
    expect(tab.following.service.isLive()).toBe(true);
    const before = headPolls();
    await time.advance(120_000);
    expect(headPolls() - before).toBeLessThanOrEqual(3);
  });

  test('a server that falls silent is noticed after 45 s, and its blocks by polling', async () => {
    const { chain, time, server, openLive } = setUp(kind);
    const tab = await openLive();
    server.mute(true);
    chain.mine();
    await time.advance(46_000);
    expect(tab.following.service.isLive()).toBe(false);
    expect(tab.hashes()).toEqual([chain.head().hash]);
  });

  test('a server that answers and pushes no more heads loses its trust with the poll of a minute', async () => {
    const { chain, time, openLive } = setUp(kind);
    const tab = await openLive();
    chain.mine();
    await time.advance(61_000);
    expect(tab.hashes()).toEqual([chain.head().hash]);
    expect(tab.following.service.isLive()).toBe(false);
    // From now on heads are as late as without it, whatever it confirms and replays.
    const late: unknown[] = [];
    for (let block = 0; block < 40; block++) {
      chain.mine();
      await time.advance(period + 1_000);
      if (tab.hashes().at(-1) !== chain.head().hash) late.push(block);
    }
    expect(late).toEqual([]);
  });

  test('a server that confirms and never pushes delays no head', async () => {
    const { chain, time, openTab, settle, server } = setUp(kind);
    const tab = openTab();
    await tab.subscribe();
    await settle();
    const late: unknown[] = [];
    for (let block = 0; block < 40; block++) {
      chain.mine();
      await time.advance(period + 1_000);
      if (tab.hashes().at(-1) !== chain.head().hash) late.push(block);
      expect(tab.following.service.isLive()).toBe(false);
    }
    expect(late).toEqual([]);
    expect(server.connected()).toBeGreaterThan(0);
  });

  test('false heads deliver nothing, cost a poll a second at most, and end the push after three', async () => {
    const { chain, time, server, openLive, settle, headPolls } = setUp(kind);
    const tab = await openLive({ takesBlocks: false });
    const before = headPolls();
    for (let lie = 1; lie <= 3; lie++) {
      const hash = `0x${`${lie}`.repeat(64)}`;
      const false_ = { ...chain.head(), hash, number: `0x${(1_000 + lie).toString(16)}` };
      server.notify((subscribed) => (subscribed === 'newHeads' ? false_ : { removed: [], added: [false_] }));
      await settle();
      await time.advance(500);
    }
    await time.advance(7_000);
    await settle();
    expect(server.connected()).toBe(2);
    expect(headPolls() - before).toBeLessThanOrEqual(8);
    expect(tab.hashes()).toEqual([]);
    await time.advance(10_000);
    chain.mine();
    server.push();
    await settle();
    await time.advance(2_000);
    expect(tab.hashes()).toEqual([chain.head().hash]);
  });

  test('five tabs have one socket, and all of them get each head once', async () => {
    const { chain, time, server, openLive, openTab, settle, headPolls } = setUp(kind);
    const tabs = [await openLive()];
    for (let i = 1; i < 5; i++) {
      const tab = openTab();
      await tab.subscribe();
      await settle();
      tabs.push(tab);
    }
    // Their second poll learns that heads are pushed to the leader.
    await time.advance(60_000);
    expect(tabs.map(({ following }) => following.service.isLive())).toEqual(Array(5).fill(true));
    const before = headPolls();
    const mined: string[] = [];
    for (let block = 0; block < 20; block++) {
      mined.push(chain.mine().hash);
      server.push();
      await settle();
      await time.advance(25_000);
    }
    expect(server.connected()).toBe(1);
    for (const tab of tabs) expect(tab.hashes()).toEqual(mined);
    // 500 s: a poll a minute, and for the node one for each block.
    expect(headPolls() - before).toBeLessThanOrEqual(kind === 'relay' ? 14 : 32);
  });

  test('when the leading tab is closed, another opens a socket and misses nothing', async () => {
    const { chain, time, server, openLive, openTab, settle } = setUp(kind);
    const first = await openLive();
    const second = openTab();
    await second.subscribe();
    await settle();
    await time.advance(30_000);
    expect(second.following.service.isLive()).toBe(true);
    first.kill();
    const missed = chain.mine().hash;
    await settle();
    await time.advance(2_000);
    expect(server.connected()).toBe(2);
    expect(second.hashes()).toEqual([missed]);
    const next = chain.mine().hash;
    server.push();
    await settle();
    await time.advance(1_000);
    expect(second.hashes()).toEqual([missed, next]);
  });

  test('when the leading tab freezes, another notices it by its next poll', async () => {
    const { chain, time, server, openLive, openTab, settle } = setUp(kind);
    const first = await openLive();
    const second = openTab();
    await second.subscribe();
    await time.advance(30_000);
    expect(second.following.service.isLive()).toBe(true);
    first.freeze();
    const missed = chain.mine().hash;
    server.push();
    await time.advance(period + 3_000);
    await settle();
    expect(second.hashes()).toEqual([missed]);
    expect(server.connected()).toBe(2);
  });

  test('when the socket of the leading tab ends, the other tabs poll at once, too', async () => {
    const { chain, time, sockets, openLive, openTab, settle } = setUp(kind);
    const tabs = [await openLive(), openTab()];
    await tabs[1]?.subscribe();
    await time.advance(30_000);
    chain.mine();
    sockets.setDown(true);
    await settle();
    for (const tab of tabs) expect(tab.hashes()).toEqual([chain.head().hash]);
    expect(tabs.map(({ following }) => following.service.isLive())).toEqual([false, false]);
  });

  test('a hidden page has no socket and sends no request; shown again, it catches up', async () => {
    const { chain, time, server, openLive, settle } = setUp(kind);
    const tab = await openLive();
    tab.page.set(false);
    await settle();
    expect(server.count()).toBe(0);
    const before = chain.requests();
    const mined = [chain.mine().hash, chain.mine().hash];
    await time.advance(600_000);
    expect(chain.requests() - before).toBe(0);
    tab.page.set(true);
    await settle();
    await time.advance(2_000);
    expect(tab.hashes()).toEqual(mined);
    chain.mine();
    server.push();
    await settle();
    await time.advance(2_000);
    expect([server.count(), tab.following.service.isLive()]).toEqual([1, true]);
  });

  test('a tab that does not lead catches up with what was mined while it was hidden for seconds', async () => {
    const { chain, time, server, openLive, openTab, settle } = setUp(kind);
    await openLive();
    const second = openTab();
    await second.subscribe();
    await time.advance(30_000);
    expect(second.following.service.isLive()).toBe(true);
    second.page.set(false);
    const missed = chain.mine().hash;
    server.push();
    await settle();
    await time.advance(2_000);
    expect(second.hashes()).toEqual([]);
    second.page.set(true);
    await time.advance(period);
    expect(second.hashes()).toEqual([missed]);
  });

  test('without subscriptions there is no socket, and none is left after closing', async () => {
    const { time, server, openTab, settle } = setUp(kind);
    const tab = openTab();
    await settle();
    expect(server.connected()).toBe(0);
    const id = await tab.subscribe();
    await settle();
    expect(server.count()).toBe(1);
    tab.following.subscriptions.unsubscribe(id);
    await settle();
    expect(server.count()).toBe(0);
    await tab.subscribe();
    await settle();
    expect(server.count()).toBe(1);
    tab.following.close();
    await settle();
    expect(server.count()).toBe(0);
    await time.advance(600_000);
    expect(server.connected()).toBe(2);
  });

  test('where tabs cannot share, each has a socket of its own while it follows', async () => {
    const { origin, server, openLive, settle } = setUp(kind);
    origin.refuse('channel');
    const tab = await openLive();
    expect([server.count(), tab.following.service.isLive()]).toEqual([1, true]);
    tab.following.subscriptions.clear();
    await settle();
    expect(server.count()).toBe(0);
  });
});

test('a failed poll after a pushed head is repeated within seconds', async () => {
  const { chain, time, server, openLive, settle } = setUp('node');
  const tab = await openLive();
  chain.mine();
  let failures = 2;
  chain.intercept(() => {
    if (failures-- > 0) throw new Error('unreachable');
    return undefined;
  });
  server.push();
  await settle();
  await time.advance(4_000);
  expect(tab.hashes()).toEqual([chain.head().hash]);
});

test('a poll that a lagging node answers is repeated until it shows the pushed head', async () => {
  const { chain, time, server, openLive, settle } = setUp('node');
  const tab = await openLive();
  const old = chain.head();
  chain.mine();
  let lagging = 2;
  chain.intercept((_, [selector]) => (selector === 'latest' && lagging-- > 0 ? old : undefined));
  server.push();
  await settle();
  await time.advance(4_000);
  expect(tab.hashes()).toEqual([chain.head().hash]);
  expect(tab.following.service.isLive()).toBe(true);
});

test('a block beside the chain costs one poll and is not delivered', async () => {
  const { chain, time, server, openLive, settle, headPolls } = setUp('node');
  const tab = await openLive();
  chain.mine();
  server.push();
  await settle();
  await time.advance(5_000);
  const beside = server.headerOf({ ...chain.sibling(), number: '0x1' });
  const before = headPolls();
  server.notify(() => beside);
  server.notify(() => beside);
  await settle();
  await time.advance(10_000);
  expect(headPolls() - before).toBe(1);
  expect(tab.hashes()).toEqual([chain.head().hash]);
});

test.each(kinds)(
  'with a source of the kind "%s" nothing is lost or repeated over hours of blocks at random',
  async (kind) => {
    const { chain, time, server, openLive, settle } = setUp(kind);
    const tab = await openLive();
    const random = createRandom(11);
    const mined: string[] = [];
    for (let block = 0; block < 200; block++) {
      await time.advance(-Math.log(1 - random()) * 25_000);
      mined.push(chain.mine().hash);
      server.push();
    }
    await settle();
    await time.advance(60_000);
    await settle();
    expect(tab.hashes()).toEqual(mined);
  },
);

test.each(kinds)(
  'reads of the pages themselves delay no head from a source of the kind "%s"',
  async (kind) => {
    const { chain, time, server, openLive, openTab, settle } = setUp(kind);
    const tabs = [await openLive(), openTab()];
    await tabs[1]?.subscribe();
    await time.advance(60_000);
    const random = createRandom(21);
    const mined: string[] = [];
    const late: number[] = [];
    for (let block = 0; block < 150; block++) {
      mined.push(chain.mine().hash);
      const at = time.clock.now();
      const read = () => {
        for (const { head } of tabs) if (random() < 0.5) void head.latest({ maxAge: 0 });
      };
      read();
      for (let hop = Math.floor(random() * 4); hop > 0; hop--) await Promise.resolve();
      server.push();
      for (let hop = Math.floor(random() * 30); hop > 0; hop--) await Promise.resolve();
      read();
      await settle();
      // The filter is polled.
      await time.advance(kind === 'filter' ? period : 3_000);
      for (const tab of tabs) if (tab.received.at(-1)?.hash !== mined.at(-1)) late.push(block);
      expect(time.clock.now() - at).toBeLessThan(period + 1_000);
      await time.advance(random() * 30_000);
    }
    expect(late).toEqual([]);
    for (const tab of tabs) expect(tab.hashes()).toEqual(mined);
  },
);
