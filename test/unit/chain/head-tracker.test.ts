import { describe, expect, test } from 'vitest';
import { createHead } from '../../../src/chain/head-tracker.js';
import type { SharedService } from '../../../src/chain/tabs/shared-service.js';
import type { Service } from '../../../src/service/service.js';
import { createFakeClock, settled } from '../../support/fake-clock.js';
import { createSimulatedChain, word } from '../../support/simulated-chain.js';

const elsewhere = ['https://service.example'];
const onThisMachine = ['http://127.0.0.1:1/key'];

function setup(options: { interval?: number; urls?: readonly string[] } = {}) {
  const chain = createSimulatedChain({ urls: options.urls ?? elsewhere, blockTime: 25 });
  const { clock, advance } = createFakeClock();
  let repeated = 0;
  const head = createHead({
    service: () => service,
    interval: options.interval,
    now: clock.now,
    onRepeat: () => {
      repeated += 1;
    },
  });
  const service: Service = head.observe(chain.service);
  return { chain, head, service, advance, clock, repeated: () => repeated };
}

describe('a look', () => {
  test('shows the head, which is fresh for nine tenths of an interval', async () => {
    const { chain, head, advance } = setup({ interval: 4_000 });
    expect(head.isFresh()).toBe(false);
    chain.mine();
    await head.look();
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

  test('those who come while it is under way share it', async () => {
    const { chain, head } = setup();
    await Promise.all([head.look(), head.look(), head.look()]);
    expect(chain.requests()).toBe(1);
  });

  test('whoever looks, it is seen', async () => {
    const { chain, head, service } = setup();
    const block = (await service.request('eth_getBlockByNumber', ['latest', false])) as { number: string };
    block.number = '0xbad';
    expect(head.state().number).toBe(chain.head().number);
  });

  test('counts from when another tab asked for it', async () => {
    const { chain, head, advance, clock } = setup({ interval: 4_000 });
    const shared = head.observe({
      ...chain.service,
      request(method: string, params: readonly unknown[], options: SharedService.RequestOptions = {}) {
        options.onAsked?.(clock.now() - 3_000);
        return chain.service.request(method, params, options);
      },
    });
    await shared.request('eth_getBlockByNumber', ['latest', false]);
    await advance(599);
    expect(head.isFresh()).toBe(true);
    await advance(1);
    expect(head.isFresh()).toBe(false);
  });

  test('one that was under way before the last news is not believed', async () => {
    const { chain, head, service, advance } = setup();
    await head.look();
    const old = chain.head();
    let answer = (_block: unknown) => {};
    const slow = new Promise((resolve) => {
      answer = resolve;
    });
    chain.intercept(() => slow);
    const early = head.look();
    await settled();
    chain.intercept();
    chain.mine();
    await advance(1);
    await service.request('eth_getBlockByNumber', ['0x1', false]);
    answer(old);
    await early;
    expect(head.isFresh()).toBe(false);
  });

  test.each(['accepted', 'lost'])('one from before a send that is %s does not count', async (outcome) => {
    const { chain, head, service, advance } = setup();
    await head.look();
    const before = head.state();
    await advance(1);
    chain.intercept((method) => {
      if (method === 'eth_sendRawTransaction' && outcome === 'lost') throw new Error('unreachable');
      return method === 'eth_sendRawTransaction' ? word(7) : undefined;
    });
    await service.request('eth_sendRawTransaction', ['0x00']).catch(() => {});
    expect(head.isFresh()).toBe(false);
    await head.look();
    expect(head.isFresh()).toBe(true);
    // It has shown that nothing has changed.
    expect(head.state()).toBe(before);
  });

  test('who watches is told of each, whoever looked', async () => {
    const { head, service } = setup();
    let told = 0;
    head.watch(() => {
      told += 1;
    });
    await head.look();
    await service.request('eth_getBlockByNumber', ['latest', false]);
    await service.request('eth_getBlockByNumber', ['0x0', false]);
    expect(told).toBe(2);
  });

  test.each([null, {}, 'nonsense', { number: '0x1', hash: null, parentHash: word(1), transactions: [] }])(
    '%j is no look',
    async (reply) => {
      const { chain, head } = setup();
      chain.intercept(() => reply ?? null);
      if (reply === null) chain.intercept(async () => Promise.reject(new Error('unreachable')));
      await expect(head.look()).rejects.toThrow();
      expect(head.isFresh()).toBe(false);
      chain.intercept();
      await head.look();
      expect(head.isFresh()).toBe(true);
    },
  );

  test('onRepeat, told of every look but the first', async () => {
    const { head, repeated } = setup();
    await head.look();
    expect(repeated()).toBe(0);
    await head.look();
    expect(repeated()).toBe(1);
  });
});

describe('the branch', () => {
  const lookAfter = async (change: (chain: ReturnType<typeof createSimulatedChain>) => void) => {
    const { chain, head } = setup();
    for (let block = 0; block < 5; block++) chain.mine();
    await head.look();
    const before = head.state();
    change(chain);
    await head.look();
    return { before, after: head.state() };
  };

  test('holds while each look stands on the one before', async () => {
    const { before, after: now } = await lookAfter((chain) => chain.mine());
    expect(now).not.toBe(before);
    expect(now.branch).toBe(before.branch);
  });

  test('the same head is the same state', async () => {
    const { before, after: now } = await lookAfter(() => {});
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
    const { before, after: now } = await lookAfter(change);
    expect(now.branch).not.toBe(before.branch);
  });
});

describe('the interval', () => {
  test('follows the block time that looks have shown', async () => {
    const { chain, head } = setup();
    expect(head.interval()).toBe(12_000);
    for (let block = 0; block < 3; block++) {
      chain.mine();
      await head.look();
    }
    expect(head.interval()).toBe(12_000);
    expect(head.maxAge()).toBe(0.9 * head.interval());
  });

  test('interval', () => {
    const { head } = setup({ interval: 4_000 });
    expect([head.interval(), head.maxAge()]).toEqual([4_000, 3_600]);
  });

  test.each([
    ['of less than a second', { interval: 999 }, 999],
    ['of a service on this machine, where none is set', { urls: onThisMachine }, 1_000],
  ])('one %s makes every answer a new one', async (_what, options, interval) => {
    const { head } = setup(options);
    expect([head.interval(), head.maxAge()]).toEqual([interval, 0]);
    await head.look();
    expect(head.isFresh()).toBe(false);
  });

  test('interval, of a service on this machine', () => {
    expect(setup({ interval: 4_000, urls: onThisMachine }).head.maxAge()).toBe(3_600);
  });

  describe('while what was sent here is pending', () => {
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

    test('interval, one that is set stays', async () => {
      expect((await send({ interval: 12_000 })).head.interval()).toBe(12_000);
    });

    test.each([
      ['a block with it', 'eth_getBlockByNumber', { number: '0x1', transactions: [word(1), hash] }],
      ['a block with all of it', 'eth_getBlockByHash', { number: '0x1', transactions: [{ hash }] }],
      ['its receipt', 'eth_getTransactionReceipt', { transactionHash: hash, blockNumber: '0x1' }],
      ['it in a block', 'eth_getTransactionByHash', { hash, blockNumber: '0x1' }],
    ])('until %s was seen', async (_what, method, reply) => {
      const { chain, head, service } = await send();
      chain.intercept(() => ({ hash, blockNumber: null }));
      await service.request('eth_getTransactionByHash', [hash]);
      expect(head.interval()).toBe(4_000);
      chain.intercept(() => reply);
      await service.request(method, []);
      expect(head.interval()).toBe(12_000);
    });

    test('for two minutes', async () => {
      const { head, service, advance } = await send();
      await advance(120_001);
      await service.request('eth_getBlockByNumber', ['latest', false]);
      expect(head.interval()).toBe(12_000);
    });
  });

  test('a budget that runs out stretches it', () => {
    const { chain } = setup();
    const service: Service = { ...chain.service, stretch: () => 4 };
    expect(createHead({ service: () => service, interval: 4_000 }).interval()).toBe(16_000);
  });
});
