import { expect, test, vi } from 'vitest';
import type { MinedBlock } from '../../../src/chain/blocks.js';
import { createFollower } from '../../../src/chain/follower.js';
import type { Hash, Hex, Log } from '../../../src/rpc/schema.js';
import { logEventsOf } from '../../support/log-events.js';
// Imported beforehand: it is loaded when it is first needed, which the fake clock does not wait for.
import '../../../src/service/logs/receipt-logs.js';
import type { LogRanges } from '../../../src/service/logs/ranges.js';
import { createSubscriptions, type SubscriptionResult } from '../../../src/subscriptions/subscriptions.js';
import { createFakeClock, settled } from '../../support/fake-clock.js';
import { address, createSimulatedChain, word } from '../../support/simulated-chain.js';

function setUp(options: Partial<createFollower.Options> & { logRanges?: LogRanges } = {}) {
  const chain = createSimulatedChain();
  const time = createFakeClock();
  const { service } = chain;
  for (let i = 0; i < 5; i++) chain.mine(transfer);
  const follower = createFollower({ service, interval: 8_000, clock: time.clock, ...options });
  const heard: { id: Hex; result: SubscriptionResult }[] = [];
  const subscriptions = createSubscriptions({
    service,
    follower,
    clock: time.clock,
    ...logEventsOf({ service, follower, clock: time.clock, logRanges: options.logRanges }),
    emit: (id, result) => heard.push({ id, result }),
  });
  const tick = async () => {
    await time.advance(8_000);
    for (let i = 0; i < 20; i++) await settled();
  };
  return { chain, time, follower, subscriptions, heard, tick };
}

const token = address(0x70);
const transfer = { address: token, topics: [word(0xdd)] };
const other = { address: address(0x71), topics: [word(0xdd)] };
const logs = { kind: 'logs', criteria: { address: token } } as const;
const valid = (log: Log) => ({ ...log, removed: false });
const removed = (log: Log) => ({ ...log, removed: true });
const results = (heard: { result: unknown }[]) => heard.splice(0).map(({ result }) => result);

test("newHeads are headers as geth pushes them, with all of the chain's own fields", async () => {
  const { chain, subscriptions, heard, tick } = setUp();
  const id = await subscriptions.subscribe({ kind: 'newHeads' });
  expect(heard).toEqual([]);
  const block = chain.mine(transfer);
  await tick();
  const { transactions, uncles, ...header } = block;
  expect(heard).toEqual([{ id, result: header }]);
  expect(header).toMatchObject({ minimumGasPrice: '0x3938700', paidFees: '0x0' });
  subscriptions.clear();
});

test('newHeads tell the replacing blocks after a reorganisation', async () => {
  const { chain, subscriptions, heard, tick } = setUp();
  await subscriptions.subscribe({ kind: 'newHeads' });
  chain.mine();
  chain.mine();
  await tick();
  chain.reorg(2, [], [], []);
  await tick();
  const replacing = chain.canonical().slice(-3);
  expect(results(heard).slice(2)).toMatchObject(replacing.map(({ hash }) => ({ hash })));
  subscriptions.clear();
});

test('logs that match, marked as valid, from the blocks after the subscription', async () => {
  const { chain, subscriptions, heard, tick } = setUp();
  const id = await subscriptions.subscribe(logs);
  const block = chain.mine(transfer, other, transfer);
  await tick();
  const [first, , third] = chain.logsOf(block) as [Log, Log, Log];
  expect(heard).toEqual([
    { id, result: valid(first) },
    { id, result: valid(third) },
  ]);
  subscriptions.clear();
});

test('logs mined as soon as the id is known are delivered, even before the first poll', async () => {
  const { chain, subscriptions, heard, tick } = setUp();
  await subscriptions.subscribe(logs);
  chain.mine(transfer);
  chain.mine(transfer);
  await tick();
  expect(results(heard)).toHaveLength(2);
  subscriptions.clear();
});

test('logs of a block that leaves are removed newest first, then the new ones are delivered', async () => {
  for (let depth = 1; depth <= 10; depth++) {
    const { chain, subscriptions, heard, tick } = setUp();
    await subscriptions.subscribe(logs);
    for (let i = 0; i < depth; i++) chain.mine(transfer, transfer);
    await tick();
    const told = chain.canonical().slice(-depth).flatMap(chain.logsOf);
    expect(results(heard)).toEqual(told.map(valid));
    chain.reorg(depth, ...Array.from({ length: depth + 1 }, () => [transfer]));
    await tick();
    const news = chain
      .canonical()
      .slice(-depth - 1)
      .flatMap(chain.logsOf);
    expect(results(heard)).toEqual([...told.reverse().map(removed), ...news.map(valid)]);
    subscriptions.clear();
  }
});

test('idle subscriptions ask for no logs, and ten cost what one costs', async () => {
  const { chain, subscriptions, heard, tick } = setUp();
  for (let i = 0; i < 10; i++) await subscriptions.subscribe(logs);
  chain.mine(other);
  await tick();
  expect(chain.sent.eth_getLogs).toBe(undefined);
  const before = chain.requests();
  chain.mine(transfer);
  await tick();
  expect(chain.requests() - before).toBe(2);
  expect(heard).toHaveLength(10);
  subscriptions.clear();
});

/**
 * A lagging node answers with no logs for a block that it does not know
 * (docs/notes/node.md#unknown-blocks-have-no-logs), and has none of its receipts.
 */
const lacks =
  (block: MinedBlock) =>
  (method: string, [first]: readonly unknown[]) => {
    if ((first as { blockHash?: string }).blockHash === block.hash) return [];
    return method === 'eth_getTransactionReceipt' && block.transactions.includes(first as Hash)
      ? null
      : undefined;
  };

test('logs that are not available yet hold back all newer logs', async () => {
  const { chain, subscriptions, heard, tick } = setUp();
  const headId = await subscriptions.subscribe({ kind: 'newHeads' });
  const id = await subscriptions.subscribe(logs);
  const blocks = [chain.mine(transfer), chain.mine(transfer)];
  chain.intercept(lacks(blocks[0] as MinedBlock));
  await tick();
  blocks.push(chain.mine(transfer));
  await tick();
  expect(heard.filter((each) => each.id === headId)).toHaveLength(3);
  expect(heard.filter((each) => each.id === id)).toEqual([]);
  chain.intercept();
  await tick();
  expect(results(heard.filter((each) => each.id === id))).toEqual(blocks.flatMap(chain.logsOf).map(valid));
  subscriptions.clear();
});

test('a block that is gone before its logs could be read is not delivered at all', async () => {
  const { chain, subscriptions, heard, tick } = setUp();
  await subscriptions.subscribe(logs);
  const orphan = chain.mine(transfer);
  chain.intercept(lacks(orphan));
  await tick();
  chain.reorg(1, [transfer], [transfer]);
  await tick();
  expect(results(heard)).toEqual(chain.canonical().slice(-2).flatMap(chain.logsOf).map(valid));
  subscriptions.clear();
});

test('a block that leaves while its logs are requested is not delivered', async () => {
  const { chain, subscriptions, follower, heard, tick } = setUp();
  await subscriptions.subscribe(logs);
  chain.mine(transfer);
  let refuse = () => {};
  chain.intercept((method) =>
    method === 'eth_getLogs'
      ? new Promise((_, reject) => {
          refuse = () => reject(new Error('unknown block'));
        })
      : undefined,
  );
  await tick();
  chain.intercept();
  chain.reorg(1, [], []);
  await follower.catchUp();
  refuse();
  await settled();
  expect(heard).toEqual([]);
  chain.mine(transfer);
  await tick();
  expect(results(heard)).toEqual(chain.logsOf(chain.head()).map(valid));
  subscriptions.clear();
});

test('blocks that were too many to ask for are made up by a range', async () => {
  const { chain, subscriptions, heard, tick } = setUp({ walked: 5 });
  const { number } = chain.head();
  await subscriptions.subscribe(logs);
  for (let i = 0; i < 30; i++) chain.mine(transfer, other);
  let failed = false;
  chain.intercept((_method, [filter]) => {
    if (failed || (filter as { blockHash?: string }).blockHash !== chain.head().hash) return undefined;
    failed = true;
    return [];
  });
  await tick();
  await tick();
  const expected = chain
    .canonical()
    .slice(Number(number) + 1)
    .flatMap(chain.logsOf);
  expect(results(heard)).toEqual(expected.filter((log) => log.address === token).map(valid));
  expect(chain.asked.filter(({ params }) => (params[0] as { fromBlock?: string }).fromBlock)).toHaveLength(1);
  chain.reorg(2, [transfer], [transfer], [transfer]);
  await tick();
  expect(results(heard).filter((each) => (each as Log).removed)).toHaveLength(2);
  subscriptions.clear();
});

test('a page frozen for a day gets every log of the day, through reorgs and failures meanwhile', async () => {
  for (const depth of [0, 3, 40]) {
    const { chain, subscriptions, heard, tick } = setUp();
    await subscriptions.subscribe(logs);
    for (let i = 0; i < 50; i++) chain.mine(transfer);
    for (let i = 0; i < 3; i++) await tick();
    const told = results(heard);
    expect(told).toHaveLength(50);
    chain.reorg(depth, ...Array.from({ length: depth }, () => [transfer, transfer]));
    for (let i = 0; i < 2_880; i++) chain.mine(...(i % 9 ? [] : [transfer]));
    let failures = 0;
    chain.intercept((method, [first]) => {
      const { fromBlock, blockHash } = Object(first) as { fromBlock?: string; blockHash?: string };
      const isFatal = fromBlock ? failures < 2 : method === 'eth_getLogs' && failures < 4;
      if (!isFatal || (blockHash && failures < 2)) return undefined;
      failures += 1;
      // The chain goes on while the gap is filled.
      chain.mine(transfer);
      throw new Error('gone');
    });
    for (let i = 0; i < 12; i++) await tick();
    expect(failures).toBe(4);
    const left = told.slice(told.length - depth).reverse() as Log[];
    const joined = chain
      .canonical()
      .slice(-2_884 - depth)
      .flatMap(chain.logsOf);
    expect(results(heard)).toEqual([...left.map(removed), ...joined.map(valid)]);
    subscriptions.clear();
  }
});

test('a day asleep costs a subscription to logs some forty requests, one to headers 1,024', async () => {
  for (const [wanted, most] of [
    [[logs], 60],
    [[logs, logs, { kind: 'logs', criteria: { address: other.address } }], 90],
    [[{ kind: 'newHeads' }], 1_030],
  ] as const) {
    const { chain, subscriptions, heard, tick } = setUp();
    const ids = await Promise.all(wanted.map(subscriptions.subscribe));
    for (let i = 0; i < 2_900; i++) chain.mine(...(i % 100 ? [] : [transfer]));
    chain.mine(transfer);
    const before = chain.requests();
    await tick();
    for (let i = 0; i < 100; i++) await settled();
    expect(chain.requests() - before).toBeLessThan(most);
    const told = results(heard.filter(({ id }) => id === ids[0]));
    const day = chain.canonical().slice(-2_901);
    const [{ kind }] = wanted;
    if (kind === 'logs') expect(told).toEqual(day.flatMap(chain.logsOf).map(valid));
    else expect(told).toMatchObject(day.slice(-1_024).map(({ hash }) => ({ hash })));
    subscriptions.clear();
  }
});

test('however long the sleep, every log is delivered, a part at a time', async () => {
  const ranges: (readonly [from: number, to: number])[] = [];
  const log: Log = {
    ...{ address: token, topics: [], data: '0x', transactionHash: word(1), transactionIndex: '0x0' },
    ...{ logIndex: '0x0', blockNumber: null, blockHash: null },
  };
  /** A log in every ten thousandth block. */
  const logsIn = (from: number, to: number) =>
    Array.from({ length: Math.floor(to / 10_000) }, (_, at) => (at + 1) * 10_000)
      .filter((height) => height >= from)
      .map((height) => ({ ...log, blockNumber: `0x${height.toString(16)}`, blockHash: word(height) }) as Log);
  let refused = 0;
  const logRanges: LogRanges = {
    async read(_: unknown, from: number, to: number) {
      if (from > 200_000 && refused++ < 2) throw new Error('gone');
      ranges.push([from, to]);
      return logsIn(from, to);
    },
    ofBlock: async () => [],
  };
  const { chain, subscriptions, heard, tick } = setUp({ logRanges });
  await subscriptions.subscribe(logs);
  const newest = Array.from({ length: 24 }, (_, at) => ({
    ...{ ...chain.head(), number: `0x${(350_001 + at).toString(16)}` as const },
    ...{ hash: word(350_001 + at), parentHash: word(350_000 + at) },
  }));
  /** The block that the newest stand on. */
  const settledBelow = (selector: unknown) =>
    selector === '0x55730' ? { ...chain.head(), number: selector, hash: word(350_000) } : undefined;
  chain.intercept((_method, [selector]) =>
    selector === 'latest'
      ? newest.at(-1)
      : (newest.find(({ hash }) => hash === selector) ?? settledBelow(selector)),
  );
  for (let i = 0; i < 5; i++) await tick();
  expect(results(heard)).toEqual(logsIn(6, 350_000).map(valid));
  expect(ranges).toEqual([
    [6, 100_005],
    [100_006, 200_005],
    [200_006, 300_005],
    [300_006, 350_000],
  ]);
  subscriptions.clear();
});

test('a range from a node that stands elsewhere is read again, until it ends where the newest begin', async () => {
  const { chain, subscriptions, heard, tick } = setUp();
  await subscriptions.subscribe(logs);
  for (let i = 0; i < 200; i++) chain.mine(transfer);
  const before = chain.canonical();
  chain.reorg(60, ...Array.from({ length: 61 }, () => [transfer]));
  let lags = 2;
  /** What answers has not seen the fork yet, or has seen less of the chain; twice. */
  chain.intercept((method, [first]) => {
    const { fromBlock, toBlock } = Object(first) as { fromBlock?: Hex; toBlock?: Hex };
    if (lags === 0) return undefined;
    if (method === 'eth_getLogs' && fromBlock)
      return before.slice(Number(fromBlock), Math.min(Number(toBlock) + 1, lags * 90)).flatMap(chain.logsOf);
    if (first !== chain.canonical().at(-25)?.number) return undefined;
    lags -= 1;
    return lags ? before[Number(first)] : null;
  });
  for (let i = 0; i < 6; i++) await tick();
  expect(lags).toBe(0);
  expect(results(heard)).toEqual(chain.canonical().slice(6).flatMap(chain.logsOf).map(valid));
  subscriptions.clear();
});

test('newPendingTransactions and syncing push what their watchers bring', async () => {
  const { chain, subscriptions, heard, time } = setUp();
  const pending = await subscriptions.subscribe({ kind: 'newPendingTransactions' });
  const syncing = await subscriptions.subscribe({ kind: 'syncing' });
  chain.submit(word(1));
  await time.advance(5_000);
  const status = { startingBlock: '0x0', currentBlock: '0x1', highestBlock: '0x2' };
  chain.setSyncing(status);
  await time.advance(60_000);
  expect(heard).toEqual([
    { id: pending, result: word(1) },
    { id: syncing, result: { syncing: true, status } },
  ]);
  await subscriptions.unsubscribe(pending);
  await settled();
  expect(chain.filterCount()).toBe(0);
  subscriptions.clear();
});

test('no event comes before the id that it is for', async () => {
  const { chain, subscriptions, heard, time } = setUp();
  const first = await subscriptions.subscribe({ kind: 'newPendingTransactions' });
  chain.submit(word(1));
  const second = await subscriptions.subscribe({ kind: 'newPendingTransactions' });
  expect(heard.map(({ id }) => id)).toEqual([first]);
  chain.submit(word(2));
  await time.advance(5_000);
  expect(heard.slice(1)).toEqual([
    { id: first, result: word(2) },
    { id: second, result: word(2) },
  ]);
  subscriptions.clear();
});

test('unsubscribe says whether the id was known; after the last one nothing is asked', async () => {
  const { chain, subscriptions, heard, tick, follower } = setUp();
  const ids = [
    await subscriptions.subscribe({ kind: 'newHeads' }),
    await subscriptions.subscribe(logs),
    await subscriptions.subscribe({ kind: 'newPendingTransactions' }),
    await subscriptions.subscribe({ kind: 'syncing' }),
  ];
  expect(new Set(ids).size).toBe(4);
  for (const id of ids) {
    expect(await subscriptions.unsubscribe(id)).toBe(true);
    expect(await subscriptions.unsubscribe(id)).toBe(false);
  }
  await settled();
  const before = chain.requests();
  chain.mine(transfer);
  for (let i = 0; i < 20; i++) await tick();
  expect(chain.requests()).toBe(before);
  expect(heard).toEqual([]);
  expect(follower.head()).toBe(null);
});

test('after unsubscribing nothing is delivered, not even blocks whose logs are in flight', async () => {
  const { chain, subscriptions, heard, tick } = setUp();
  const id = await subscriptions.subscribe(logs);
  for (let i = 0; i < 5; i++) chain.mine(transfer);
  chain.intercept((method) => {
    if (method === 'eth_getLogs') void subscriptions.unsubscribe(id);
    return undefined;
  });
  await tick();
  expect(heard).toEqual([]);
  expect(chain.sent.eth_getLogs).toBe(1);
});

test('with the service down it resolves all the same, and begins when the service is back', async () => {
  const { chain, subscriptions, heard, tick } = setUp();
  chain.faults.errors = 1;
  await subscriptions.subscribe({ kind: 'newHeads' });
  chain.faults.errors = 0;
  await tick();
  const { hash } = chain.mine();
  await tick();
  expect(results(heard)).toMatchObject([{ hash }]);
  subscriptions.clear();
});

test('errors that a page throws while it listens are reported, and neither repeat nor stop anything', async () => {
  const chain = createSimulatedChain();
  const time = createFakeClock();
  const follower = createFollower({ service: chain.service, interval: 8_000, clock: time.clock });
  const report = vi.fn();
  vi.stubGlobal('reportError', report);
  let calls = 0;
  const emit = () => {
    calls += 1;
    throw new Error("the page's own");
  };
  const subscriptions = createSubscriptions({
    ...{ service: chain.service, follower, clock: time.clock, emit },
    ...logEventsOf({ service: chain.service, follower }),
  });
  await subscriptions.subscribe({ kind: 'newHeads' });
  for (let i = 0; i < 3; i++) {
    chain.mine();
    await time.advance(8_000);
  }
  expect([calls, report.mock.calls.length]).toEqual([3, 3]);
  vi.unstubAllGlobals();
  subscriptions.clear();
});

test('members that are left out are not read from a polluted Object.prototype', async () => {
  const polluted = { cursor: true, beforeEmit: true, onGap: true, onMissing: true, older: true };
  Object.assign(Object.prototype, polluted);
  try {
    const { chain, subscriptions, heard, tick } = setUp();
    await subscriptions.subscribe(logs);
    const block = chain.mine(transfer);
    await tick();
    expect(results(heard)).toEqual(chain.logsOf(block).map(valid));
    subscriptions.clear();
  } finally {
    for (const name of Object.keys(polluted)) delete (Object.prototype as Record<string, unknown>)[name];
  }
});
