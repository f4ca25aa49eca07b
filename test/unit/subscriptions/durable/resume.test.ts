import { expect, test } from 'vitest';
import { createFollower } from '../../../../src/chain/follower.js';
import { ProviderRpcError } from '../../../../src/rpc/errors.js';
import type { Hex, Log } from '../../../../src/rpc/schema.js';
import { createMemoryStorage } from '../../../../src/storage/memory.js';
import type { Storage } from '../../../../src/storage/storage.js';
import { createSubscriptions, type SubscriptionResult } from '../../../../src/subscriptions/subscriptions.js';
import { createFakeClock, settled } from '../../../support/fake-clock.js';
import { logEventsOf } from '../../../support/log-events.js';
import { address, createSimulatedChain, word } from '../../../support/simulated-chain.js';

/** One browser, whose pages come and go over the same storage. */
function setUp(options: { storage?: Storage; logs?: number } = {}) {
  const chain = createSimulatedChain();
  const time = createFakeClock();
  const { storage = createMemoryStorage() } = options;
  for (let i = 0; i < 5; i++) chain.mine(transfer);

  const open = (origin = 'https://dapp.example', disk = storage) => {
    const follower = createFollower({ service: chain.service, interval: 8_000, clock: time.clock });
    const heard: { id: Hex; result: SubscriptionResult }[] = [];
    const subscriptions = createSubscriptions({
      ...{ service: chain.service, follower, clock: time.clock, storage: disk, origin },
      ...logEventsOf({ service: chain.service, follower, clock: time.clock }),
      emit: (id, result) => heard.push({ id, result }),
    });
    const results = () => heard.splice(0).map(({ result }) => result);
    return {
      ...{ follower, subscriptions, heard, results },
      /** Subscribes, and lets what was missed come. */
      async go(wanted: Parameters<typeof subscriptions.subscribe>[0] = logs) {
        const id = await subscriptions.subscribe(wanted);
        await rest();
        return id;
      },
      close() {
        subscriptions.clear();
        follower.stop();
      },
    };
  };
  const rest = async () => {
    await time.advance(0);
    for (let i = 0; i < 20; i++) await settled();
  };
  const tick = async () => {
    await time.advance(8_000);
    await rest();
  };
  const newest = (count: number) =>
    chain
      .canonical()
      .slice(-count)
      .flatMap(chain.logsOf)
      .filter((log) => log.address === token);
  return { chain, time, storage, open, rest, tick, newest };
}

const token = address(0x70);
const transfer = { address: token, topics: [word(0xdd)] };
const other = { address: address(0x71), topics: [word(0xdd)] };
const logs = { kind: 'logs', criteria: { address: token }, resume: 'transfers' } as const;
const heads = { kind: 'newHeads', resume: 'heads' } as const;
const valid = (log: Log) => ({ ...log, removed: false });
const removed = (log: Log) => ({ ...log, removed: true });
const hashes = (blocks: readonly { hash?: unknown }[]) => blocks.map(({ hash }) => hash);

test('a new name starts with what is mined from then on', async () => {
  const { chain, open, tick, newest } = setUp();
  const page = open();
  const id = await page.go();
  expect(page.heard).toEqual([]);
  chain.mine(transfer, other);
  await tick();
  expect(page.heard).toEqual(newest(1).map((log) => ({ id, result: valid(log) })));
  page.close();
});

test('after a reload what was mined meanwhile comes first, each once and in order', async () => {
  for (const count of [1, 3, 12, 13, 40, 2_880]) {
    const { chain, open, tick, newest } = setUp();
    const before = open();
    await before.go();
    chain.mine(transfer);
    await tick();
    expect(before.results()).toEqual(newest(1).map(valid));
    before.close();
    for (let i = 0; i < count; i++)
      chain.mine(...(i % 7 ? [] : [transfer, other]), ...(i % 5 ? [] : [transfer]));
    const after = open();
    await after.go();
    expect(after.results()).toEqual(newest(count).map(valid));
    chain.mine(transfer);
    await tick();
    expect(after.results()).toEqual(newest(1).map(valid));
    after.close();
  }
});

test('a long absence costs a range and the latest blocks, a short one its blocks, none one look', async () => {
  const { chain, open, newest } = setUp();
  const costs: number[] = [];
  for (const count of [1, 0, 12, 2_000]) {
    for (let i = 0; i < count; i++) chain.mine(other);
    const page = open();
    const before = chain.requests();
    await page.go();
    costs.push(chain.requests() - before);
    page.close();
  }
  // The name is new; nothing happened; eleven parents; 23 parents, where we stand, the range, and where it ends.
  expect(costs).toEqual([1, 1, 12, 27]);
  expect(newest(2_000)).toEqual([]);
});

test('no log is emitted before the page can know the id', async () => {
  const { chain, open, rest } = setUp();
  const before = open();
  await before.go();
  before.close();
  chain.mine(transfer);
  const page = open();
  await page.subscriptions.subscribe(logs);
  for (let i = 0; i < 5; i++) await settled();
  expect(page.heard).toEqual([]);
  await rest();
  expect(page.heard).toHaveLength(1);
  page.close();
});

test('logs delivered from blocks that left meanwhile are removed first, newest first', async () => {
  for (const [depth, length] of [
    [1, 2],
    [3, 3],
    [10, 11],
    [12, 60],
    [40, 41],
    [40, 80],
    [100, 130],
  ] as const) {
    const { chain, open, tick, newest } = setUp();
    const before = open();
    await before.go();
    for (let i = 0; i < depth + 2; i++) {
      chain.mine(transfer, transfer);
      await tick();
    }
    const told = newest(depth);
    before.close();
    chain.reorg(depth, ...Array.from({ length }, () => [transfer]));
    const after = open();
    await after.go();
    expect(after.results()).toEqual([...told.reverse().map(removed), ...newest(length).map(valid)]);
    after.close();
  }
});

test('logs that came after a reload can be taken back too, also by the page after', async () => {
  const { chain, open, tick, newest } = setUp();
  const first = open();
  await first.go();
  first.close();
  for (let i = 0; i < 60; i++) chain.mine(transfer);
  const second = open();
  await second.go();
  expect(second.results()).toHaveLength(60);
  const told = newest(30);
  chain.reorg(30, ...Array.from({ length: 31 }, () => [transfer]));
  await tick();
  expect(second.results()).toEqual([...told.reverse().map(removed), ...newest(31).map(valid)]);
  second.close();
  const again = newest(31);
  chain.reorg(31, ...Array.from({ length: 32 }, () => [transfer]));
  const third = open();
  await third.go();
  expect(third.results()).toEqual([...again.reverse().map(removed), ...newest(32).map(valid)]);
  third.close();
});

test('logs that a page was receiving when it died are delivered again', async () => {
  const { chain, storage, open, rest, newest } = setUp();
  const before = open();
  await before.go();
  before.close();
  chain.mine(transfer, transfer);
  chain.mine(transfer);
  let dead = false;
  const disk: Storage = {
    ...storage,
    update: (...args) => (dead ? new Promise(() => {}) : storage.update(...args)),
  };
  const dying = open(undefined, disk);
  const emitted = dying.heard.push.bind(dying.heard);
  dying.heard.push = (...items) => {
    if (dead) return 0;
    dead = true;
    return emitted(...items);
  };
  await dying.go();
  expect(dying.results()).toEqual(newest(2).slice(0, 1).map(valid));
  dying.close();
  const told = newest(2);
  chain.reorg(2, [transfer]);
  chain.mine(transfer);
  const after = open();
  await after.go();
  await rest();
  // First to its end what had begun, which has left; nobody knows that the page had heard a part of it.
  expect(after.results()).toEqual([
    ...told.slice(0, 2).map(valid),
    ...told.slice(0, 2).reverse().map(removed),
    ...newest(2).map(valid),
  ]);
  after.close();
});

test('a page that closes during delivery resumes with the rest, and gets nothing twice', async () => {
  const { chain, open, newest } = setUp();
  const before = open();
  await before.go();
  before.close();
  for (let i = 0; i < 60; i++) chain.mine(transfer, transfer);
  const held: unknown[] = [];
  for (const stopAt of [1, 2, 3, 50, 73, 74, 90, 200]) {
    const page = open();
    const emitted = page.heard.push.bind(page.heard);
    page.heard.push = (...items) => {
      const length = emitted(...items);
      if (held.length + length >= stopAt) page.close();
      return length;
    };
    await page.go();
    held.push(...page.results());
    expect(held).toHaveLength(Math.min(stopAt, 120));
    page.close();
  }
  expect(held).toEqual(newest(60).map(valid));
});

test('a catch-up that fails midway is tried again, without doubles and before anything newer', async () => {
  const { chain, open, tick, time, newest } = setUp();
  const before = open();
  await before.go();
  before.close();
  for (let i = 0; i < 50; i++) chain.mine(transfer);
  const page = open();
  let refused = 0;
  chain.intercept((method, [first]) => {
    const { blockHash, fromBlock } = Object(first) as { blockHash?: string; fromBlock?: string };
    const isLast = blockHash === newest(3)[0]?.blockHash;
    if (!(method === 'eth_getLogs' && (fromBlock ? refused < 2 : isLast && refused < 4))) return undefined;
    refused += 1;
    throw new ProviderRpcError(-32002, 'gone');
  });
  await page.go();
  expect(page.heard).toEqual([]);
  chain.mine(transfer);
  await tick();
  for (let i = 0; i < 4; i++) await time.advance(30_000);
  await tick();
  expect(refused).toBe(4);
  expect(page.results()).toEqual(newest(51).map(valid));
  page.close();
});

test('the head moves and the chain is reorganised while the past is read', async () => {
  const { chain, open, tick, newest } = setUp();
  const before = open();
  await before.go();
  before.close();
  for (let i = 0; i < 50; i++) chain.mine(transfer);
  const page = open();
  let moved = 0;
  chain.intercept(async (method, [selector]) => {
    if (method.startsWith('eth_getBlockBy') && selector !== 'latest' && moved++ % 4 === 0) {
      if (moved === 5) chain.reorg(6, ...Array.from({ length: 7 }, () => [transfer]));
      else chain.mine(transfer);
      void page.follower.catchUp();
    }
    return undefined;
  });
  await page.go();
  chain.intercept();
  await tick();
  const held: Log[] = [];
  for (const log of page.results() as Log[])
    if (log.removed) expect(removed(held.pop() as Log)).toEqual(log);
    else held.push(log);
  expect(held).toEqual(newest(Number(chain.head().number) - 5).map(valid));
  expect(moved).toBeGreaterThan(8);
  page.close();
});

test('a node that lags behind what an earlier page saw is waited for', async () => {
  const { chain, open, tick, newest } = setUp();
  const before = open();
  await before.go();
  for (let i = 0; i < 3; i++) chain.mine(transfer);
  await tick();
  before.close();
  const page = open();
  const behind = chain.canonical().at(-3);
  chain.intercept((_method, [selector]) => (selector === 'latest' ? behind : undefined));
  await page.go();
  await tick();
  chain.intercept();
  await tick();
  expect(page.heard).toEqual([]);
  chain.mine(transfer);
  await tick();
  expect(page.results()).toEqual(newest(1).map(valid));
  page.close();
});

test('a node on a lighter fork is not believed while another one stands where the page was', async () => {
  const { chain, open, tick, time } = setUp();
  const before = open();
  await before.go();
  chain.mine(transfer);
  await tick();
  const side = chain.head();
  chain.reorg(1, [transfer], [transfer]);
  await tick();
  before.close();
  const page = open();
  chain.intercept((_method, [selector]) => (selector === 'latest' ? side : undefined));
  await page.go();
  await time.advance(60_000);
  expect(page.heard).toEqual([]);
  page.close();
});

test('a development node that was set back is believed after a while', async () => {
  const { chain, open, tick, time, newest } = setUp();
  const before = open();
  await before.go();
  for (let i = 0; i < 10; i++) chain.mine(transfer);
  await tick();
  const told = newest(10);
  before.close();
  chain.reorg(10, [transfer]);
  const page = open();
  await page.go();
  expect(page.heard).toEqual([]);
  await time.advance(60_000);
  await tick();
  expect(page.results()).toEqual([...told.reverse().map(removed), ...newest(1).map(valid)]);
  page.close();
});

test('with the service down it resolves all the same, and begins where the page was left', async () => {
  const { chain, open, tick, time, newest } = setUp();
  const before = open();
  await before.go();
  before.close();
  chain.mine(transfer);
  chain.faults.errors = 1;
  const page = open();
  await page.go();
  chain.mine(transfer);
  chain.faults.errors = 0;
  await time.advance(30_000);
  await tick();
  expect(page.results()).toEqual(newest(2).map(valid));
  page.close();
});

test('a resume name is kept per origin and criteria; other criteria start afresh', async () => {
  const { chain, open, newest } = setUp();
  const [ours, theirs] = [open(), open('https://other.example')];
  await ours.go();
  await theirs.go();
  ours.close();
  theirs.close();
  chain.mine(transfer);
  const [named, elsewhere] = [open(), open('https://third.example')];
  await named.go({ ...logs, resume: 'another' });
  await elsewhere.go();
  expect([named.results(), elsewhere.results()]).toEqual([[], []]);
  await named.go({ ...logs, criteria: {} });
  expect(named.results()).toEqual([]);
  named.close();
  elsewhere.close();
  chain.mine(transfer);
  const [anew, other] = [open(), open('https://other.example')];
  await anew.go();
  await other.go();
  expect([anew.results(), other.results()]).toEqual([[], newest(2).map(valid)]);
  anew.close();
  other.close();
});

test('a name survives unsubscribing', async () => {
  const { chain, open, rest, newest } = setUp();
  const page = open();
  const id = await page.go();
  expect(await page.subscriptions.unsubscribe(id)).toBe(true);
  chain.mine(transfer);
  await rest();
  expect(page.heard).toEqual([]);
  await page.go();
  expect(page.results()).toEqual(newest(1).map(valid));
  page.close();
});

test('two tabs under one name each get every log, and the name resumes after the furthest tab', async () => {
  const { chain, open, tick, newest } = setUp();
  const [first, second] = [open(), open()];
  await first.go();
  await second.go();
  chain.mine(transfer);
  await tick();
  expect([first.results(), second.results()]).toEqual([newest(1).map(valid), newest(1).map(valid)]);
  first.close();
  chain.mine(transfer);
  await tick();
  second.close();
  chain.mine(transfer);
  const third = open();
  await third.go();
  expect(third.results()).toEqual(newest(1).map(valid));
  third.close();
});

test('without a storage that works the name lasts as long as the page', async () => {
  const refused = async () => {
    throw new DOMException('denied', 'SecurityError');
  };
  const none = { ...createMemoryStorage(), get: refused, all: refused, update: refused, put: refused };
  const { chain, open, tick, newest } = setUp({ storage: none });
  const page = open();
  const id = await page.go();
  chain.mine(transfer);
  await tick();
  expect(page.results()).toHaveLength(1);
  await page.subscriptions.unsubscribe(id);
  chain.mine(transfer);
  await page.go();
  expect(page.results()).toEqual(newest(1).map(valid));
  page.close();
  chain.mine(transfer);
  const next = open();
  await next.go();
  expect(next.heard).toEqual([]);
  next.close();
});

test('progress without logs is stored once a minute, progress with logs at once', async () => {
  const { chain, storage, open, time, tick } = setUp();
  let writes = 0;
  const { update } = storage;
  storage.update = (...args) => {
    writes += 1;
    return update(...args);
  };
  const page = open();
  await page.go();
  const begun = writes;
  for (let i = 0; i < 30; i++) {
    chain.mine(other);
    await time.advance(8_000);
  }
  expect(writes - begun).toBeLessThanOrEqual(4);
  const quiet = writes;
  chain.mine(transfer);
  await tick();
  // Before and after.
  expect(writes - quiet).toBe(2);
  page.close();
});

test('a gap that is too long to read rejects once, and the name then starts afresh', async () => {
  const { chain, open, tick, newest } = setUp();
  const before = open();
  await before.go();
  before.close();
  const far = { ...chain.head(), number: '0x20000', hash: word(0xfa), parentHash: word(0xfb) };
  chain.intercept((_method, [selector]) => (selector === 'latest' ? far : undefined));
  const page = open();
  await expect(page.subscriptions.subscribe(logs)).rejects.toMatchObject({
    code: -32005,
    message: expect.stringContaining('131067 blocks'),
    data: { reason: 'gap' },
  });
  expect(page.follower.head()).toBe(null);
  chain.intercept();
  await page.go();
  chain.mine(transfer);
  await tick();
  expect(page.results()).toEqual(newest(1).map(valid));
  page.close();
});

test('a name whose cursor was dropped reports the gap once, then starts at the head; another origin drops none', async () => {
  for (const [wanted, hostile] of [
    [logs, 'https://dapp.example'],
    [heads, 'https://dapp.example'],
    [logs, 'https://hostile.example'],
  ] as const) {
    const { chain, time, open, tick, rest } = setUp();
    const before = open();
    await before.go(wanted);
    before.close();
    await rest();
    chain.mine(transfer);
    const flood = open(hostile);
    for (let i = 0; i < 257; i++) {
      await time.advance(1);
      await flood.subscriptions.subscribe({ kind: 'newHeads', resume: `flood-${i}` });
      await rest();
    }
    flood.close();
    const page = open();
    if (hostile === 'https://dapp.example')
      await expect(page.subscriptions.subscribe(wanted)).rejects.toMatchObject({
        code: -32005,
        data: { reason: 'gap' },
      });
    await page.go(wanted);
    chain.mine(transfer);
    await tick();
    expect(page.results()).toHaveLength(hostile === 'https://dapp.example' ? 1 : 2);
    page.close();
  }
});

test('newHeads go on with the missed headers, oldest first', async () => {
  for (const count of [1, 20, 400]) {
    const { chain, open, tick } = setUp();
    const before = open();
    await before.go(heads);
    chain.mine();
    await tick();
    expect(before.results()).toHaveLength(1);
    before.close();
    for (let i = 0; i < count; i++) chain.mine(transfer);
    const page = open();
    await page.go(heads);
    const told = page.results() as { hash: Hex; transactions?: unknown }[];
    expect(hashes(told)).toEqual(hashes(chain.canonical().slice(-count)));
    expect(told[0]).not.toHaveProperty('transactions');
    page.close();
  }
});

test('newHeads tell the replacing blocks, and of a long absence the newest 1,024', async () => {
  const { chain, open, tick } = setUp();
  const before = open();
  await before.go(heads);
  for (let i = 0; i < 4; i++) chain.mine();
  await tick();
  before.close();
  chain.reorg(3, [], [], [], []);
  const page = open();
  await page.go(heads);
  expect(hashes(page.results() as never)).toEqual(hashes(chain.canonical().slice(-4)));
  page.close();
  for (let i = 0; i < 1_500; i++) chain.mine();
  const late = open();
  await late.go(heads);
  for (let i = 0; i < 200; i++) await settled();
  expect(hashes(late.results() as never)).toEqual(hashes(chain.canonical().slice(-1_024)));
  chain.mine();
  await tick();
  expect(hashes(late.results() as never)).toEqual(hashes(chain.canonical().slice(-1)));
  late.close();
});

test('going on costs nothing beyond what following costs', async () => {
  const { chain, open, tick } = setUp();
  const page = open();
  await page.go();
  await page.go(heads);
  const before = chain.requests();
  for (let i = 0; i < 10; i++) {
    chain.mine(other);
    await tick();
  }
  expect(chain.requests() - before).toBe(10);
  chain.reorg(4, [other], [other], [other], [other], [other]);
  await tick();
  expect(chain.requests() - before).toBe(10 + 5);
  page.close();
});
