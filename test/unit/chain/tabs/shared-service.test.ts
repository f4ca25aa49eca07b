import { afterEach, describe, expect, test, vi } from 'vitest';
import type { MinedBlock } from '../../../../src/chain/blocks.js';
import { createFollower, type Follower } from '../../../../src/chain/follower.js';
import { createSharedService } from '../../../../src/chain/tabs/shared-service.js';
import { ProviderRpcError } from '../../../../src/rpc/errors.js';
import type { Hash, Hex, Log } from '../../../../src/rpc/schema.js';
import type { Service } from '../../../../src/service/service.js';
import { logEventsOf } from '../../../support/log-events.js';
import { fc } from '../../../support/property.js';
// Imported beforehand: the wallet loads it when it is first needed, which the fake clock does not wait for.
import '../../../../src/service/logs/receipt-logs.js';
import { createSubscriptions } from '../../../../src/subscriptions/subscriptions.js';
import { createFakeClock, settled } from '../../../support/fake-clock.js';
import { createFakeOrigin, type FakeTab } from '../../../support/fake-origin.js';
import { createRandom } from '../../../support/random.js';
import { address, createSimulatedChain, type SimulatedChain } from '../../../support/simulated-chain.js';

const interval = 4_000;
const wanted = { address: address(0xa) };

function setUp(options: createSimulatedChain.Options = {}) {
  const chain = createSimulatedChain({ urls: ['https://node.example/v1/s3cr3t-key-0'], ...options });
  const time = createFakeClock();
  const origin = createFakeOrigin(time.clock);
  const random = createRandom(7);
  for (let i = 0; i < 5; i++) chain.mine();

  /** A tab whose wallet shares; `service` is its own where it differs. */
  function openTab(name = 'graft:wallet', service: Service = chain.service) {
    const tab = origin.createTab();
    const shared = createSharedService(tab.reach(service), {
      name,
      random,
      clock: tab.clock,
      locks: tab.locks,
      open: tab.open,
      visibility: tab.page.visibility,
      onHead: () => void follower.catchUp().catch(() => {}),
    });
    const follower = createFollower({
      service: shared,
      interval,
      clock: tab.clock,
      visibility: tab.page.visibility,
      onIdle: shared.rest,
    });
    return { ...tab, shared, follower };
  }
  return { chain, time, origin, openTab };
}

type Opened = ReturnType<ReturnType<typeof setUp>['openTab']>;

/** As for `newHeads`: without it, blocks between the newest 24 and those told before would be left out. */
const everyBlock: Follower.WatchOptions = { headers: 1_000 };

/** Reads what a tab is told, as a page would, and objects to what cannot follow from what it was told before. */
function read(tab: Opened) {
  const heads: Hash[] = [];
  const logs: string[] = [];
  const objections: string[] = [];
  let told = 0;
  const unwatch = tab.follower.watch(({ removed, added }) => {
    // Nothing is told of what stood before the first look, but that it leaves.
    for (const { hash } of removed)
      if (heads.length > 0 && heads.pop() !== hash) objections.push(`removed ${hash}`);
    for (const { hash, parentHash } of added) {
      if (heads.length > 0 && heads.at(-1) !== parentHash) objections.push(`added ${hash}`);
      heads.push(hash);
      told += 1;
    }
  }, everyBlock);
  const subscriptions = createSubscriptions({
    service: tab.shared,
    follower: tab.follower,
    clock: tab.clock,
    ...logEventsOf({ service: tab.shared, follower: tab.follower, clock: tab.clock }),
    visibility: tab.page.visibility,
    emit(_, result) {
      const log = result as Log;
      const key = `${log.blockHash} ${log.logIndex}`;
      if (log.removed) {
        if (logs.pop() !== key) objections.push(`log removed ${key}`);
      } else if (logs.includes(key)) objections.push(`log twice ${key}`);
      else logs.push(key);
    },
  });
  const subscribed = subscriptions.subscribe({ kind: 'logs', criteria: wanted });
  return {
    heads,
    logs,
    objections,
    subscribed,
    told: () => told,
    async end() {
      unwatch();
      subscriptions.clear();
      await settled();
    },
  };
}

const hashes = (blocks: readonly MinedBlock[]) => blocks.map(({ hash }) => hash);
const expectedLogs = (chain: SimulatedChain, blocks: readonly Hash[]) =>
  blocks
    .flatMap((hash) => chain.logsOf({ hash }))
    .filter((log) => log.address === wanted.address)
    .map((log) => `${log.blockHash} ${log.logIndex}`);

/** Tabs that read, all up to date. */
async function readingTabs(count: number, options: createSimulatedChain.Options = {}) {
  const world = setUp(options);
  const tabs: Opened[] = [];
  const readers: ReturnType<typeof read>[] = [];
  for (let i = 0; i < count; i++) {
    const tab = world.openTab();
    tabs.push(tab);
    readers.push(read(tab));
    await settle();
  }
  const from = Number(world.chain.head().number) + 1;
  const mined = () => hashes(world.chain.canonical().slice(from));
  const tab = (index: number) => tabs[index] as Opened;
  const reader = (index: number) => readers[index] as ReturnType<typeof read>;
  return { ...world, tabs, readers, tab, reader, mined };
}

/** Messages, locks and replies hop a few times. */
async function settle(): Promise<void> {
  for (let i = 0; i < 12; i++) await settled();
}

const lookCount = (chain: SimulatedChain) =>
  chain.asked.filter(({ params: [selector] }) => selector === 'latest').length;

describe('five tabs', () => {
  test('they hear the same, and cost what one costs', async () => {
    const counts: number[] = [];
    for (const count of [1, 5]) {
      const { chain, time, tabs, readers, mined } = await readingTabs(count);
      const before = chain.requests();
      for (let round = 0; round < 20; round++) {
        chain.mine(...(round % 3 === 0 ? [{ address: wanted.address }] : []));
        if (round % 5 === 0) chain.mine();
        await time.advance(interval);
        await settle();
      }
      counts.push(chain.requests() - before);
      for (const { heads, logs, objections } of readers) {
        expect(objections).toEqual([]);
        expect(heads.slice(-mined().length)).toEqual(mined());
        expect(logs).toEqual(expectedLogs(chain, mined()));
        expect(logs).toHaveLength(7);
      }
      for (const { follower, shared } of tabs) {
        follower.stop();
        shared.stop();
      }
    }
    const [one, five] = counts as [number, number];
    expect(five).toBe(one);
  });

  test('they ask for the receipts of a block once where the service has no eth_getLogs', async () => {
    const { chain, time, readers, mined } = await readingTabs(5, { logsFrom: 'receipts' });
    const before = chain.sent.eth_getTransactionReceipt ?? 0;
    const block = chain.mine({ address: wanted.address }, { address: address(0xb) });
    for (let i = 0; i < 3; i++) {
      await time.advance(interval);
      await settle();
    }
    for (const { logs, objections } of readers) {
      expect(objections).toEqual([]);
      expect(logs).toEqual(expectedLogs(chain, mined()));
    }
    expect((chain.sent.eth_getTransactionReceipt ?? 0) - before).toBe(block.transactions.length);
  });

  test('the others hear of a new head when the leader does, without a request of their own', async () => {
    const { chain, tab, reader, time } = await readingTabs(3);
    const before = lookCount(chain);
    chain.mine();
    tab(1).follower.poke();
    await settle();
    expect(lookCount(chain)).toBe(before + 1);
    for (const index of [0, 1, 2]) expect(reader(index).heads.at(-1)).toBe(chain.head().hash);
    // All look again an interval later, and that is one request.
    await time.advance(interval);
    await settle();
    expect(lookCount(chain)).toBe(before + 2);
  });

  test('pokes of all tabs at once are one look, those of one tab are looks of their own', async () => {
    const { chain, tabs, tab, time } = await readingTabs(5);
    await time.advance(1_000);
    const before = lookCount(chain);
    for (const { follower } of tabs) follower.poke();
    await settle();
    expect(lookCount(chain)).toBe(before + 1);
    for (let i = 0; i < 3; i++) {
      await time.advance(10);
      await tab(2).follower.catchUp();
    }
    expect(lookCount(chain)).toBe(before + 4);
  });

  test('a poke takes no look that is older than half a second', async () => {
    const { chain, tab, reader, time } = await readingTabs(2);
    await time.advance(1_000);
    // Nothing new: nobody else is told.
    await tab(0).follower.catchUp();
    const before = lookCount(chain);
    chain.mine();
    await time.advance(600);
    tab(1).follower.poke();
    await settle();
    expect(lookCount(chain)).toBe(before + 1);
    expect(reader(1).heads.at(-1)).toBe(chain.head().hash);
  });

  test('the shortest interval is everybody’s', async () => {
    const { chain, openTab, reader, time } = await readingTabs(1);
    const hasty = openTab();
    const quick = createFollower({
      service: hasty.shared,
      interval: 1_000,
      clock: hasty.clock,
      visibility: hasty.page.visibility,
    });
    quick.watch(() => {});
    await settle();
    const before = lookCount(chain);
    for (let i = 0; i < 12; i++) {
      await time.advance(1_000);
      await settle();
    }
    expect(lookCount(chain) - before).toBeLessThanOrEqual(12);
    chain.mine();
    await time.advance(1_000);
    await settle();
    expect(reader(0).heads.at(-1)).toBe(chain.head().hash);
  });

  test('while the service fails, five tabs ask as often as one, and each once for itself', async () => {
    const counts: number[] = [];
    for (const count of [1, 5]) {
      const { chain, time } = await readingTabs(count);
      chain.faults.errors = 1;
      const before = chain.requests();
      await time.advance(120_000);
      await settle();
      counts.push(chain.requests() - before);
    }
    expect(counts[1]).toBeLessThanOrEqual((counts[0] as number) + 4);
  });

  test('one server filter tells all of them of pending transactions, and goes with the last', async () => {
    const { chain, time, openTab } = setUp();
    const pools = [0, 1, 2].map(() => {
      const tab = openTab();
      const heard: unknown[] = [];
      const subscriptions = createSubscriptions({
        service: tab.shared,
        follower: tab.follower,
        clock: tab.clock,
        ...logEventsOf({ service: tab.shared, follower: tab.follower, clock: tab.clock }),
        visibility: tab.page.visibility,
        emit: (_, result) => heard.push(result),
      });
      return { subscriptions, heard, page: tab.page };
    });
    const ids: Hex[] = [];
    for (const { subscriptions } of pools)
      ids.push(await subscriptions.subscribe({ kind: 'newPendingTransactions' }));
    expect(chain.filterCount()).toBe(1);
    const hash = (index: number) => `0x${index.toString(16).padStart(64, '0')}` as Hash;
    const expected: Hash[] = [];
    for (let round = 1; round <= 6; round++) {
      // One looks away for a while: what the others' polls took meanwhile is told to it, too.
      if (round === 2 || round === 4) pools[1]?.page.set(round === 4);
      chain.submit(hash(round));
      expected.push(hash(round));
      if (round === 4) {
        await time.advance(6_000);
        // What the pool took before is forgotten with the filter (docs/notes/node.md#filters-lose-and-invent).
        chain.restart();
      }
      await time.advance(6_000);
    }
    // A poll may be answered with another tab's, that is older by as much as lies between two.
    await time.advance(6_000);
    for (const { heard } of pools) expect(heard).toEqual(expected);
    expect(chain.filterCount()).toBe(1);
    for (const [index, { subscriptions }] of pools.entries()) {
      expect(chain.filterCount()).toBe(1);
      await subscriptions.unsubscribe(ids[index] as Hex);
      await settle();
    }
    expect(chain.filterCount()).toBe(0);
  });

  test('a hash that the server filter returns once reaches every tab, even if the polling tab fails for a while', async () => {
    const { chain, time, openTab } = setUp();
    let isDown = false;
    const unsteady: Service = {
      ...chain.service,
      async request(...question) {
        if (isDown) throw new ProviderRpcError(-32002, 'The service could not be reached');
        return chain.service.request(...question);
      },
    };
    const heard = await Promise.all(
      [unsteady, chain.service, chain.service].map(async (service) => {
        const tab = openTab('graft:wallet', service);
        const told: unknown[] = [];
        const subscriptions = createSubscriptions({
          service: tab.shared,
          follower: tab.follower,
          clock: tab.clock,
          ...logEventsOf({ service: tab.shared, follower: tab.follower, clock: tab.clock }),
          visibility: tab.page.visibility,
          emit: (_, hash) => told.push(hash),
        });
        await subscriptions.subscribe({ kind: 'newPendingTransactions' });
        return told;
      }),
    );
    const sent: Hash[] = [];
    for (let index = 1; index <= 12; index++) {
      isDown = index > 3 && index < 9;
      const hash = `0x${index.toString(16).padStart(64, '0')}` as Hash;
      chain.submit(hash);
      sent.push(hash);
      await time.advance(5_000);
    }
    await time.advance(60_000);
    for (const told of heard) expect(told).toEqual(sent);
  });
});

describe('a leader that', () => {
  /** Milliseconds until every tab of `which` has heard of a block that is mined now. */
  async function delay(world: Awaited<ReturnType<typeof readingTabs>>, which: readonly number[]) {
    const { chain, reader, time } = world;
    chain.mine({ address: wanted.address });
    const { hash } = chain.head();
    for (let waited = 0; ; waited += 100) {
      await settle();
      if (which.every((index) => reader(index).heads.at(-1) === hash)) return waited;
      expect(waited).toBeLessThan(20_000);
      await time.advance(100);
    }
  }

  const whole = ({ chain, mined, reader }: Awaited<ReturnType<typeof readingTabs>>, index: number) => {
    expect(reader(index).objections).toEqual([]);
    expect(reader(index).heads.slice(-mined().length)).toEqual(mined());
    expect(reader(index).logs).toEqual(expectedLogs(chain, mined()));
  };

  test('is closed is replaced at once, and nothing is lost or doubled', async () => {
    const world = await readingTabs(5);
    for (const leader of [0, 1, 2]) {
      world.tab(leader).kill();
      const rest = [0, 1, 2, 3, 4].filter((index) => index > leader);
      expect(await delay(world, rest)).toBeLessThanOrEqual(interval);
    }
    for (const index of [3, 4]) whole(world, index);
  });

  test('is closed while it asks costs the others no look', async () => {
    const world = await readingTabs(3);
    const { chain, time } = world;
    let asked = 0;
    chain.intercept((_, [selector]) => {
      if (selector === 'latest' && asked++ === 0) return new Promise(() => {});
      return undefined;
    });
    await time.advance(interval);
    await settle();
    expect(asked).toBe(1);
    world.tab(0).kill();
    await settle();
    expect(asked).toBe(2);
    chain.intercept();
    await delay(world, [1, 2]);
    for (const index of [1, 2]) whole(world, index);
  });

  test.each<[string, (request: Service['request'], told: MinedBlock) => Service['request']]>([
    [
      'has lost its connection',
      () => async () => {
        throw new ProviderRpcError(-32002, 'The service could not be reached');
      },
    ],
    ['says nonsense', () => async () => null],
    [
      'sees a chain that stands still',
      (request, told) => async (method, params, options) =>
        params[0] === 'latest' ? told : request(method, params, options),
    ],
  ])('%s is replaced by a tab that receives more', async (_what, spoil) => {
    const { chain, time, openTab } = setUp();
    let service = chain.service;
    const leader = openTab('graft:wallet', {
      ...chain.service,
      request: (...question) => service.request(...question),
    });
    leader.follower.watch(() => {});
    await settle();
    const other = openTab();
    const reader = read(other);
    await settle();
    await time.advance(2 * interval);
    service = { ...service, request: spoil(chain.service.request, chain.head()) };
    const mined: Hash[] = [];
    for (let block = 0; block < 20; block++) {
      mined.push(chain.mine({ address: wanted.address }).hash);
      await time.advance(25_000);
      await settle();
    }
    expect(reader.objections).toEqual([]);
    expect(reader.heads.slice(-mined.length)).toEqual(mined);
    expect(reader.logs).toEqual(expectedLogs(chain, mined));
    // At the price of one tab.
    expect(chain.requests()).toBeLessThan((20 * 25_000) / interval + 20 * 3 + 20);
  });

  test('is frozen is replaced about a second after it is missed, and follows when it wakes', async () => {
    const world = await readingTabs(5);
    const { time, tab, origin } = world;
    tab(0).freeze();
    // Missed at the others' next look.
    expect(await delay(world, [1, 2, 3, 4])).toBeLessThanOrEqual(interval + 1_400);
    expect(await delay(world, [1, 2, 3, 4])).toBeLessThanOrEqual(interval);
    const before = world.chain.requests();
    await time.advance(600_000);
    const slept = world.chain.requests() - before;
    tab(0).thaw();
    await time.advance(interval);
    await settle();
    expect(await delay(world, [0, 1, 2, 3, 4])).toBeLessThanOrEqual(interval);
    for (const index of [0, 1, 2, 3, 4]) whole(world, index);
    expect(origin.held()).toHaveLength(1);
    expect(origin.waiting()).toBe(4);
    // Awake again it costs nothing.
    const awake = world.chain.requests();
    await time.advance(600_000);
    expect(world.chain.requests() - awake).toBeLessThanOrEqual(slept + 2);
  });

  test('waits for a slow service is not taken for dead', async () => {
    const world = await readingTabs(3);
    const { chain, time, tab, origin } = world;
    let answer = () => {};
    let asked = 0;
    chain.intercept((_, [selector]) => {
      if (selector !== 'latest') return undefined;
      asked += 1;
      return new Promise((resolve) => {
        answer = () => resolve(undefined);
      });
    });
    chain.mine();
    await time.advance(interval);
    await time.advance(9_000);
    expect(asked).toBe(1);
    chain.intercept();
    answer();
    await settle();
    for (const index of [0, 1, 2]) expect(world.reader(index).heads.at(-1)).toBe(chain.head().hash);
    const leads = origin.said.filter(({ kind }) => kind === 'leading').length;
    expect(leads).toBe(1);
    tab(0).kill();
  });

  test('is hidden gives up the lead to one that is seen', async () => {
    const world = await readingTabs(3);
    world.tab(0).page.set(false);
    await settle();
    world.tab(0).freeze();
    expect(await delay(world, [1, 2])).toBeLessThanOrEqual(interval);
    expect(world.origin.held()).toHaveLength(1);
    for (const index of [1, 2]) whole(world, index);
  });
});

describe('leadership', () => {
  test('no tab sends, waits for a lock or listens before the first request', async () => {
    const { chain, origin, openTab } = setUp();
    const before = chain.requests();
    openTab();
    openTab();
    await settle();
    expect([chain.requests() - before, origin.held(), origin.listeners()]).toEqual([0, [], 0]);
  });

  test('no tab leads after the last subscription ends', async () => {
    const { chain, time, origin, readers } = await readingTabs(3);
    expect(origin.held()).toHaveLength(1);
    for (const { end } of readers) await end();
    const before = chain.requests();
    expect([origin.held(), origin.waiting(), origin.listeners()]).toEqual([[], 0, 0]);
    await time.advance(600_000);
    expect(chain.requests()).toBe(before);
  });

  test('no tab leads while all are hidden; a hidden tab that sends a request leads only for a moment', async () => {
    const { chain, time, origin, tabs, tab } = await readingTabs(3);
    for (const { page } of tabs) page.set(false);
    await settle();
    const before = chain.requests();
    await time.advance(60_000);
    expect([chain.requests() - before, origin.held(), origin.listeners()]).toEqual([0, [], 0]);
    await tab(1).follower.catchUp();
    expect([chain.requests() - before, origin.held().length]).toEqual([1, 1]);
    await time.advance(1_000);
    expect([origin.held(), origin.listeners()]).toEqual([[], 0]);
    // Back in view, each looks at once, and all at once is one look.
    chain.mine();
    const looks = lookCount(chain);
    for (const { page } of tabs) page.set(true);
    await time.advance(0);
    await settle();
    expect(lookCount(chain)).toBe(looks + 1);
  });

  test('no tab leads for long after a single request', async () => {
    const { time, origin, openTab } = setUp();
    const { shared } = openTab();
    await shared.request('eth_syncing', []);
    expect(origin.held()).toHaveLength(1);
    await time.advance(30_000);
    expect([origin.held(), origin.listeners()]).toEqual([[], 0]);
  });
});

describe('shared answers of tabs', () => {
  test('depends on the wallet’s name, the chain and its endpoints, and says nothing of the key', async () => {
    const { chain, origin, openTab } = setUp();
    const { network } = chain.service;
    const on = (part: Partial<Service['network']>): Service => ({
      ...chain.service,
      network: { ...network, ...part },
    });
    const tabs = [
      openTab('graft:a'),
      openTab('graft:b'),
      openTab('graft:a', on({ chainId: 30 })),
      openTab('graft:a', on({ urls: ['https://node.example/v1/another-key-1'] })),
      openTab('graft:a', on({ urls: [...network.urls, 'https://other.example/'] })),
    ];
    for (const { follower } of tabs) follower.watch(() => {});
    await settle();
    expect(origin.held()).toHaveLength(5);
    expect(lookCount(chain)).toBe(5);
    expect(origin.names().join(' ')).not.toMatch(/node|example|key/);
    const same = openTab('graft:a');
    same.follower.watch(() => {});
    await settle();
    expect(lookCount(chain)).toBe(5);
  });

  test('each tab itself requests reads and sends of its page, without a word to others', async () => {
    const { chain, origin, openTab } = setUp();
    const { shared } = openTab();
    const own: [method: string, params: readonly unknown[]][] = [
      ['eth_getBlockByNumber', ['latest', true]],
      ['eth_getBlockByNumber', ['0x1']],
      ['eth_getBlockByHash', [chain.head().hash, true]],
      ['eth_getLogs', [{ blockHash: chain.head().hash, address: wanted.address }]],
      ['eth_getLogs', [{ fromBlock: '0x1', toBlock: '0x2' }]],
      ['eth_sendRawTransaction', ['0x00']],
      ['eth_call', [{}, 'latest']],
    ];
    const before = chain.requests();
    for (const [method, params] of own) await shared.request(method, params).catch(() => {});
    expect(chain.requests() - before).toBe(own.length);
    expect([origin.said, origin.held()]).toEqual([[], []]);
    // Nor can a message make another tab ask it.
    await shared.request('eth_syncing', []);
    const then = chain.requests();
    for (const [index, [method, params]] of own.entries())
      origin.inject({ kind: 'request', id: `x${index}`, from: 'x', at: 1_000_000, method, params });
    await settle();
    expect(chain.requests()).toBe(then);
    // As a message can with what is shared.
    const params = ['0x1', false];
    origin.inject({
      kind: 'request',
      id: 'y',
      from: 'x',
      at: 1_000_000,
      method: 'eth_getBlockByNumber',
      params,
    });
    await settle();
    expect(chain.requests()).toBe(then + 1);
  });

  test('results are each asker’s own', async () => {
    const { openTab } = setUp();
    const [first, second] = [openTab(), openTab()];
    const [a, b] = (await Promise.all(
      [first, second].map(({ shared }) => shared.request('eth_getBlockByNumber', ['0x1', false])),
    )) as [Record<string, unknown>, Record<string, unknown>];
    expect(a).toEqual(b);
    a.number = 'mine';
    expect(b.number).toBe('0x1');
    expect(await first.shared.request('eth_getBlockByNumber', ['0x1', false])).toEqual(b);
  });

  test('by-hash answers are remembered, an unknown block’s are not', async () => {
    const { chain, openTab } = setUp();
    const [first, second] = [openTab(), openTab()];
    const block = chain.mine({ address: wanted.address });
    const ask = (tab: Opened, hash: Hash) => [
      tab.shared.request('eth_getBlockByHash', [hash, false]),
      tab.shared.request('eth_getLogs', [{ blockHash: hash }]),
    ];
    const unknown = `0x${'77'.repeat(32)}` as Hash;
    for (const tab of [first, second, first]) {
      const [found, logs] = await Promise.all(ask(tab, block.hash));
      expect(found).toEqual(chain.head());
      expect(logs).toEqual(chain.logsOf(block));
      expect(await Promise.all(ask(tab, unknown))).toEqual([null, []]);
    }
    expect(chain.sent).toEqual({ eth_getBlockByHash: 4, eth_getLogs: 4 });
  });

  test('a height is asked for again once the head was looked at again', async () => {
    const { chain, openTab, time } = setUp();
    const [first, second] = [openTab(), openTab()];
    const at = (tab: Opened) => tab.shared.request('eth_getBlockByNumber', ['0x3', false]);
    await at(first);
    await at(second);
    expect(chain.requests()).toBe(1);
    chain.reorg(4, [], [], [], [], []);
    await first.follower.catchUp();
    first.follower.watch(() => {});
    await settle();
    expect(((await at(second)) as MinedBlock).hash).toBe(chain.canonical()[3]?.hash);
    await time.advance(0);
  });

  test('a failure rejects each tab’s request with an error of its own, without the text of foreign errors', async () => {
    const { chain, openTab } = setUp();
    const data = { reason: 'quota', retryAfter: 7 };
    chain.intercept(() => {
      throw new ProviderRpcError(-32005, 'The quota is spent', data);
    });
    const tabs = [openTab(), openTab(), openTab()];
    const failures = await Promise.all(
      tabs.map(({ shared }) =>
        shared.request('eth_getBlockByNumber', ['latest', false], { maxAge: 1_000 }).catch((error) => error),
      ),
    );
    expect(chain.requests()).toBe(1);
    for (const failure of failures) {
      expect(failure).toBeInstanceOf(ProviderRpcError);
      expect(failure).toMatchObject({ code: -32005, message: 'The quota is spent', data });
    }
    expect(new Set(failures).size).toBe(3);
    // What is no error of ours might say anything.
    chain.intercept(() => {
      throw new TypeError('fetch failed: https://node.example/v1/s3cr3t-key-0');
    });
    for (const { shared } of tabs) {
      const failure = await shared.request('eth_syncing', []).catch((error) => error);
      expect(failure).toMatchObject({ code: -32603, message: 'The request failed' });
    }
  });

  test('a result that the reader’s check refuses is -32603, as from the service', async () => {
    const { openTab } = setUp();
    const [first, second] = [openTab(), openTab()];
    await first.shared.request('eth_syncing', []);
    const check = () => {
      throw new Error('not what I wanted');
    };
    for (const { shared } of [first, second])
      await expect(shared.request('eth_getBlockByNumber', ['0x1', false], { check })).rejects.toMatchObject({
        code: -32603,
        message: "The service's reply to eth_getBlockByNumber is wrong: not what I wanted",
      });
  });

  test('a tab that leaves takes nothing from the others, and the last one out ends the request', async () => {
    const { chain, openTab } = setUp();
    const [leader, other] = [openTab(), openTab()];
    await leader.shared.request('eth_syncing', []);
    const signals: (AbortSignal | undefined)[] = [];
    const { request } = chain.service;
    const watched: Service = {
      ...chain.service,
      request(method, params, options) {
        signals.push(options?.signal);
        return request(method, params, options);
      },
    };
    const third = openTab('graft:third', watched);
    let answer = () => {};
    chain.intercept(
      () =>
        new Promise((resolve) => {
          answer = () => resolve(undefined);
        }),
    );
    const leaving = new AbortController();
    const asked = [leader, other, third].map(({ shared }, index) =>
      shared
        .request('eth_getBlockByNumber', ['0x1', false], index === 1 ? {} : { signal: leaving.signal })
        .catch((error) => error.code),
    );
    await settle();
    leaving.abort();
    await settle();
    expect(signals.map((signal) => signal?.aborted)).toEqual([true]);
    answer();
    expect(await Promise.all([asked[0], asked[2]])).toEqual([-32603, -32603]);
    await expect(third.shared.request('eth_syncing', [], { signal: leaving.signal })).rejects.toMatchObject({
      code: -32603,
    });
    chain.intercept();
    const third_ = other.shared.request('eth_getBlockByNumber', ['0x2', false], { signal: leaving.signal });
    await expect(third_).rejects.toMatchObject({ code: -32603 });
  });
});

describe('without tabs', () => {
  afterEach(() => vi.unstubAllGlobals());

  test('in Node each service asks for itself, and nothing keeps the process', async () => {
    const { chain } = setUp();
    const open = vi.fn();
    const shared = createSharedService(chain.service, { name: 'graft:wallet', open });
    const ask = () => shared.request('eth_getBlockByNumber', ['latest', false], { maxAge: 60_000 });
    expect(await ask()).toEqual(chain.head());
    await ask();
    expect(chain.requests()).toBe(2);
    expect(open).not.toHaveBeenCalled();
    shared.stop();
  });

  test.each(['locks', 'channel'] as const)(
    'where %s may not be used each tab asks for itself',
    async (what) => {
      const { chain, origin, openTab, time } = setUp();
      origin.refuse(what);
      const tabs = [openTab(), openTab()];
      const readers = tabs.map(read);
      await settle();
      chain.mine({ address: wanted.address });
      const before = lookCount(chain);
      await time.advance(interval);
      await settle();
      expect(lookCount(chain) - before).toBe(2);
      for (const { heads, logs } of readers) {
        expect(heads.at(-1)).toBe(chain.head().hash);
        expect(logs).toHaveLength(1);
      }
      expect(origin.listeners()).toBe(0);
    },
  );

  test('a page whose navigator throws is one without tabs', async () => {
    const { chain } = setUp();
    vi.stubGlobal('isSecureContext', true);
    vi.stubGlobal('navigator', {
      get locks() {
        throw new DOMException('opaque origin', 'SecurityError');
      },
    });
    const shared = createSharedService(chain.service, { name: 'graft:wallet' });
    expect(await shared.request('eth_getBlockByNumber', ['latest', false])).toEqual(chain.head());
  });
});

describe('messages of other tabs', () => {
  test('is never an event, whatever it is', async () => {
    const { chain, origin, tab, reader, mined, time } = await readingTabs(2);
    const open = () => origin.said.flatMap((message) => (message.kind === 'request' ? [message.id] : []));
    const forged = { ...chain.head(), number: '0x9', hash: `0x${'66'.repeat(32)}` };
    const results: unknown[] = [
      'not JSON',
      '{"hash":1}',
      'null',
      '[]',
      '"0x"',
      JSON.stringify({ ...forged, parentHash: 'nonsense' }),
      JSON.stringify({ ...forged, number: 9 }),
      7,
      null,
      {},
    ];
    const heads = [...reader(1).heads];
    for (const result of results) {
      tab(0).freeze();
      void tab(1)
        .follower.catchUp()
        .catch(() => {});
      await settle();
      for (const id of open().slice(-3)) {
        origin.inject({ kind: 'reply', id, result });
        origin.inject({ kind: 'reply', id, failure: { code: 'x', message: 7 } });
        origin.inject({ kind: 'ack', id: 'nobody' });
      }
      tab(0).thaw();
      await time.advance(3_000);
      await settle();
    }
    expect(reader(1).heads).toEqual(heads);
    chain.mine({ address: wanted.address });
    await time.advance(2 * interval);
    await settle();
    for (const index of [0, 1]) {
      expect(reader(index).objections).toEqual([]);
      expect(reader(index).heads.slice(-mined().length)).toEqual(mined());
    }
  });

  test('calls for nothing that was asked long ago', async () => {
    const { chain, origin, time } = await readingTabs(1);
    const ask = (id: string, at: number) =>
      origin.inject({ kind: 'request', id, from: 'x', at, method: 'eth_syncing', params: [] });
    const before = chain.requests();
    ask('a', time.clock.now() - 60_000);
    ask('b', time.clock.now() + 60_000);
    await settle();
    expect(chain.requests()).toBe(before);
    ask('c', time.clock.now() - 500);
    await settle();
    expect(chain.requests()).toBe(before + 1);
  });
});

type Turn =
  | { readonly do: 'mine'; readonly logs: boolean; readonly count: number }
  | { readonly do: 'reorg'; readonly depth: number }
  | { readonly do: 'freeze' | 'thaw' | 'kill' | 'hide' | 'show' | 'poke'; readonly tab: number }
  | { readonly do: 'open' }
  | { readonly do: 'wait'; readonly ms: number }
  | { readonly do: 'faults'; readonly errors: number; readonly garbage: number; readonly lag: number };

const anyTab = fc.nat({ max: 7 });
const anyTurn: fc.Arbitrary<Turn> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constant('mine' as const),
      logs: fc.boolean(),
      count: fc.integer({ min: 1, max: 4 }),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constant('reorg' as const), depth: fc.integer({ min: 1, max: 5 }) }),
  },
  {
    weight: 5,
    arbitrary: fc.record({ do: fc.constant('wait' as const), ms: fc.integer({ min: 0, max: 9_000 }) }),
  },
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constantFrom(
        'freeze' as const,
        'thaw' as const,
        'kill' as const,
        'hide' as const,
        'show' as const,
        'poke' as const,
      ),
      tab: anyTab,
    }),
  },
  { weight: 1, arbitrary: fc.constant({ do: 'open' as const }) },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant('faults' as const),
      errors: fc.constantFrom(0, 0.3),
      garbage: fc.constantFrom(0, 0.3),
      lag: fc.constantFrom(0, 2),
    }),
  },
);

test('every surviving tab gets the chain as it is, whatever happens to the tabs and the service', async () => {
  let told = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(anyTurn, { minLength: 5, maxLength: 40 }), fc.nat(), async (turns, seed) => {
      const world = await readingTabs(3, { random: createRandom(seed) });
      const { chain, time, openTab } = world;
      const alive = world.tabs.map((tab, index) => ({ tab, reader: world.reader(index) }));
      const at = (index: number) => alive[index % Math.max(1, alive.length)]?.tab as FakeTab & Opened;
      for (const turn of turns) {
        if (turn.do === 'mine')
          for (let i = 0; i < turn.count; i++)
            chain.mine(...(turn.logs ? [{ address: wanted.address }] : []));
        else if (turn.do === 'reorg')
          chain.reorg(
            turn.depth,
            ...Array.from({ length: turn.depth + 1 }, () => [{ address: wanted.address }]),
          );
        else if (turn.do === 'wait') await time.advance(turn.ms);
        else if (turn.do === 'faults') Object.assign(chain.faults, turn);
        else if (turn.do === 'open') {
          const tab = openTab();
          alive.push({ tab, reader: read(tab) });
        } else if (alive.length === 0) continue;
        else if (turn.do === 'freeze') at(turn.tab).freeze();
        else if (turn.do === 'thaw') at(turn.tab).thaw();
        else if (turn.do === 'hide') at(turn.tab).page.set(false);
        else if (turn.do === 'show') at(turn.tab).page.set(true);
        else if (turn.do === 'poke') at(turn.tab).follower.poke();
        else if (alive.length > 1) {
          at(turn.tab).kill();
          alive.splice(turn.tab % alive.length, 1);
        }
        await settled();
      }
      Object.assign(chain.faults, { errors: 0, garbage: 0, lag: 0 });
      for (const { tab } of alive) {
        tab.thaw();
        tab.page.set(true);
      }
      // Back-off after failures is at most half a minute. Who could not look before has joined by then.
      for (let i = 0; i < 20; i++) {
        if (i === 12) chain.mine({ address: wanted.address });
        await time.advance(3_000);
        await settle();
      }
      const canonical = hashes(chain.canonical());
      for (const { reader } of alive) {
        const [first] = reader.heads as [Hash];
        expect(reader.objections).toEqual([]);
        expect(reader.heads).toEqual(canonical.slice(canonical.indexOf(first)));
        const since = reader.logs[0]?.split(' ')[0] as Hash;
        expect(reader.logs).toEqual(expectedLogs(chain, canonical.slice(canonical.indexOf(since))));
        told += reader.told();
      }
    }),
    { numRuns: 60 },
  );
  expect(told).toBeGreaterThan(500);
}, 60_000);
