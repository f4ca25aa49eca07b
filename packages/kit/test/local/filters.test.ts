import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { alice, clientOf, emitter, sign, word } from '../../../../test/support/local-client.js';
import { createLocalService, type Hex } from '../../src/local/index.js';

/** A service with a contract that logs, and `emit` to call it. */
async function withEmitter(options: Parameters<typeof createLocalService>[0] = {}) {
  let now = 1_000_000;
  const service = await createLocalService({ mining: 'manual', now: () => now, ...options });
  const { call, refusal } = clientOf(service);
  await service.controls.faucet(alice.address, 10n ** 18n);
  const creation = await call(
    'eth_sendRawTransaction',
    await sign({ to: null, data: emitter, gas: 100_000n, value: 0n }),
  );
  await service.controls.mine();
  const address: Hex = (await call('eth_getTransactionReceipt', creation)).contractAddress;
  let nonce = 1;
  const emit = async (topic: number, value = 0): Promise<Hex> =>
    call(
      'eth_sendRawTransaction',
      await sign({
        nonce: nonce++,
        to: address,
        data: `0x${word(topic)}${word(value)}`,
        gas: 60_000n,
        value: 0n,
      }),
    );
  const mined = async (...topics: number[]) => {
    for (const topic of topics) await emit(topic);
    await service.controls.mine();
  };
  const wait = (milliseconds: number) => {
    now += milliseconds;
  };
  return { service, call, refusal, address, emit, mined, wait };
}

const topicsOf = (logs: { topics: string[] }[]) => logs.map(({ topics }) => Number(topics[0]));
const gone = { status: 200, code: -32000, message: 'filter not found' };

describe('seed', () => {
  let fixture: Awaited<ReturnType<typeof withEmitter>>;
  beforeAll(async () => {
    fixture = await withEmitter();
  });
  afterAll(() => fixture?.service.close());

  test('ids are unique and opaque, with 74 characters', async () => {
    const { call } = fixture;
    const ids = [
      await call('eth_newFilter', {}),
      await call('eth_newBlockFilter'),
      await call('eth_newBlockFilter'),
    ];
    for (const id of ids) expect(id).toMatch(/^0x[0-9a-f]{72}$/);
    expect(new Set(ids).size).toBe(3);
    for (const id of ids) expect(await call('eth_uninstallFilter', id)).toBe(true);
    expect(await call('eth_uninstallFilter', ids[0])).toBe(false);
  });

  test('a log filter returns the logs since the last poll, in block order', async () => {
    const { call, mined } = fixture;
    await mined(1);
    const id = await call('eth_newFilter', {});
    expect(await call('eth_getFilterChanges', id)).toEqual([]);
    await mined(2, 3);
    await mined(4);
    const logs = await call('eth_getFilterChanges', id);
    expect(topicsOf(logs)).toEqual([2, 3, 4]);
    expect(logs.map(({ removed }: { removed: boolean }) => removed)).toEqual([false, false, false]);
    expect(await call('eth_getFilterChanges', id)).toEqual([]);
    expect(topicsOf(await call('eth_getFilterLogs', id))).toEqual([4]);
    await call('eth_uninstallFilter', id);
  });

  test('filters have the criteria of eth_getLogs', async () => {
    const { call, mined, address } = fixture;
    const topic = (value: number) => `0x${word(value)}`;
    const wishes = [
      { topics: [topic(7)] },
      { topics: [[topic(7), topic(8)]] },
      { topics: [null] },
      { topics: [[]] },
      { topics: [[null, topic(8)]] },
      { topics: [null, topic(7)] },
      { address },
      { address: [`0x${'aa'.repeat(20)}`] },
    ];
    const ids = [];
    for (const wish of wishes) ids.push(await call('eth_newFilter', wish));
    await mined(7, 8, 9);
    const expected = [[7], [7, 8], [7, 8, 9], [7, 8, 9], [8], [], [7, 8, 9], []];
    for (const [i, id] of ids.entries()) {
      expect(topicsOf(await call('eth_getFilterChanges', id)), `filter ${i}`).toEqual(expected[i]);
      expect(topicsOf(await call('eth_getLogs', wishes[i])), `logs ${i}`).toEqual(expected[i]);
      await call('eth_uninstallFilter', id);
    }
  });

  test('block and pending-transaction filters return hashes', async () => {
    const { call, emit, service } = fixture;
    const blocks = await call('eth_newBlockFilter');
    const pending = await call('eth_newPendingTransactionFilter');
    const hash = await emit(1);
    await service.controls.mine(2);
    expect(await call('eth_getFilterChanges', pending)).toEqual([hash]);
    const head = Number(await call('eth_blockNumber'));
    const hashes = [];
    for (const number of [head - 1, head])
      hashes.push((await call('eth_getBlockByNumber', `0x${number.toString(16)}`, false)).hash);
    expect(await call('eth_getFilterChanges', blocks)).toEqual(hashes);
    expect(await call('eth_getFilterChanges', blocks)).toEqual([]);
    expect(await call('eth_getFilterLogs', blocks)).toEqual(hashes);
    expect(await call('eth_getFilterLogs', pending)).toEqual([hash]);
    for (const id of [blocks, pending]) await call('eth_uninstallFilter', id);
  });

  test('after a reorganisation a poll returns the old logs as removed, then the new ones', async () => {
    const { call, mined, service } = fixture;
    const id = await call('eth_newFilter', {});
    const blocks = await call('eth_newBlockFilter');
    await mined(5);
    await mined(6);
    await call('eth_getFilterChanges', id);
    await call('eth_getFilterChanges', blocks);
    await service.controls.reorg(2);
    const logs: { topics: string[]; removed: boolean; blockHash: string }[] = await call(
      'eth_getFilterChanges',
      id,
    );
    expect(logs.map(({ removed, topics }) => [removed, Number(topics[0])])).toEqual([
      [true, 6],
      [true, 5],
      [false, 5],
      [false, 6],
    ]);
    expect(new Set(logs.map(({ blockHash }) => blockHash)).size).toBe(3);
    expect(await call('eth_getFilterChanges', blocks)).toHaveLength(3);
  });

  test('a filter is removed 5 minutes after the last poll, and by a restart', async () => {
    const { call, refusal, service, wait } = fixture;
    const polled = await call('eth_newBlockFilter');
    const idle = await call('eth_newBlockFilter');
    wait(299_999);
    await call('eth_getFilterChanges', polled);
    wait(1);
    expect(await refusal('eth_getFilterChanges', idle)).toEqual(gone);
    expect(await refusal('eth_getFilterLogs', idle)).toEqual(gone);
    expect(await call('eth_uninstallFilter', idle)).toBe(false);
    expect(await call('eth_getFilterChanges', polled)).toEqual([]);
    expect(service.controls.filterCount()).toBe(1);
    await service.controls.restart();
    expect(await refusal('eth_getFilterChanges', polled)).toEqual(gone);
    expect(await refusal('eth_getFilterChanges', '0x1')).toEqual(gone);
    expect(await refusal('eth_getFilterChanges', 'nonsense')).toEqual({
      status: 400,
      code: -32602,
      message: 'Invalid data format: invalid hex value.',
    });
  });
});

describe('switches', () => {
  test('filterIds quantity and filterExpiry apply', async () => {
    let now = 0;
    await using service = await createLocalService({
      switches: { filterIds: 'quantity' },
      filterExpiry: 10,
      now: () => now,
    });
    const { call, refusal } = clientOf(service);
    expect([await call('eth_newBlockFilter'), await call('eth_newFilter', {})]).toEqual(['0x1', '0x2']);
    now = 10;
    expect(await refusal('eth_getFilterChanges', '0x1')).toEqual(gone);
  });

  test('filters of the node lose events that are not polled, start with history, and have no removed field', async () => {
    const { service, call, mined } = await withEmitter({ dialect: 'node' });
    await using _ = service;
    await mined(1);
    const latest = await call('eth_newFilter', {});
    const fromStart = await call('eth_newFilter', { fromBlock: '0x0' });
    const frozen = await call('eth_newFilter', { fromBlock: '0x0', toBlock: '0x9' });
    expect(topicsOf(await call('eth_getFilterChanges', latest))).toEqual([1]);
    expect(topicsOf(await call('eth_getFilterChanges', fromStart))).toEqual([1]);
    await mined(2);
    await mined(3);
    const logs = await call('eth_getFilterChanges', latest);
    expect(topicsOf(logs)).toEqual([3]);
    expect(logs[0]).not.toHaveProperty('removed');
    expect(topicsOf(await call('eth_getFilterChanges', fromStart))).toEqual([2, 3]);
    expect(topicsOf(await call('eth_getFilterChanges', frozen))).toEqual([1]);
    await mined();
    expect(await call('eth_getFilterChanges', latest)).toEqual([]);
  });

  test('lossy filters report competing blocks and never report removed logs', async () => {
    const { service, call, mined } = await withEmitter({ dialect: 'node' });
    await using _ = service;
    const blocks = await call('eth_newBlockFilter');
    const logs = await call('eth_newFilter', { fromBlock: '0x0' });
    await mined(1);
    const sibling = await service.controls.sibling();
    const heard = await call('eth_getFilterChanges', blocks);
    expect([heard.length, heard[1]]).toEqual([2, sibling]);
    expect(topicsOf(await call('eth_getFilterChanges', logs))).toEqual([1, 1]);
    const [beside, head] = [
      await call('eth_getBlockByHash', sibling, false),
      await call('eth_getBlockByNumber', 'latest', false),
    ];
    expect([beside.number, beside.parentHash]).toEqual([head.number, head.parentHash]);
    expect(beside.hash).not.toBe(head.hash);
    await service.controls.reorg(1);
    const after = await call('eth_getFilterChanges', logs);
    expect(topicsOf(after)).toEqual([1]);
    expect(await call('eth_getFilterChanges', blocks)).toHaveLength(2);
  });
});

describe('eth_getLogs', () => {
  test('ranges and blockHash select logs', async () => {
    const { service, call, mined } = await withEmitter();
    await using _ = service;
    await mined(1, 2);
    await mined(3);
    const { hash } = await call('eth_getBlockByNumber', '0x2', false);
    expect(topicsOf(await call('eth_getLogs', {}))).toEqual([3]);
    expect(topicsOf(await call('eth_getLogs', { fromBlock: 'earliest' }))).toEqual([1, 2, 3]);
    expect(topicsOf(await call('eth_getLogs', { fromBlock: '0x2', toBlock: '0x2' }))).toEqual([1, 2]);
    expect(topicsOf(await call('eth_getLogs', { blockHash: hash }))).toEqual([1, 2]);
    expect(topicsOf(await call('eth_getLogs', { fromBlock: '0x2', toBlock: '0xffff' }))).toEqual([1, 2, 3]);
    expect(await call('eth_getLogs', { fromBlock: '0xff', toBlock: '0xffff' })).toEqual([]);
    expect(await call('eth_getLogs', { fromBlock: '0x3', toBlock: '0x2' })).toEqual([]);
    expect(await call('eth_getLogs', { fromBlock: 'pending' })).toEqual([]);
    expect(await call('eth_getLogs', { blockHash: `0x${word(1)}` })).toEqual([]);
    const [first, second] = await call('eth_getLogs', { blockHash: hash });
    expect([first.logIndex, second.logIndex, second.transactionIndex]).toEqual(['0x0', '0x1', '0x1']);
  });

  test('in the seed a query may exceed either the range or the count', async () => {
    const logLimit = { blocks: 2, logs: 2, rule: 'either' } as const;
    const { service, call, refusal, mined } = await withEmitter({ switches: { logLimit } });
    await using _ = service;
    await mined(1, 2, 3);
    await mined();
    expect(await call('eth_getLogs', { fromBlock: '0x2', toBlock: '0x3' })).toHaveLength(3);
    const over = { status: 200, code: -32012, message: 'Filter returned more than 2 logs.' };
    expect(await refusal('eth_getLogs', { fromBlock: '0x1', toBlock: '0x3' })).toEqual(over);
    const topics = [`0x${word(1)}`];
    expect(await call('eth_getLogs', { fromBlock: '0x0', topics })).toHaveLength(1);
  });

  test('logLimit and logRange apply as in the node', async () => {
    const logLimit = { blocks: 3, logs: 2, rule: 'both' } as const;
    const { service, call, refusal, mined } = await withEmitter({ dialect: 'node', switches: { logLimit } });
    await using _ = service;
    await mined(1, 2, 3);
    await mined(4);
    const wide = { status: 200, code: -32012, message: 'Cannot query more than 2 blocks at once' };
    expect(await refusal('eth_getLogs', { fromBlock: '0x0', toBlock: '0x3' })).toEqual(wide);
    expect(await refusal('eth_newFilter', { fromBlock: '0x0' })).toEqual(wide);
    const many = { status: 200, code: -32012, message: 'Filter returned more than 2 logs.' };
    expect(await refusal('eth_getLogs', { fromBlock: '0x2', toBlock: '0x2' })).toEqual(many);
    expect(topicsOf(await call('eth_getLogs', { fromBlock: '0x3', toBlock: '0x1' }))).toEqual([]);
    expect(topicsOf(await call('eth_getLogs', { fromBlock: '0x3', toBlock: 'earliest' }))).toEqual([4]);
    expect((await refusal('eth_getLogs', { fromBlock: '0x3', toBlock: '0x2' })).message).toBe(many.message);
  });
});
