import { describe, expect, test } from 'vitest';
import { ProviderRpcError } from '../../../../src/rpc/errors.js';
import { checkBlock } from '../../../../src/rpc/results.js';
import { settled } from '../../../support/fake-clock.js';
import { createLedger, reverting, transaction } from '../ledger.js';
import { rejection } from '../support.js';

const alice = `0x${'a1'.repeat(20)}`;
const bob = `0x${'b0'.repeat(20)}`;
const latest = ['eth_getBlockByNumber'];
type Ledger = ReturnType<typeof createLedger>;

/** A head that was looked at long enough ago for every node to know it. */
async function looked(options: Parameters<typeof createLedger>[0] = {}): Promise<Ledger> {
  const ledger = createLedger(options);
  ledger.mine(20);
  await ledger.head.latest();
  await ledger.advance(3_500);
  return ledger;
}

describe('results that depend on the head', () => {
  test('are requested once while polls show the same head', async () => {
    const { ask, costOf, advance, cache } = await looked();
    const first = await ask('eth_getBalance', alice, 'latest');
    expect(
      await costOf(async () => expect(await ask('eth_getBalance', alice, 'latest')).toBe(first)),
    ).toEqual([]);
    await advance(4_000);
    // Two reads that come again: worth a look.
    await ask('eth_getBalance', bob, 'latest');
    const cost = await costOf(async () => {
      for (let again = 0; again < 10; again++)
        expect(await ask('eth_getBalance', alice, 'latest')).toBe(first);
    });
    expect(cost.filter((method) => method === 'eth_getBalance').length).toBeLessThanOrEqual(1);
    expect(cost.length).toBeLessThanOrEqual(2);
    expect(cache.usage().cached.eth_getBalance).toBeGreaterThanOrEqual(9);
  });

  test('a first read costs one request and no poll', async () => {
    const { ask, asked, mine } = createLedger();
    mine(3);
    await ask('eth_getBalance', alice, 'latest');
    await ask('eth_call', { to: bob }, 'latest');
    await ask('eth_gasPrice');
    await ask('eth_blockNumber');
    expect(asked).toEqual(['eth_getBalance', 'eth_call', 'eth_gasPrice', 'eth_blockNumber']);
  });

  test('one read repeated at the interval costs no more than without a cache', async () => {
    const { ask, advance, asked } = createLedger();
    for (let again = 0; again < 20; again++) {
      await ask('eth_getBalance', alice, 'latest');
      await advance(4_001);
    }
    expect(asked.length).toBe(20);
  });

  test('five reads at each interval cost five requests per head and one poll per interval', async () => {
    const { ask, advance, asked, mine } = createLedger();
    for (let round = 0; round < 24; round++) {
      if (round % 6 === 0) mine();
      for (let index = 0; index < 5; index++)
        await ask('eth_getBalance', `0x${String(index).repeat(40)}`, 'latest');
      await advance(4_001);
    }
    // 120 without memory. Each head's first answers are asked for three or four times: a node may lag.
    expect(asked.length).toBeLessThanOrEqual(24 + 4 * 5 * 4 + 5);
    expect(asked.filter((method) => method === 'eth_getBlockByNumber').length).toBeLessThanOrEqual(24);
  });

  test('become invalid with a new head in a poll', async () => {
    const { ask, head, costOf, mine } = await looked();
    const before = await ask('eth_getBalance', alice, 'latest');
    mine();
    await head.latest();
    const cost = await costOf(async () =>
      expect(await ask('eth_getBalance', alice, 'latest')).not.toBe(before),
    );
    expect(cost).toEqual(['eth_getBalance']);
  });

  test.each([
    ['the number of the latest block', ['eth_blockNumber']],
    ['the latest block with its transactions', ['eth_getBlockByNumber', 'latest', true]],
    ['a higher block', ['eth_getBlockByNumber', '0x15', false]],
    ['logs', ['eth_getLogs', { fromBlock: '0x10', toBlock: '0x40' }]],
  ] as const)(
    'become invalid when any result shows a higher block: %s',
    async (_what, [method, ...params]) => {
      const { service, ask, costOf, mine } = await looked();
      await ask('eth_getBalance', alice, 'latest');
      mine(30);
      await service.request(method, params);
      expect(await costOf(() => ask('eth_getBalance', alice, 'latest'))).toEqual(['eth_getBalance']);
    },
  );

  test('become invalid when any result shows another block at the same height', async () => {
    const { service, ask, costOf, reorg } = await looked();
    await ask('eth_getBalance', alice, 'latest');
    reorg(1, 1);
    await service.request('eth_getBlockByNumber', ['0x13', false]);
    expect(await costOf(() => ask('eth_getBalance', alice, 'latest'))).toEqual([]);
    await service.request('eth_getBlockByNumber', ['latest', true]);
    expect(await costOf(() => ask('eth_getBalance', alice, 'latest'))).toContain('eth_getBalance');
  });

  test.each(['accepted', 'lost'])('become invalid after a send that is %s', async (outcome) => {
    const { ask, service, costOf, faults } = await looked();
    await ask('eth_getBalance', alice, 'latest');
    if (outcome === 'lost') faults.errors = 1;
    await service.request('eth_sendRawTransaction', ['0x00']).catch(() => {});
    faults.errors = 0;
    expect(await costOf(() => ask('eth_getBalance', alice, 'latest'))).toEqual(['eth_getBalance']);
  });

  test('a response to a request sent before the head changed is not cached', async () => {
    const { ask, head, mine, advance, costOf, faults } = await looked();
    faults.delay = 100;
    const early = ask('eth_getBalance', alice, 'latest');
    await advance(120);
    mine();
    const look = head.latest();
    await advance(1_000);
    await Promise.all([early, look]);
    const again = costOf(() => ask('eth_getBalance', alice, 'latest'));
    await advance(1_000);
    expect(await again).toEqual(['eth_getBalance']);
  });

  test('a response that may come from a lagging node is requested once more', async () => {
    const { ask, head, mine, advance, costOf } = await looked();
    mine();
    await head.latest();
    await ask('eth_getBalance', alice, 'latest');
    const again = () => costOf(() => ask('eth_getBalance', alice, 'latest'));
    expect(await again()).toEqual([]);
    await advance(3_599);
    expect(await again()).toEqual([]);
    await head.latest();
    await advance(1);
    expect(await again()).toEqual(['eth_getBalance']);
    await advance(3_500);
    expect(await again()).toEqual([]);
  });

  test('a thousand concurrent repeated reads cost one poll', async () => {
    const { ask, advance, costOf } = await looked();
    await ask('eth_getBalance', alice, 'latest');
    await advance(5_000);
    const many = () =>
      Promise.all(Array.from({ length: 1_000 }, () => ask('eth_getBalance', alice, 'latest')));
    // The first of them does not know that others follow.
    expect([...(await costOf(many))].sort()).toEqual(['eth_getBalance', ...latest].sort());
  });

  test.each([
    ['eth_getTransactionByHash', [transaction(99)]],
    ['eth_call', [{ to: alice }, 'pending']],
    ['eth_getBlockByNumber', ['pending', false]],
    ['eth_syncing', []],
    ['net_peerCount', []],
    ['txpool_status', []],
    ['my_method', []],
  ])('%s %j is requested each time and causes no poll', async (method, params) => {
    const { cache, costOf, advance } = await looked();
    await advance(5_000);
    const cost = await costOf(async () => {
      for (let again = 0; again < 5; again++) await cache.request(method, params);
    });
    expect(cost).toEqual(Array.from({ length: 5 }, () => method));
  });
});

describe('a revert', () => {
  const run = (ledger: Ledger, ...block: unknown[]) =>
    rejection(ledger.ask('eth_call', { to: reverting }, ...block));

  test('is cached like a result, and each caller gets its own error', async () => {
    const ledger = await looked();
    const first = await run(ledger, 'latest');
    const cost = await ledger.costOf(async () => {
      for (let again = 0; again < 5; again++) {
        const error = await run(ledger, 'latest');
        expect(error).toMatchObject({ code: 3, message: 'execution reverted', data: first.data });
        Object.assign(error, { message: 'changed', data: '0x' });
      }
    });
    expect(cost).toEqual([]);
    expect(ledger.cache.usage().cached).toEqual({ eth_call: 5 });
  });

  test('is repeated from the cache in a burst without a poll', async () => {
    const ledger = createLedger();
    await run(ledger, 'latest');
    await ledger.advance(1_400);
    expect(await ledger.costOf(() => run(ledger, 'latest'))).toEqual([]);
    await ledger.advance(200);
    expect(await ledger.costOf(() => run(ledger, 'latest'))).not.toEqual([]);
  });

  test('another error is not cached', async () => {
    const { ask, faults, costOf } = await looked();
    faults.errors = 1;
    for (let again = 0; again < 3; again++)
      expect(await costOf(() => rejection(ask('eth_gasPrice')))).toEqual(['eth_gasPrice']);
  });
});

describe('mined transactions and blocks', () => {
  test('are cached permanently below the depth, without another poll', async () => {
    const { ask, advance, costOf, reorg, head } = await looked({ depth: 12 });
    const deep = () => ask('eth_getBlockByNumber', '0x5', false);
    const first = await deep();
    reorg(5, 6);
    await head.latest();
    await advance(1_000_000);
    expect(await costOf(async () => expect(await deep()).toEqual(first))).toEqual([]);
  });

  test('well below the head they stay valid when a head extends the previous one', async () => {
    const { ask, head, mine, costOf } = await looked();
    mine(4);
    await head.latest();
    const read = () => ask('eth_getBlockByNumber', '0xc', false);
    await read();
    mine();
    await head.latest();
    expect(await costOf(read)).toEqual([]);
  });

  test('mined transactions and blocks become invalid with a head that does not extend the previous one', async () => {
    const { ask, head, reorg, costOf, chain } = await looked();
    const receipt = async () => {
      for (let id = 15; ; id++) {
        const found = await ask('eth_getTransactionReceipt', transaction(id));
        if (found === null) throw new Error('none mined near the head');
        if (Number((found as { blockNumber: string }).blockNumber) >= 16) return { id, found };
      }
    };
    const { id, found } = await receipt();
    const again = () => ask('eth_getTransactionReceipt', transaction(id));
    expect(await costOf(async () => expect(await again()).toEqual(found))).toEqual([]);
    reorg(8, 9);
    await head.latest();
    expect(chain.canonical().some(({ hash }) => hash === (found as { blockHash: string }).blockHash)).toBe(
      false,
    );
    expect(await costOf(async () => expect(await again()).not.toEqual(found))).toEqual([
      'eth_getTransactionReceipt',
    ]);
  });

  test('a transaction that is pending again is requested each time and causes no poll', async () => {
    const { ask, head, reorg, costOf, advance } = await looked();
    const ids = Array.from({ length: 40 }, (_, id) => id);
    const place = async (id: number) =>
      (await ask('eth_getTransactionByHash', transaction(id))) as { blockNumber: string | null };
    const mined: number[] = [];
    for (const id of ids) if (Number((await place(id)).blockNumber ?? 0) > 12) mined.push(id);
    reorg(8, 1);
    await head.latest();
    const waiting: number[] = [];
    for (const id of mined) if ((await place(id)).blockNumber === null) waiting.push(id);
    expect(waiting.length).toBeGreaterThan(0);
    await advance(5_000);
    const cost = await costOf(async () => {
      for (const id of [...waiting, ...waiting]) await place(id);
    });
    expect(new Set(cost)).toEqual(new Set(['eth_getTransactionByHash']));
  });

  test('two blocks between two polls do not prove the same branch', async () => {
    const { ask, head, mine, costOf } = await looked();
    const read = () => ask('eth_getBlockByNumber', '0x13', false);
    await read();
    mine(2);
    await head.latest();
    expect(await costOf(read)).toEqual(latest);
  });

  test('a missing receipt is requested once per head', async () => {
    const { ask, head, mine, costOf, advance } = await looked();
    const read = () => ask('eth_getTransactionReceipt', transaction(99));
    expect(await read()).toBeNull();
    expect(await costOf(read)).toEqual([]);
    mine();
    await head.latest();
    expect(await costOf(read)).toEqual(['eth_getTransactionReceipt']);
    await advance(3_100);
    expect(await costOf(read)).toEqual(['eth_getTransactionReceipt']);
  });
});

describe('logs that are polled up to the head', () => {
  const stranger = '0x00000000000000000000000000000000000000bb';
  const polled = (ledger: Ledger) => () => ledger.ask('eth_getLogs', { fromBlock: '0x1', address: stranger });

  /** So many blocks were seen one by one, and some time after the last the logs were polled. */
  async function primed(blocks: number, after = 11_000): Promise<Ledger> {
    const ledger = await looked();
    for (let block = 0; block < blocks; block++) {
      ledger.mine();
      await ledger.head.latest();
    }
    await ledger.advance(after);
    await ledger.head.latest();
    await polled(ledger)();
    return ledger;
  }

  test('settled logs are requested again when a bloom may contain more', async () => {
    const ledger = await primed(12);
    const { head, mine, costOf, chain } = ledger;
    const poll = polled(ledger);
    for (let block = 0; block < 10; block++) {
      mine();
      await head.latest();
      expect(await costOf(poll)).toEqual([]);
    }
    chain.mine({ address: stranger });
    mine(0);
    await head.latest();
    expect(await costOf(poll)).toEqual(['eth_getLogs']);
  });

  test('logs of new blocks are not requested if no bloom may contain them', async () => {
    const ledger = await looked();
    const { head, mine, ask, costOf } = ledger;
    mine();
    await head.latest();
    const number = `0x${head.state().height.toString(16)}`;
    const of = (filter: object) => costOf(() => ask('eth_getLogs', filter));
    expect(await of({ fromBlock: number, address: stranger })).toEqual([]);
    expect(await of({ fromBlock: number, toBlock: number, address: stranger })).toEqual([]);
    expect(await of({ fromBlock: number })).toEqual(['eth_getLogs']);
    expect(await of({ fromBlock: '0x1', address: stranger })).toEqual(['eth_getLogs']);
  });

  test.each([
    ['a block was passed over', ({ mine }: Ledger) => mine(2)],
    ['the chain was reorganised', ({ reorg }: Ledger) => reorg(1, 2)],
  ])('not where %s', async (_what, change) => {
    const ledger = await primed(12);
    const poll = polled(ledger);
    change(ledger);
    await ledger.head.latest();
    expect(await ledger.costOf(poll)).toEqual(['eth_getLogs']);
  });

  test.each([
    ['that lags', 12, 9_000],
    ['with another of the newest blocks', 10, 11_000],
  ])('nor where a node may have answered %s', async (_what, blocks, after) => {
    const ledger = await primed(blocks, after);
    ledger.mine();
    await ledger.head.latest();
    expect(await ledger.costOf(polled(ledger))).toEqual(['eth_getLogs']);
  });
});

describe('the head itself', () => {
  test('its number and its block come from the last poll', async () => {
    const { ask, costOf, chain } = await looked();
    const cost = await costOf(async () => {
      expect(await ask('eth_blockNumber')).toBe(chain.head().number);
      expect(await ask('eth_getBlockByNumber', 'latest', false)).toEqual(chain.head());
    });
    expect(cost).toEqual([]);
  });

  test('polled each second they cost one poll per interval', async () => {
    const { ask, advance, asked } = createLedger();
    for (let second = 0; second < 60; second++) {
      await ask('eth_blockNumber');
      await advance(1_000);
    }
    expect(asked.length).toBeLessThanOrEqual(16);
    expect(new Set(asked.slice(1))).toEqual(new Set(latest));
  });

  test('the number is requested if a poll fails', async () => {
    const { ask, advance, node, costOf } = await lookedWithFailingLooks();
    await advance(5_000);
    await ask('eth_blockNumber');
    await advance(5_000);
    node.failing = true;
    expect(await costOf(async () => expect(await ask('eth_blockNumber')).toBe('0x14'))).toEqual([
      ...latest,
      'eth_blockNumber',
    ]);
  });
});

/** Looks can be made to fail; nothing else does. */
async function lookedWithFailingLooks() {
  const ledger = await looked();
  const node = { failing: false };
  const { service } = ledger;
  const { request } = service;
  service.request = async (method, params, options) => {
    if (!node.failing || method !== 'eth_getBlockByNumber') return request(method, params, options);
    ledger.asked.push(method);
    throw new ProviderRpcError(-32002, 'The service could not be reached');
  };
  return { ...ledger, node };
}

describe('a caller', () => {
  test('owns the result', async () => {
    const { ask } = await looked();
    for (const params of [
      ['latest', false],
      ['0x10', false],
    ]) {
      const first = structuredClone(await ask('eth_getBlockByNumber', ...params));
      for (let again = 0; again < 3; again++) {
        const own = (await ask('eth_getBlockByNumber', ...params)) as { transactions: unknown[] };
        expect(own).toEqual(first);
        own.transactions.push('0xbad');
        Object.assign(own, { number: '0xbad' });
      }
    }
  });

  test('a check that fails for the cached result is applied to a new response', async () => {
    const { cache, costOf, ask } = await looked();
    await ask('eth_getBlockByNumber', '0x10', false);
    const check = (result: unknown) => checkBlock(result);
    expect(await costOf(() => cache.request('eth_getBlockByNumber', ['0x10', false], { check }))).toEqual([]);
    const strict = () => {
      throw new Error('never enough');
    };
    const cost = await costOf(async () => {
      const asked = cache.request('eth_getBlockByNumber', ['0x10', false], { check: strict });
      expect((await rejection(asked)).message).toContain('never enough');
    });
    expect(cost).toEqual(latest);
  });

  test('an aborted caller gets no result, not even a cached one', async () => {
    const { cache, ask } = await looked();
    await ask('eth_gasPrice');
    const signal = AbortSignal.abort();
    expect((await rejection(cache.request('eth_gasPrice', [], { signal }))).code).toBe(-32002);
  });

  test('a caller that aborts during a poll stops waiting', async () => {
    const { cache, ask, advance, faults } = await looked();
    faults.delay = 1_000;
    for (const address of [alice, bob]) {
      const asked = ask('eth_getBalance', address, 'latest');
      await advance(2_000);
      await asked;
    }
    await advance(10_000);
    const controller = new AbortController();
    const { signal } = controller;
    const first = ask('eth_getBalance', alice, 'latest');
    const waiting = rejection(cache.request('eth_getBalance', [bob, 'latest'], { signal }));
    await settled();
    controller.abort();
    expect((await waiting).code).toBe(-32002);
    await advance(5_000);
    await first;
  });

  test('recently used entries stay within the capacity', async () => {
    const { ask, costOf } = await looked({ capacity: 2_000 });
    const read = (index: number) => ask('eth_getBalance', `0x${String(index).padStart(40, '0')}`, 'latest');
    const cost = await costOf(async () => {
      for (let index = 0; index < 50; index++) {
        await read(index);
        await read(0);
      }
    });
    expect(cost.length).toBe(50);
    expect(await costOf(() => read(1))).toEqual(['eth_getBalance']);
  });

  test('usage() counts cached responses by method, beside sent requests', async () => {
    const { ask, cache } = await looked();
    for (let again = 0; again < 3; again++) await ask('eth_gasPrice');
    await ask('eth_blockNumber');
    expect(cache.usage()).toEqual({ sent: {}, shared: 0, cached: { eth_gasPrice: 2, eth_blockNumber: 1 } });
  });
});

describe('lasting', () => {
  test('only immutable results come from the cache, and nothing else is cached', async () => {
    const { cache, ask, costOf } = await looked();
    const read = (height: string) => cache.lasting.request('eth_getBlockByNumber', [height, false]);
    await read('0x5');
    expect(await costOf(() => read('0x5'))).toEqual([]);
    expect(await costOf(() => ask('eth_getBlockByNumber', '0x5', false))).toEqual([]);
    await ask('eth_getBlockByNumber', '0x13', false);
    for (const height of ['0x13', 'latest']) expect(await costOf(() => read(height))).toEqual(latest);
  });
});

test('with a polling interval of 0 nothing is cached and nothing polled', async () => {
  const ledger = createLedger({ interval: 500 });
  ledger.mine(20);
  await ledger.head.latest();
  const cost = await ledger.costOf(async () => {
    for (let again = 0; again < 5; again++) await ledger.ask('eth_blockNumber');
    for (let again = 0; again < 5; again++) await ledger.ask('eth_getBalance', alice, 'latest');
    for (let again = 0; again < 5; again++) await ledger.ask('eth_getBalance', alice, '0x1');
  });
  expect(cost).toEqual([
    ...Array.from({ length: 5 }, () => 'eth_blockNumber'),
    ...Array.from({ length: 10 }, () => 'eth_getBalance'),
  ]);
});
