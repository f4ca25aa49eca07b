import { expect, test } from 'vitest';
import { createFollower } from '../../../../src/chain/follower.js';
import { ProviderRpcError } from '../../../../src/rpc/errors.js';
import type { Log } from '../../../../src/rpc/schema.js';
import { createFilters } from '../../../../src/subscriptions/filters/filters.js';
import { createFakeClock, settled } from '../../../support/fake-clock.js';
import { createFakeVisibility } from '../../../support/fake-visibility.js';
import { logEventsOf } from '../../../support/log-events.js';
import { address, createSimulatedChain, word } from '../../../support/simulated-chain.js';

function setUp(options: Partial<createFilters.Options> & { walked?: number } = {}) {
  const chain = createSimulatedChain();
  const time = createFakeClock();
  const { service } = chain;
  for (let i = 0; i < 10; i++) chain.mine(transfer);
  const { walked } = options;
  const follower = createFollower({ service, interval: 8_000, clock: time.clock, walked });
  const sources = { service, follower, clock: time.clock };
  const filters = createFilters({ ...sources, ...logEventsOf(sources), ...options });
  const hashes = (count: number) =>
    chain
      .canonical()
      .slice(-count)
      .map(({ hash }) => hash);
  const logs = (count: number) => chain.canonical().slice(-count).flatMap(chain.logsOf);
  return { chain, time, follower, filters, hashes, logs };
}

const token = address(0x70);
const transfer = { address: token, topics: [word(0xdd)] };
const other = { address: address(0x71) };
const valid = (log: Log) => ({ ...log, removed: false });
const removed = (log: Log) => ({ ...log, removed: true });
const notFound = { code: -32000, message: 'filter not found' };

test('a block filter gives the hashes since the previous poll', async () => {
  const { chain, filters, hashes } = setUp();
  const id = await filters.newBlockFilter();
  expect(id).toMatch(/^0x[1-9a-f][0-9a-f]{0,8}$/);
  expect(await filters.changes(id)).toEqual([]);
  for (let i = 0; i < 3; i++) chain.mine();
  expect(await filters.changes(id)).toEqual(hashes(3));
  expect(await filters.changes(id)).toEqual([]);
});

test('a log filter gives the matching logs since the previous poll', async () => {
  const { chain, filters } = setUp();
  const id = await filters.newFilter({ address: token });
  expect(await filters.changes(id)).toEqual([]);
  const [first, second] = [chain.mine(transfer, other), chain.mine(other, transfer)];
  const [a, b] = [chain.logsOf(first)[0], chain.logsOf(second)[1]] as [Log, Log];
  expect(await filters.changes(id)).toEqual([valid(a), valid(b)]);
  expect(await filters.changes(id)).toEqual([]);
});

test('a pending-transaction filter gives the hashes since the previous poll', async () => {
  const { chain, filters } = setUp();
  chain.submit(word(1));
  const id = await filters.newPendingTransactionFilter();
  chain.submit(word(2));
  expect(await filters.changes(id)).toEqual([word(2)]);
  expect(await filters.changes(id)).toEqual([]);
  expect(await filters.uninstall(id)).toBe(true);
  await settled();
  expect(chain.filterCount()).toBe(0);
});

test('between polls nothing is asked, and a poll when nothing happened is one request', async () => {
  const { chain, filters, time, hashes } = setUp();
  const [blocks, logs] = [await filters.newBlockFilter(), await filters.newFilter({ address: token })];
  const before = chain.requests();
  for (let i = 0; i < 8; i++) chain.mine(other);
  await time.advance(240_000);
  expect(chain.requests() - before).toBe(0);
  expect(await filters.changes(blocks)).toEqual(hashes(8));
  expect(await filters.changes(logs)).toEqual([]);
  expect(chain.sent.eth_getLogs).toBe(undefined);
  const idle = chain.requests();
  expect(await filters.changes(blocks)).toEqual([]);
  expect(chain.requests() - idle).toBe(1);
});

test('a machine that slept under a visible page loses no filter', async () => {
  const time = createFakeClock();
  let asleep = 0;
  const clock = { ...time.clock, now: () => time.clock.now() + asleep };
  const { chain, filters, logs } = setUp({ clock });
  const [polled, forgotten] = [
    await filters.newFilter({ address: token }),
    await filters.newFilter({ address: token }),
  ];
  await time.advance(299_000);
  await filters.changes(polled);
  for (let i = 0; i < 30; i++) chain.mine(i % 5 ? other : transfer);
  asleep = 3_600_000;
  const wanted = logs(30).filter((log) => log.address === token);
  expect(await filters.changes(polled)).toEqual(wanted.map(valid));
  // Their time goes on where the page wakes.
  await time.advance(301_000);
  expect(await filters.changes(polled).catch(({ message }) => message)).toBe('filter not found');
  await expect(filters.changes(forgotten)).rejects.toMatchObject(notFound);
});

test('ten filters polled at once cost one look and one request for logs', async () => {
  const { chain, filters } = setUp();
  const ids = await Promise.all(Array.from({ length: 10 }, () => filters.newFilter({ address: token })));
  chain.mine(transfer);
  const before = chain.requests();
  const polls = await Promise.all(ids.map((id) => filters.changes(id)));
  expect(polls.map(({ length }) => length)).toEqual(ids.map(() => 1));
  expect(chain.requests() - before).toBe(2);
});

test('delivered logs are taken back after a reorganisation, undelivered ones are not mentioned', async () => {
  for (let depth = 1; depth <= 10; depth++) {
    const { chain, filters, follower, logs } = setUp();
    const id = await filters.newFilter({ address: token });
    for (let i = 0; i < depth; i++) chain.mine(transfer, transfer);
    const told = logs(depth);
    expect(await filters.changes(id)).toEqual(told.map(valid));
    chain.mine(transfer);
    await follower.catchUp();
    chain.reorg(depth + 1, ...Array.from({ length: depth + 2 }, () => [transfer]));
    expect(await filters.changes(id)).toEqual([
      ...told.reverse().map(removed),
      ...logs(depth + 2).map(valid),
    ]);
  }
});

test('a block filter tells the replacing blocks', async () => {
  const { chain, filters, hashes } = setUp();
  const id = await filters.newBlockFilter();
  chain.mine();
  await filters.changes(id);
  chain.reorg(1, [], []);
  expect(await filters.changes(id)).toEqual(hashes(2));
});

test('blocks seen by others between polls are in the next poll', async () => {
  const { chain, filters, follower, time, hashes } = setUp();
  const stop = follower.watch(() => {});
  const id = await filters.newBlockFilter();
  for (let i = 0; i < 5; i++) {
    chain.mine();
    await time.advance(8_000);
  }
  expect(await filters.changes(id)).toEqual(hashes(5));
  stop();
});

test('fromBlock in the past brings the history with the first poll, which can be taken back too', async () => {
  const { chain, filters, logs } = setUp();
  const id = await filters.newFilter({ address: token, fromBlock: '0x4' });
  chain.mine(transfer);
  expect(await filters.changes(id)).toEqual(logs(8).map(valid));
  expect(await filters.changes(id)).toEqual([]);
  expect(chain.sent.eth_getLogs).toBe(1);
  const told = logs(1);
  chain.reorg(1, [other], [transfer]);
  expect(await filters.changes(id)).toEqual([
    ...told.map(removed),
    ...logs(2)
      .filter((log) => log.address === token)
      .map(valid),
  ]);
});

test('a history read from another fork than the head is delivered for the chain of the head', async () => {
  const { chain, filters, logs } = setUp();
  const id = await filters.newFilter({ address: token, fromBlock: '0x1' });
  const before = logs(10);
  let reorganised = false;
  chain.intercept((method) => {
    if (method === 'eth_getLogs' && !reorganised) {
      reorganised = true;
      chain.reorg(1, [transfer, transfer]);
    }
    return undefined;
  });
  expect(await filters.changes(id)).toEqual(before.map(valid));
  chain.mine(transfer);
  expect(await filters.changes(id)).toEqual([...before.slice(-1).map(removed), ...logs(2).map(valid)]);
});

test('a history read from a fork much longer than is read by hash is not delivered again with that fork', async () => {
  const { chain, filters, logs } = setUp();
  for (let i = 0; i < 20; i++) chain.mine(transfer);
  const id = await filters.newFilter({ address: token, fromBlock: '0x1' });
  const before = logs(30);
  let reorganised = false;
  chain.intercept((method) => {
    if (method === 'eth_getLogs' && !reorganised) {
      reorganised = true;
      chain.reorg(20, ...Array.from({ length: 21 }, () => [transfer]));
    }
    return undefined;
  });
  const first = (await filters.changes(id)) as Log[];
  const [early, late] = [logs(31).slice(0, -13), before.slice(-12)];
  expect(first).toEqual([...early, ...late].map(valid));
  expect(await filters.changes(id)).toEqual([...late.map(removed).reverse(), ...logs(13).map(valid)]);
});

test('a node that lags leaves nothing out of the history', async () => {
  const { chain, filters, logs } = setUp();
  const id = await filters.newFilter({ address: token, fromBlock: '0x1' });
  let late = true;
  chain.intercept((method) => {
    const known = method === 'eth_getLogs' && late ? chain.canonical().slice(0, -3) : undefined;
    late &&= known === undefined;
    return known?.flatMap(chain.logsOf);
  });
  expect(await filters.changes(id)).toEqual(logs(10).map(valid));
});

test('delivered history is removed after a reorg below every followed block', async () => {
  const { chain, filters, logs } = setUp();
  const id = await filters.newFilter({ address: token, fromBlock: '0x1' });
  const told = logs(10);
  expect(await filters.changes(id)).toEqual(told.map(valid));
  chain.reorg(6, ...Array.from({ length: 7 }, () => [transfer]));
  expect(await filters.changes(id)).toEqual([
    ...told.slice(-6).reverse().map(removed),
    ...logs(7).map(valid),
  ]);
});

test('fromBlock earliest, latest, pending, in the future', async () => {
  const { chain, filters, logs } = setUp();
  const make = (fromBlock: 'earliest' | 'latest' | 'pending' | `0x${string}`) =>
    filters.newFilter({ address: token, fromBlock });
  const ids = await Promise.all([make('earliest'), make('latest'), make('pending'), make('0xd')]);
  for (let i = 0; i < 4; i++) chain.mine(transfer);
  const polls = await Promise.all(ids.map((id) => filters.changes(id)));
  expect(polls).toEqual([logs(14), logs(4), logs(4), logs(2)].map((each) => each.map(valid)));
});

test('toBlock ends it', async () => {
  const { chain, filters, logs } = setUp();
  const both = await filters.newFilter({ fromBlock: '0x2', toBlock: '0x3' });
  const open = await filters.newFilter({ toBlock: '0xc' });
  for (let i = 0; i < 4; i++) chain.mine(transfer);
  expect(await filters.changes(both)).toEqual(logs(13).slice(0, 2).map(valid));
  expect(await filters.changes(open)).toEqual(logs(4).slice(0, 2).map(valid));
});

test('blockHash, which only eth_getLogs takes, and a history that is too long', async () => {
  const { chain, filters, follower } = setUp();
  await expect(filters.newFilter({ blockHash: word(1) })).rejects.toMatchObject({ code: -32602 });
  chain.intercept(() => ({ ...chain.head(), number: '0x100000' }));
  await expect(filters.newFilter({ fromBlock: '0x1' })).rejects.toMatchObject({ code: -32005 });
  expect(follower.head()).toBe(null);
});

test('logs() asks for all matching logs, without the keys that are undefined', async () => {
  const { chain, filters } = setUp();
  const id = await filters.newFilter({
    address: token,
    fromBlock: '0x1',
    toBlock: '0x5',
    topics: undefined,
  } as never);
  expect(await filters.logs(id)).toHaveLength(5);
  expect(chain.asked.at(-1)?.params).toEqual([{ address: token, fromBlock: '0x1', toBlock: '0x5' }]);
});

test('filter not found for an unknown, a removed and a foreign id, and for logs of a block filter', async () => {
  const { filters, chain } = setUp();
  const id = await filters.newFilter({});
  expect(await filters.uninstall(id)).toBe(true);
  expect(await filters.uninstall(id)).toBe(false);
  const before = chain.requests();
  for (const each of [id, '0x1', '0xffffffffffffffffffff'] as const) {
    await expect(filters.changes(each)).rejects.toMatchObject(notFound);
    await expect(filters.logs(each)).rejects.toMatchObject(notFound);
  }
  expect(chain.requests()).toBe(before);
  await expect(filters.logs(await filters.newBlockFilter())).rejects.toMatchObject(notFound);
});

test('five minutes without a poll remove it, polls keep it', async () => {
  const { filters, time, follower } = setUp();
  const [kept, left] = [await filters.newBlockFilter(), await filters.newBlockFilter()];
  for (let i = 0; i < 3; i++) {
    await time.advance(200_000);
    expect(await filters.changes(kept)).toEqual([]);
  }
  await expect(filters.changes(left)).rejects.toMatchObject(notFound);
  await time.advance(300_001);
  await expect(filters.changes(kept)).rejects.toMatchObject(notFound);
  expect(follower.head()).toBe(null);
});

test('expiry', async () => {
  const { filters, time } = setUp();
  const id = await filters.newBlockFilter();
  await time.advance(300_001);
  await expect(filters.changes(id)).rejects.toMatchObject(notFound);
});

test('an expired filter is dropped without a call, when the follower moves on', async () => {
  const { chain, filters, follower, time } = setUp();
  const stop = follower.watch(() => {});
  await filters.newBlockFilter();
  for (let i = 0; i < 40; i++) {
    chain.mine();
    await time.advance(8_000);
  }
  stop();
  expect(follower.head()).toBe(null);
});

test('a poll that fails takes nothing; -32000 of the service does not pass for ours', async () => {
  const { chain, filters, logs } = setUp();
  const id = await filters.newFilter({ address: token });
  for (let i = 0; i < 3; i++) chain.mine(transfer);
  chain.faults.errors = 1;
  await expect(filters.changes(id)).rejects.toMatchObject({ code: -32002 });
  chain.faults.errors = 0;
  let asked = 0;
  chain.intercept((method) => {
    if (!/Logs|Receipt/.test(method) || ++asked < 2) return undefined;
    throw new ProviderRpcError(-32000, 'unknown block');
  });
  await expect(filters.changes(id)).rejects.toMatchObject({
    code: -32603,
    message: 'eth_getFilterChanges: unknown block',
  });
  chain.intercept();
  expect(await filters.changes(id)).toEqual(logs(3).map(valid));
});

test('a filter whose beginning is not known is not made', async () => {
  const { chain, filters, follower } = setUp();
  chain.faults.errors = 1;
  await expect(filters.newBlockFilter()).rejects.toMatchObject({ code: -32002 });
  await expect(filters.newFilter({})).rejects.toMatchObject({ code: -32002 });
  await expect(filters.newPendingTransactionFilter()).rejects.toMatchObject({ code: -32002 });
  expect(follower.head()).toBe(null);
});

test('two polls at once give each event to one of them', async () => {
  const { chain, filters, logs } = setUp();
  const id = await filters.newFilter({ address: token });
  for (let i = 0; i < 3; i++) chain.mine(transfer);
  let fail = true;
  chain.intercept((method) => {
    if (method !== 'eth_getLogs' || !fail) return undefined;
    fail = false;
    throw new ProviderRpcError(-32002, 'gone');
  });
  const polls = await Promise.allSettled([filters.changes(id), filters.changes(id), filters.changes(id)]);
  expect(polls.map((poll) => (poll.status === 'fulfilled' ? poll.value : 'failed'))).toEqual([
    'failed',
    logs(3).map(valid),
    [],
  ]);
});

test('blocks that were too many to ask for are made up by a range, before what is newer', async () => {
  const { chain, filters, logs } = setUp({ walked: 5 });
  const id = await filters.newFilter({ address: token });
  chain.mine(transfer);
  expect(await filters.changes(id)).toEqual(logs(1).map(valid));
  for (let i = 0; i < 30; i++) chain.mine(transfer);
  expect(await filters.changes(id)).toEqual(logs(30).map(valid));
  expect(chain.asked.filter(({ params }) => Object(params[0]).fromBlock)).toHaveLength(1);
  // What came with the range can be taken back.
  const told = logs(8);
  chain.reorg(8, ...Array.from({ length: 9 }, () => [transfer]));
  expect(await filters.changes(id)).toEqual([...told.reverse().map(removed), ...logs(9).map(valid)]);
});

test('a gap that other watchers saw, and whose range fails at first, is delivered once', async () => {
  const { chain, filters, follower, logs } = setUp({ walked: 5 });
  const stop = follower.watch(() => {});
  const id = await filters.newFilter({ address: token });
  for (const count of [2, 20, 3, 30, 1]) {
    for (let i = 0; i < count; i++) chain.mine(transfer);
    await follower.catchUp();
  }
  chain.reorg(2, [transfer], [transfer], [transfer]);
  await follower.catchUp();
  let fail = true;
  chain.intercept((_method, [filter]) => {
    if (!fail || !Object(filter).fromBlock) return undefined;
    throw new ProviderRpcError(-32002, 'gone');
  });
  await expect(filters.changes(id)).rejects.toMatchObject({ code: -32002 });
  fail = false;
  chain.mine(transfer);
  expect(await filters.changes(id)).toEqual(logs(58).map(valid));
  expect(await filters.changes(id)).toEqual([]);
  stop();
});

test('filter not found reports what can no longer be delivered: hashes of too many blocks, a month of logs', async () => {
  const { chain, filters } = setUp({ walked: 5 });
  const [blocks, logs] = [await filters.newBlockFilter(), await filters.newFilter({})];
  for (let i = 0; i < 1_025; i++) chain.mine();
  for (let i = 0; i < 2; i++) await expect(filters.changes(blocks)).rejects.toMatchObject(notFound);
  const far = Array.from({ length: 6 }, (_, i) => ({
    ...{ ...chain.head(), number: `0x${(0x20000 + i).toString(16)}` },
    ...{ hash: word(0xfa00 + i), parentHash: word(0xf9ff + i) },
  }));
  chain.intercept((_method, [selector]) =>
    selector === 'latest' ? far.at(-1) : far.find(({ hash }) => hash === selector),
  );
  for (let i = 0; i < 2; i++) await expect(filters.changes(logs)).rejects.toMatchObject(notFound);
});

test('a page that slept for a day finds its filter, and in it the day', async () => {
  const page = createFakeVisibility();
  const { chain, filters, time, logs } = setUp({ visibility: page.visibility });
  const id = await filters.newFilter({ address: token });
  expect(page.listeners()).toBe(1);
  chain.mine(transfer);
  expect(await filters.changes(id)).toHaveLength(1);
  page.set(false);
  for (let i = 0; i < 2_880; i++) chain.mine(...(i % 9 ? [] : [transfer]));
  await time.advance(86_400_000);
  page.set(true);
  expect(await filters.changes(id)).toEqual(logs(2_880).map(valid));
  await filters.uninstall(id);
  expect(page.listeners()).toBe(0);
});

test('clear() rejects every caller that waits for a filter id', async () => {
  const { filters, chain, follower } = setUp();
  const asked = [filters.newFilter({}), filters.newBlockFilter(), filters.newPendingTransactionFilter()];
  filters.clear();
  for (const each of asked) await expect(each).rejects.toMatchObject({ code: 4901 });
  await settled();
  expect([follower.head(), chain.filterCount()]).toEqual([null, 0]);
});

test('a filter that is uninstalled while it is polled is not found, by none of its polls', async () => {
  const { chain, filters } = setUp();
  const id = await filters.newBlockFilter();
  chain.mine();
  const polls = [filters.changes(id), filters.changes(id)];
  await filters.uninstall(id);
  for (const poll of polls) await expect(poll).rejects.toMatchObject(notFound);
});

test('clear() removes all', async () => {
  const { filters, follower } = setUp();
  const ids = [
    await filters.newBlockFilter(),
    await filters.newFilter({}),
    await filters.newPendingTransactionFilter(),
  ];
  filters.clear();
  for (const id of ids) expect(await filters.uninstall(id)).toBe(false);
  expect(follower.head()).toBe(null);
});
