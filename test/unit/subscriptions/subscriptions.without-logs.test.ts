import { expect, onTestFinished, test, vi } from 'vitest';
import { createFollower } from '../../../src/chain/follower.js';
import type { Log } from '../../../src/rpc/schema.js';
import { logEventsOf } from '../../support/log-events.js';
// Imported beforehand: the wallet loads it when it is first needed, which the fake clock does not wait for.
import '../../../src/service/logs/receipt-logs.js';
import { createMemoryStorage } from '../../../src/storage/memory.js';
import { createFilters } from '../../../src/subscriptions/filters/filters.js';
import { createLogsOf } from '../../../src/subscriptions/logs-of-block.js';
import { createSubscriptions } from '../../../src/subscriptions/subscriptions.js';
import { createFakeClock, settled } from '../../support/fake-clock.js';
import { address, createSimulatedChain } from '../../support/simulated-chain.js';

/** Events on a service that has no eth_getLogs. */

const criteria = { address: address(1) };

function setUp() {
  const chain = createSimulatedChain({ logsFrom: 'receipts' });
  const { service } = chain;
  const { clock, advance } = createFakeClock();
  const logsOf = createLogsOf(service, clock.now);
  const follower = createFollower({ service, clock, interval: 8_000 });
  const heard: Log[] = [];
  const sources = { service, follower, clock, ...logEventsOf({ service, follower, logsOf, clock }) };
  const subscriptions = createSubscriptions({
    ...sources,
    storage: createMemoryStorage(),
    emit: (_, log) => void heard.push(log as Log),
  });
  const filters = createFilters(sources);
  for (let i = 0; i < 10; i++) chain.mine();
  const rest = async () => {
    for (let i = 0; i < 400; i++) await settled();
  };
  return {
    ...{ chain, subscriptions, filters, heard, rest },
    /** Adds blocks while the page sleeps; every tenth has a log that matches. */
    sleep(blocks: number) {
      const from = chain.head();
      for (let i = 1; i <= blocks; i++) chain.mine(...(i % 10 === 0 ? [{ address: address(1) }] : []));
      return chain.canonical().slice(Number(from.number) + 1);
    },
    async tick() {
      await advance(8_000);
      await rest();
    },
    sent: (method: string) => chain.sent[method] ?? 0,
  };
}

const plain = (logs: readonly Log[]) => logs.map(({ blockHash, logIndex }) => ({ blockHash, logIndex }));

test('only the receipts of blocks whose bloom matches are read, once for all subscriptions and filters', async () => {
  const { chain, subscriptions, filters, heard, tick, rest, sent } = setUp();
  await subscriptions.subscribe({ kind: 'logs', criteria });
  await subscriptions.subscribe({ kind: 'logs', criteria });
  const id = await filters.newFilter(criteria);
  await rest();
  for (let i = 0; i < 5; i++) chain.mine({ address: address(2) });
  await tick();
  expect(sent('eth_getTransactionReceipt')).toBe(0);
  const block = chain.mine({ address: address(1) }, { address: address(2) });
  await tick();
  expect(plain(heard)).toEqual(
    [...plain(chain.logsOf(block)), ...plain(chain.logsOf(block))].filter(isFirst),
  );
  expect(plain((await filters.changes(id)) as Log[])).toEqual(plain(chain.logsOf(block)).filter(isFirst));
  expect(sent('eth_getTransactionReceipt')).toBe(block.transactions.length);
  expect(sent('eth_getBlockReceipts')).toBe(1);
});

/** The log of the wanted address. */
const isFirst = ({ logIndex }: { readonly logIndex: unknown }) => logIndex === '0x0';

test('after 1,000 missed blocks all logs are delivered, in order', async () => {
  const { chain, subscriptions, filters, heard, sleep, tick, rest, sent } = setUp();
  await subscriptions.subscribe({ kind: 'logs', criteria });
  const id = await filters.newFilter(criteria);
  await rest();
  const before = sent('eth_getBlockByNumber');
  const truth = plain(sleep(1_000).flatMap(chain.logsOf));
  for (let i = 0; i < 3; i++) await tick();
  expect(plain(heard)).toEqual(truth);
  // Each block's header once or twice: for the subscription, and for the filter that is polled later.
  expect(sent('eth_getBlockByNumber') - before).toBeLessThan(1_100);
  expect(plain((await filters.changes(id)) as Log[])).toEqual(truth);
});

test('after more than 1,024 missed blocks the logs of the newest 1,024 are delivered, and the gap is reported once', async () => {
  const reported = vi.fn();
  vi.stubGlobal('reportError', reported);
  onTestFinished(() => void vi.unstubAllGlobals());
  const { chain, subscriptions, filters, heard, sleep, tick, rest } = setUp();
  await subscriptions.subscribe({ kind: 'logs', criteria });
  const id = await filters.newFilter(criteria);
  await rest();
  const blocks = sleep(3_000);
  for (let i = 0; i < 3; i++) await tick();
  const [{ message }] = reported.mock.calls[0] as [Error];
  const [, first, last] = /blocks (\d+) to (\d+) are not delivered: .*no eth_getLogs/.exec(message) ?? [];
  expect(Number(first)).toBe(Number(blocks[0]?.number));
  // 24 newer ones are read one by one.
  expect(Number(last)).toBe(Number(chain.head().number) - 24 - 1_024);
  expect(reported).toHaveBeenCalledOnce();
  const delivered = blocks.filter(({ number }) => Number(number) > Number(last));
  expect(plain(heard)).toEqual(plain(delivered.flatMap(chain.logsOf)));
  await expect(filters.changes(id)).rejects.toMatchObject({ code: -32000, message: 'filter not found' });
  heard.length = 0;
  const block = chain.mine({ address: address(1) });
  await tick();
  expect(plain(heard)).toEqual(plain(chain.logsOf(block)));
});

test('a filter whose fromBlock is too far back for the service is refused with the reason when it is polled', async () => {
  const { filters, sleep, rest } = setUp();
  sleep(2_000);
  const id = await filters.newFilter({ ...criteria, fromBlock: '0x1' });
  await rest();
  await expect(filters.changes(id)).rejects.toMatchObject({
    code: -32005,
    message: expect.stringContaining('no eth_getLogs'),
  });
});
