import { beforeEach, describe, expect, test } from 'vitest';
import { createPaymentReader } from '../../../src/received/reader.js';
import { createRecords, type Records } from '../../../src/received/record.js';
import { ProviderRpcError } from '../../../src/rpc/errors.js';
import type { Address } from '../../../src/rpc/schema.js';
import { createMemoryStorage } from '../../../src/storage/memory.js';
import { createRandom } from '../../support/random.js';
import { createRandomChain, type PlayedTransaction } from './random-chain.js';

/** Single cases of what a reading does; random chains are in `received.ground-truth`. */

const account: Address = `0x${'a1'.repeat(20)}`;
const other: Address = `0x${'a2'.repeat(20)}`;
const stranger: Address = `0x${'b1'.repeat(20)}`;
const token: Address = `0x${'d1'.repeat(20)}`;

let chain: ReturnType<typeof createRandomChain>;
let records: Records;
const start = (options: Partial<createRandomChain.Options> = {}) => {
  chain = createRandomChain({ random: createRandom(7), ...options });
};
const reader = () =>
  createPaymentReader({
    chainId: 31,
    service: () => chain.service,
    records,
    spentIn: () => 0n,
    isWanted: ({ amount }) => amount !== '0x0',
  });
const mine = (count: number) => {
  for (let block = 0; block < count; block += 1) chain.mine();
};
const transaction = (fields: Partial<PlayedTransaction>): PlayedTransaction => ({
  ...{ hash: chain.newHash(), from: stranger, to: stranger, value: 0n, movements: [], inner: [] },
  ...fields,
});
const pay = (value: bigint, to = account) => chain.mine([transaction({ to, value })]);
const send = (amount: bigint, count = 1) =>
  chain.mine([
    transaction({
      movements: Array.from({ length: count }, () => ({ token, from: stranger, to: account, amount })),
    }),
  ]);
const amounts = (record: { readonly payments: readonly { readonly amount: string }[] }) =>
  record.payments.map(({ amount }) => Number(amount));

beforeEach(() => {
  start();
  records = createRecords(createMemoryStorage());
});

describe('payments that a reading finds', () => {
  test('coins and tokens of the newest 2,000 blocks at first, and then what came since', async () => {
    pay(1n);
    mine(2_050);
    pay(2n);
    send(3n);
    mine(20);
    const first = await reader().read([account], false);
    expect(amounts(first)).toEqual([2, 3]);
    expect(first.accounts[account]?.spans).toEqual([{ from: 62, to: 2_061 }]);
    pay(4n);
    mine(3_000);
    send(5n);
    const second = await reader().read([account], false);
    expect(amounts(second)).toEqual([2, 3, 4, 5]);
    expect(amounts(await reader().read([account], true))).toEqual([1, 2, 3, 4, 5]);
  });

  test('an account without payments takes seven requests, however many blocks there are', async () => {
    mine(50);
    await reader().read([account, other], false);
    mine(9_000);
    chain.takeRequests();
    const record = await reader().read([account, other], false);
    expect(chain.takeRequests()).toBe(7);
    expect(record.accounts[other]?.spans).toEqual([{ from: 1, to: 9_038 }]);
  });

  test('more payments in one block than a service gives at once', async () => {
    chain.mine(Array.from({ length: 230 }, (_, i) => transaction({ to: account, value: BigInt(i + 1) })));
    mine(13);
    expect((await reader().read([account], false)).payments).toHaveLength(230);
  });

  test('a thousand transfers that no one wants leave a payment in its place', async () => {
    pay(7n);
    send(0n, 1_500);
    mine(13);
    const { payments } = await reader().read([account], false);
    expect(payments).toHaveLength(1_001);
    expect(payments[0]).toMatchObject({ token: null, amount: '0x7', from: stranger });
  });

  test('beyond a thousand payments nothing below the oldest one counts as known', async () => {
    for (let block = 0; block < 1_100; block += 1) send(BigInt(block + 1));
    mine(13);
    const { payments, accounts } = await reader().read([account], false);
    expect(payments).toHaveLength(1_000);
    expect(accounts[account]?.spans).toEqual([{ from: 101, to: 1_101 }]);
  });

  test('a change of the balance that no transaction shows, within 2,000 blocks', async () => {
    mine(5_000);
    chain.mine([transaction({ inner: [{ to: account, value: 9n }] })]);
    mine(5_000);
    await reader().read([account], false);
    await reader().read([account], true);
    const { steps } = await reader().read([account], true);
    expect(steps).toMatchObject([{ account, amount: '9' }]);
    expect((steps[0]?.to ?? 0) - (steps[0]?.from ?? 0)).toBeLessThan(2_000);
  });

  test('a service without traces: the payment is a change of the balance', async () => {
    start({ hasTraces: false });
    pay(9n);
    mine(20);
    const { payments, steps } = await reader().read([account], false);
    expect(payments).toEqual([]);
    expect(steps).toMatchObject([{ account, amount: '9', from: 1 }]);
  });

  test('a failed transaction paid nothing', async () => {
    chain.mine([transaction({ to: account, value: 5n, hasFailed: true })]);
    pay(1n);
    mine(13);
    expect(amounts(await reader().read([account], false))).toEqual([1]);
  });
});

describe('blocks that a reading cannot read', () => {
  test('a node without old states: tokens are read all the same, and from when on coins are known', async () => {
    send(2n);
    pay(3n);
    mine(1_500);
    chain.setOldestState(1_480);
    const first = await reader().read([account], false);
    expect(amounts(first)).toEqual([2]);
    expect(first.accounts[account]).toMatchObject({ coinsFrom: chain.head().number - 11 });
    pay(4n);
    mine(500);
    chain.setOldestState(1_900);
    expect(amounts(await reader().read([account], false))).toEqual([2, 4]);
  });

  test('a node without states between two visits: the payment that was shown stays, and is no change as well', async () => {
    mine(30);
    await reader().read([account], false);
    pay(3n);
    expect(amounts(await reader().read([account], false))).toEqual([3]);
    mine(3_000);
    chain.setOldestState(3_000);
    const { payments, steps } = await reader().read([account], false);
    expect([amounts({ payments }), steps]).toEqual([[3], []]);
  });

  test('a trace that times out for many blocks is asked for fewer of them', async () => {
    mine(600);
    pay(1n);
    mine(1_300);
    const { request } = chain.service;
    const slow = createPaymentReader({
      ...{ chainId: 31, records, spentIn: () => 0n, isWanted: () => true },
      service: () => ({
        ...chain.service,
        async request(method, params, ...rest) {
          const { fromBlock, toBlock } = Object(params[0]) as { fromBlock: string; toBlock: string };
          if (method === 'trace_filter' && Number(toBlock) - Number(fromBlock) > 500)
            throw new ProviderRpcError(-32005, 'timeout', { reason: 'timeout' });
          return request(method, params, ...rest);
        },
      }),
    });
    let record = await slow.read([account], false);
    for (let visit = 0; visit < 3 && record.payments.length === 0; visit += 1)
      record = await slow.read([account], true);
    expect(amounts(record)).toEqual([1]);
  });

  test('a service whose traces fail: a payment is a change of the balance, and tokens are read', async () => {
    send(2n);
    pay(1n);
    mine(30);
    const { request } = chain.service;
    const failing = createPaymentReader({
      ...{ chainId: 31, records, spentIn: () => 0n, isWanted: () => true },
      service: () => ({
        ...chain.service,
        async request(method, ...rest) {
          if (method === 'trace_filter') throw new ProviderRpcError(-32000, 'no', { reason: 'status' });
          return request(method, ...rest);
        },
      }),
    });
    const record = await failing.read([account], false);
    expect(amounts(record)).toEqual([2]);
    expect(record.steps).toMatchObject([{ amount: '1' }]);
  });

  test('a service that cannot be reached in the middle of a reading is an error', async () => {
    pay(1n);
    mine(30);
    chain.onRequest((method) => {
      if (method === 'trace_filter') throw new ProviderRpcError(-32002, 'away', {});
    });
    await expect(reader().read([account], false)).rejects.toMatchObject({ code: -32002 });
  });

  test('hundreds of payments in a few blocks are read in some visits, and what is below them', async () => {
    pay(7n);
    mine(200);
    for (let block = 0; block < 20; block += 1)
      chain.mine(Array.from({ length: 40 }, () => transaction({ to: account, value: 1n })));
    mine(1_500);
    const one = reader();
    let record = await one.read([account], false);
    for (let visit = 0; visit < 40 && !amounts(record).includes(7); visit += 1)
      record = await one.read([account], true);
    expect(amounts(record).filter((each) => each === 1)).toHaveLength(800);
    expect(amounts(record)).toContain(7);
  });

  test('a range that the service refuses is read in parts, and its limit is asked for once', async () => {
    start({ maxRange: 400 });
    send(1n);
    mine(1_500);
    const one = reader();
    await one.read([account], false);
    mine(600);
    let asked = 0;
    chain.onRequest((method) => {
      asked += Number(method === 'eth_getLogs');
    });
    const { accounts } = await one.read([account], false);
    expect(asked).toBe(2);
    expect(accounts[account]?.spans.at(-1)?.to).toBe(chain.head().number - 12);
  });

  test('twelve requests at most, and the rest on demand', async () => {
    start({ maxRange: 100 });
    send(1n);
    mine(1_900);
    const one = reader();
    const counts: number[] = [];
    let record = await one.read([account], false);
    for (let visit = 0; visit < 12 && record.payments.length === 0; visit += 1) {
      chain.takeRequests();
      record = await one.read([account], true);
      counts.push(chain.takeRequests());
    }
    expect(Math.max(...counts)).toBeLessThanOrEqual(12);
    expect(amounts(record)).toEqual([1]);
    expect(record.accounts[account]?.spans).toEqual([{ from: 1, to: 1_889 }]);
  });

  test('each further reading comes further, however often balances change', async () => {
    pay(3n);
    for (let part = 0; part < 6; part += 1) {
      mine(1_500);
      chain.mine([transaction({ inner: [{ to: account, value: 9n }] })]);
    }
    mine(3_000);
    const one = reader();
    let record = await one.read([account], false);
    for (let visit = 0; visit < 12 && record.payments.length === 0; visit += 1) {
      const before = Number(record.accounts[account]?.spans[0]?.from);
      record = await one.read([account], true);
      expect(Number(record.accounts[account]?.spans[0]?.from)).toBeLessThan(before);
    }
    expect(amounts(record)).toEqual([3]);
    expect(record.steps.reduce((sum, { amount }) => sum + Number(amount), 0)).toBe(54);
  });

  test('a trace without its place in the chain counts as none, and loses nothing', async () => {
    pay(1n);
    mine(20);
    await reader().read([account], false);
    pay(2n);
    mine(20);
    const { request } = chain.service;
    const broken = createPaymentReader({
      ...{ chainId: 31, records, spentIn: () => 0n, isWanted: () => true },
      service: () => ({
        ...chain.service,
        async request(method, params, options) {
          if (method !== 'trace_filter') return request(method, params, options);
          const traces = [
            { action: { from: stranger, to: account, value: '0x1' }, type: 'call', traceAddress: [] },
          ];
          options?.check?.(traces);
          return traces;
        },
      }),
    });
    const { payments, steps } = await broken.read([account], false);
    expect([amounts({ payments }), steps.map(({ amount }) => amount)]).toEqual([[1], ['2']]);
  });
});

describe('a chain that changes', () => {
  test('while it is read, below the newest anchor: what was known stays, until the next reading', async () => {
    mine(40);
    pay(1n);
    mine(20);
    await reader().read([account], false);
    mine(30);
    let blocks = 0;
    chain.onRequest((method) => {
      // After the anchor of the last reading, and before that of this one.
      if (method !== 'eth_getBlockByNumber' || ++blocks !== 3) return;
      chain.remove(70);
      mine(72);
    });
    const during = await reader().read([account], false);
    expect(amounts(during)).toEqual([1]);
    expect(during.head?.number).toBe(61);
    chain.onRequest(() => {});
    expect(amounts(await reader().read([account], false))).toEqual([]);
  });

  test('a payment that a lagging node does not show stays; one that a reorganisation took goes', async () => {
    mine(30);
    pay(1n);
    send(2n);
    expect(amounts(await reader().read([account], false))).toEqual([1, 2]);
    mine(1);
    let logs = 0;
    chain.setLag(() => (logs > 0 ? 3 : 0));
    chain.onRequest((method) => {
      logs = Number(method === 'eth_getLogs');
    });
    expect(amounts(await reader().read([account], false))).toEqual([1, 2]);
    chain.setLag(() => 0);
    chain.remove(3);
    mine(5);
    expect(amounts(await reader().read([account], false))).toEqual([]);
  });

  test('coins that came to an empty account and left it again are found', async () => {
    const poor: Address = `0x${'00'.repeat(19)}e1`;
    chain.setEmpty(poor);
    mine(30);
    await reader().read([poor], false);
    pay(1_021_000n, poor);
    chain.mine([transaction({ from: poor, value: 1_000_000n })]);
    mine(30);
    expect(amounts(await reader().read([poor], false))).toEqual([1_021_000]);
  });

  test('tokens in blocks that a node did not have yet are found by the next reading', async () => {
    mine(30);
    await reader().read([account], false);
    mine(5);
    send(5n);
    mine(14);
    let lag = 0;
    chain.setLag(() => lag);
    chain.onRequest((method) => {
      lag = method === 'eth_getLogs' ? 20 : 0;
    });
    await reader().read([account], false);
    chain.onRequest(() => {});
    chain.setLag(() => 0);
    mine(5);
    expect(amounts(await reader().read([account], false))).toEqual([5]);
  });

  test('four payments of the newest blocks stay while a node lags', async () => {
    mine(30);
    for (const amount of [1n, 2n, 3n, 4n]) send(amount);
    expect(amounts(await reader().read([account], false))).toEqual([1, 2, 3, 4]);
    mine(1);
    let lag = 0;
    chain.setLag(() => lag);
    chain.onRequest((method) => {
      lag = method === 'eth_getLogs' ? 6 : 0;
    });
    expect(amounts(await reader().read([account], false))).toEqual([1, 2, 3, 4]);
  });

  test('a chain that was set back, with an earlier clock, shows nothing of the one before', async () => {
    mine(60);
    send(1n);
    mine(30);
    await reader().read([account], false);
    chain.remove(100);
    mine(40);
    expect(amounts(await reader().read([account], false))).toEqual([]);
  });

  test('another chain with the same id: nothing of the first one is shown', async () => {
    pay(1n);
    mine(30);
    await reader().read([account], false);
    start();
    mine(40);
    chain.remove(40);
    mine(60);
    const record = await reader().read([account], false);
    expect(record.payments).toEqual([]);
    expect(record.accounts[account]?.spans).toEqual([{ from: 1, to: 48 }]);
  });

  test('two tabs that read at once keep one record', async () => {
    pay(1n);
    mine(30);
    const both = await Promise.all([reader().read([account], false), reader().read([account], false)]);
    expect(both.map(amounts)).toEqual([[1], [1]]);
    expect(both.map(({ revision }) => revision)).toEqual([1, 1]);
  });

  test('a stored record of another form counts as none', async () => {
    const storage = createMemoryStorage();
    records = createRecords(storage);
    pay(1n);
    mine(30);
    for (const damaged of [
      5,
      'x',
      [],
      { revision: 'a' },
      { revision: 1, anchors: {}, payments: [], steps: [] },
    ]) {
      await storage.put('received', [['31', damaged]]);
      expect(amounts(await reader().read([account], false))).toEqual([1]);
    }
  });
});
