import { describe, expect, test } from 'vitest';
import { createHeadTracker } from '../../../src/chain/head-tracker.js';
import type { Service } from '../../../src/service/service.js';
import { createFakeClock, settled } from '../../support/fake-clock.js';
import { observed } from '../../support/observed.js';
import { createSimulatedChain, word } from '../../support/simulated-chain.js';

const remoteUrls = ['https://service.example'];
const localUrls = ['http://127.0.0.1:1/key'];

function setup(options: { interval?: number; urls?: readonly string[] } = {}) {
  const chain = createSimulatedChain({ urls: options.urls ?? remoteUrls, blockTime: 25 });
  const { clock, advance } = createFakeClock();
  let repeated = 0;
  const head = createHeadTracker({
    service: () => service,
    interval: options.interval,
    now: clock.now,
    onRepeatedPoll: () => {
      repeated += 1;
    },
  });
  const service: Service = observed(chain.service, head);
  return { chain, head, service, advance, clock, repeated: () => repeated };
}

describe('a poll', () => {
  test('shows the head, which is fresh for 90 % of an interval', async () => {
    const { chain, head, advance } = setup({ interval: 4_000 });
    expect(head.isFresh()).toBe(false);
    chain.mine();
    await head.latest();
    const { number, block, height } = head.state();
    expect({ number, height, block: JSON.parse(block ?? '') }).toEqual({
      ...{ number: '0x1', height: 1, block: chain.head() },
    });
    await advance(3_599);
    expect(head.isFresh()).toBe(true);
    await advance(1);
    expect(head.isFresh()).toBe(false);
    expect(head.state().block).toBe(block);
  });

  test('calls of latest() during a poll share it', async () => {
    const { chain, head } = setup();
    await Promise.all([head.latest(), head.latest(), head.latest()]);
    expect(chain.requests()).toBe(1);
  });

  test('is noted when a page’s own read makes it', async () => {
    const { chain, head, service } = setup();
    const block = (await service.request('eth_getBlockByNumber', ['latest', false])) as { number: string };
    block.number = '0xbad';
    expect(head.state().number).toBe(chain.head().number);
  });

  test('for a person that shows an older block is not noted, since it may be of a node behind', async () => {
    const { chain, head, service } = setup();
    chain.mine();
    const older = chain.head();
    chain.mine();
    await head.latest();
    const state = head.state();
    const behind = observed<Service>({ ...service, request: async () => older }, head);
    const ask = (priority: Service.Priority) =>
      behind.request('eth_getBlockByNumber', ['latest', false], { priority });
    expect(await ask('person')).toEqual(older);
    expect(head.state()).toBe(state);
    await ask('read');
    expect(head.state().number).toBe(older.number);
  });

  test('by another tab counts from when that tab sent it', async () => {
    const { chain, head, advance, clock } = setup({ interval: 4_000 });
    head.note('eth_getBlockByNumber', ['latest', false], chain.head(), clock.now() - 3_000);
    await advance(599);
    expect(head.isFresh()).toBe(true);
    await advance(1);
    expect(head.isFresh()).toBe(false);
  });

  test('sent before something showed a newer head does not count', async () => {
    const { chain, head, service, advance } = setup();
    await head.latest();
    const old = chain.head();
    let answer = (_block: unknown) => {};
    const slow = new Promise((resolve) => {
      answer = resolve;
    });
    chain.intercept(() => slow);
    const early = head.latest();
    await settled();
    chain.intercept();
    chain.mine();
    await advance(1);
    await service.request('eth_getBlockByNumber', ['0x1', false]);
    answer(old);
    await early;
    expect(head.isFresh()).toBe(false);
  });

  test.each(['accepted', 'lost'])('from before a send that is %s does not count', async (outcome) => {
    const { chain, head, service, advance } = setup();
    await head.latest();
    const before = head.state();
    await advance(1);
    chain.intercept((method) => {
      if (method === 'eth_sendRawTransaction' && outcome === 'lost') throw new Error('unreachable');
      return method === 'eth_sendRawTransaction' ? word(7) : undefined;
    });
    await service.request('eth_sendRawTransaction', ['0x00']).catch(() => {});
    expect(head.isFresh()).toBe(false);
    await head.latest();
    expect(head.isFresh()).toBe(true);
    // The poll showed the same head.
    expect(head.state()).toBe(before);
  });

  test('each poll calls a reader that has not read the head, even a poll of another caller', async () => {
    const { head, service } = setup();
    let told = 0;
    head.createReader(() => {
      told += 1;
    });
    await head.latest();
    await service.request('eth_getBlockByNumber', ['latest', false]);
    await service.request('eth_getBlockByNumber', ['0x0', false]);
    expect(told).toBe(2);
  });

  test.each([null, {}, 'nonsense', { number: '0x1', hash: null, parentHash: word(1), transactions: [] }])(
    'a reply of %j does not count as a poll',
    async (reply) => {
      const { chain, head } = setup();
      chain.intercept(() => reply ?? null);
      if (reply === null) chain.intercept(async () => Promise.reject(new Error('unreachable')));
      await expect(head.latest()).rejects.toThrow();
      expect(head.isFresh()).toBe(false);
      chain.intercept();
      await head.latest();
      expect(head.isFresh()).toBe(true);
    },
  );

  test('for a read calls onRepeatedPoll, except the first', async () => {
    const { head, repeated } = setup();
    await head.latest();
    expect(repeated()).toBe(0);
    await head.latest();
    expect(repeated()).toBe(1);
  });
});

describe('the branch', () => {
  const pollAfter = async (change: (chain: ReturnType<typeof createSimulatedChain>) => void) => {
    const { chain, head } = setup();
    for (let block = 0; block < 5; block++) chain.mine();
    await head.latest();
    const before = head.state();
    change(chain);
    await head.latest();
    return { before, after: head.state() };
  };

  test('is the same while each poll shows a child of the block before', async () => {
    const { before, after: now } = await pollAfter((chain) => chain.mine());
    expect(now).not.toBe(before);
    expect(now.branch).toBe(before.branch);
  });

  test('the branch and the state are the same while the head is', async () => {
    const { before, after: now } = await pollAfter(() => {});
    expect(now).toBe(before);
  });

  test.each([
    ['a reorganisation', (chain: ReturnType<typeof createSimulatedChain>) => chain.reorg(1, [], [])],
    [
      'more than one new block',
      (chain: ReturnType<typeof createSimulatedChain>) => {
        chain.mine();
        chain.mine();
      },
    ],
  ])('%s ends it', async (_what, change) => {
    const { before, after: now } = await pollAfter(change);
    expect(now.branch).not.toBe(before.branch);
  });
});

describe('the interval', () => {
  test('follows the block time that polls have shown', async () => {
    const { chain, head } = setup();
    expect(head.interval()).toBe(12_000);
    for (let block = 0; block < 3; block++) {
      chain.mine();
      await head.latest();
    }
    expect(head.interval()).toBe(12_000);
    expect(head.maxAge()).toBe(0.9 * head.interval());
  });

  test('is `interval` where that is configured', () => {
    const { head } = setup({ interval: 4_000 });
    expect([head.interval(), head.maxAge()]).toEqual([4_000, 3_600]);
  });

  test.each([
    ['less than a second', { interval: 999 }, 999],
    ['that of a local endpoint, none being configured', { urls: localUrls }, 1_000],
  ])('makes every answer a new one where it is %s', async (_what, options, interval) => {
    const { head } = setup(options);
    expect([head.interval(), head.maxAge()]).toEqual([interval, 0]);
    await head.latest();
    expect(head.isFresh()).toBe(false);
  });

  test('lets answers of a local endpoint be reused where it is configured', () => {
    expect(setup({ interval: 4_000, urls: localUrls }).head.maxAge()).toBe(3_600);
  });

  describe('while a transaction of this page is pending', () => {
    const hash = word(77);
    const send = async (options?: Parameters<typeof setup>[0]) => {
      const made = setup(options);
      made.chain.intercept((method) => (method === 'eth_sendRawTransaction' ? hash : undefined));
      await made.service.request('eth_sendRawTransaction', ['0x00']);
      return made;
    };

    test('is four seconds', async () => {
      const { head } = await send();
      expect([head.interval(), head.maxAge()]).toEqual([4_000, 3_600]);
    });

    test('is still `interval` where that is configured', async () => {
      expect((await send({ interval: 12_000 })).head.interval()).toBe(12_000);
    });

    test.each([
      ['a block with it', 'eth_getBlockByNumber', { number: '0x1', transactions: [word(1), hash] }],
      ['a block with all of it', 'eth_getBlockByHash', { number: '0x1', transactions: [{ hash }] }],
      ['its receipt', 'eth_getTransactionReceipt', { transactionHash: hash, blockNumber: '0x1' }],
      ['it in a block', 'eth_getTransactionByHash', { hash, blockNumber: '0x1' }],
    ])('is usual again after %s was seen', async (_what, method, reply) => {
      const { chain, head, service } = await send();
      chain.intercept(() => ({ hash, blockNumber: null }));
      await service.request('eth_getTransactionByHash', [hash]);
      expect(head.interval()).toBe(4_000);
      chain.intercept(() => reply);
      await service.request(method, []);
      expect(head.interval()).toBe(12_000);
    });

    test('is usual again after two minutes', async () => {
      const { head, service, advance } = await send();
      await advance(120_001);
      await service.request('eth_getBlockByNumber', ['latest', false]);
      expect(head.interval()).toBe(12_000);
    });
  });

  test('is stretched as the daily quota runs out', () => {
    const { chain } = setup();
    const service: Service = { ...chain.service, slowdown: () => 4 };
    expect(createHeadTracker({ service: () => service, interval: 4_000 }).interval()).toBe(16_000);
  });
});

describe('a reader', () => {
  function setupReader() {
    const { chain, head, advance } = setup({ interval: 4_000 });
    let newHeads = 0;
    const reader = head.createReader(() => {
      newHeads += 1;
    });
    const follow = (maxAge?: number) => reader(maxAge === undefined ? {} : { maxAge });
    return { chain, head, advance, follow, reader, newHeads: () => newHeads };
  }

  test('gets a poll that the page’s own read has made', async () => {
    const { chain, head, advance, follow } = setupReader();
    await head.latest();
    await advance(1_000);
    expect(await follow(4_000)).toEqual(chain.head());
    expect(chain.requests()).toBe(1);
  });

  test('gets no poll twice', async () => {
    const { chain, head, follow } = setupReader();
    await head.latest();
    await follow(4_000);
    await follow(4_000);
    expect(chain.requests()).toBe(2);
    await follow(4_000);
    expect(chain.requests()).toBe(3);
  });

  test('polls without maxAge, and when the last poll is older', async () => {
    const { chain, head, advance, follow } = setupReader();
    await head.latest();
    await follow();
    expect(chain.requests()).toBe(2);
    await head.latest();
    await advance(501);
    await follow(500);
    expect(chain.requests()).toBe(4);
  });

  test('polls when the last poll is no longer fresh', async () => {
    const { chain, head, advance, follow } = setupReader();
    await head.latest();
    await advance(3_600);
    await follow(10_000);
    expect(chain.requests()).toBe(2);
  });

  test('calls onNewHead when a poll of the page shows another head than it has read', async () => {
    const { chain, head, advance, follow, newHeads } = setupReader();
    await follow(4_000);
    expect(newHeads()).toBe(0);
    await advance(4_000);
    await head.latest();
    expect(newHeads()).toBe(0);
    chain.mine();
    await advance(4_000);
    await head.latest();
    expect(newHeads()).toBe(1);
    expect(await follow(4_000)).toEqual(chain.head());
    expect(newHeads()).toBe(1);
  });

  test('does not call onNewHead during a poll of its own', async () => {
    const { chain, head, advance, follow, newHeads } = setupReader();
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
    await head.latest();
    expect(newHeads()).toBe(0);
    answer(old);
    await own;
    // Two nodes disagree: neither block is the head before another poll.
    expect(newHeads()).toBe(0);
    expect(await follow(4_000)).toEqual(chain.head());
  });

  test('gets a copy of the block', async () => {
    const { head, follow } = setupReader();
    await head.latest();
    ((await follow(4_000)) as { number: string }).number = '0xbad';
    expect(head.state().number).not.toBe('0xbad');
  });

  test('polls when the known block fails its check', async () => {
    const { chain, head, reader } = setupReader();
    await head.latest();
    const check = () => {
      throw new Error('not this one');
    };
    await expect(reader({ maxAge: 4_000, check })).rejects.toThrow();
    expect(chain.requests()).toBe(2);
  });
});
